import type { MarketView } from '../../../shared/market/market-statements.ts';
import type { BucketLabel } from '../../../shared/model/buckets.ts';
import { isCountyFact } from '../../../shared/model/county-facts.ts';
import { day } from '../../../shared/model/figures.ts';
import { type BucketFigures, bucketFigures } from '../../v1/market/market-figures.ts';
import { carriedFigure, type RankedKey, shown, wordsOf } from './market-words.ts';

type Props = { view: MarketView; bucket: BucketLabel; keys: readonly RankedKey[] };

/** The figures of a saved market that have changed since the user's previous visit. */
export function Since({ view, bucket, keys }: Props) {
  const { before_at, before_figures, figures } = view;
  if (before_at === null) return null;
  const [was, now] = [before_figures, figures].map(packed => packed && bucketFigures(packed, bucket));
  const moved = [...new Set(keys)].flatMap(key => {
    const [from, to] = [was, now].map(known => shown(key, known ? figureOf(key, known) : null));
    return from === to ? [] : [{ key, from, to }];
  });
  return (
    <div class="since" data-since={view.id}>
      <small>{moved.length === 0 ? `No change since ${day(before_at)}` : `Since ${day(before_at)}`}</small>
      {moved.length > 0 && (
        <ul>
          {moved.map(({ key, from, to }) => (
            <li data-key={key}>
              {wordsOf(key).label} {from} → {to}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Facts change once a year, so they are not compared. */
const figureOf = (key: RankedKey, known: BucketFigures): number | null =>
  isCountyFact(key) ? null : carriedFigure(key, known);
