import { listFigures, type MarketView, viewMarkets } from '../../../shared/market/market-statements.ts';
import { readCountyFacts } from '../../../shared/market/read-county-facts.ts';
import type { BucketLabel } from '../../../shared/model/buckets.ts';
import { isCountyFact } from '../../../shared/model/county-facts.ts';
import { oneDigit } from '../../../shared/model/figures.ts';
import { type BucketFigures, bucketFigures } from '../../v1/market/market-figures.ts';
import { listMarkets, type SavedMarket } from '../../v1/market/saved-markets.ts';
import { Empty, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { Spark } from './market-lines.tsx';
import { Since } from './market-since.tsx';
import { carriedFigure, isRate, pathOf, type RankedKey, shown, titleOf, wordsOf } from './market-words.ts';

/** A saved market with its figures for the chosen bucket. Null if the market has no lots in the bucket. */
type MarketWithFigure = SavedMarket & {
  figures: BucketFigures | null;
  value: number | null;
  /** Values at the end of each of the last twelve months, earliest first. */
  months: (number | null)[];
  view: MarketView | undefined;
};

const MONTHS = 12;

export async function readSaved(
  visit: Visit,
  bucket: BucketLabel,
  metric: RankedKey,
): Promise<MarketWithFigure[]> {
  const { db, readMonths } = visit.deps.resources;
  const saved = await callEndpoint<SavedMarket[]>(visit, listMarkets);
  const keys = saved.map(({ region: { type, name, fips } }) => ({
    type,
    code: type === 'zip' ? name : fips!,
  }));
  const ids = saved.map(({ id }) => id);
  const [rows, views, histories, facts] = await Promise.all([
    listFigures(db, keys),
    viewMarkets(db, visit.session!.user.id, ids),
    // Facts change once a year, so they have no months.
    isCountyFact(metric)
      ? []
      : Promise.all(keys.map(key => readMonths({ ...key, from: null, to: null, most: MONTHS }))),
    isCountyFact(metric) ? readCountyFacts(db, null) : undefined,
  ]);
  const figureOf = (figures: BucketFigures | null): number | null =>
    figures === null || isCountyFact(metric) ? null : carriedFigure(metric, figures);
  return saved.map((market, i) => {
    const { type, code } = keys[i]!;
    const fact = type === 'county' ? facts?.get(Number(code)) : undefined;
    const packed = rows.find(one => one.type === type && one.code === code)?.figures;
    const figures = packed ? bucketFigures(packed, bucket) : null;
    return {
      ...market,
      figures,
      value: isCountyFact(metric) ? (fact?.values[metric] ?? null) : figureOf(figures),
      months: (histories[i] ?? []).map(month => figureOf(bucketFigures(month.figures, bucket))).reverse(),
      view: views.find(({ id }) => id === market.id),
    };
  });
}

type SavedProps = { saved: readonly MarketWithFigure[]; metric: RankedKey; bucket: BucketLabel };

/** One card per market. “Edit” changes its status or removes it. */
export function Saved({ saved, metric, bucket }: SavedProps) {
  if (saved.length === 0)
    return (
      <Empty icon="bookmark" title="No saved markets yet">
        Open a county below and choose “Save market”. Your whole company sees it here.
      </Empty>
    );
  return (
    <>
      <ul class="savedcards">
        {saved.map(market => (
          <SavedCard market={market} metric={metric} bucket={bucket} />
        ))}
      </ul>
      <datalist id="statuses">
        {[...new Set([...saved.map(({ status }) => status), 'Watching', 'Buying', 'Avoid'])]
          .filter(Boolean)
          .map(status => (
            <option value={status} />
          ))}
      </datalist>
    </>
  );
}

type CardProps = { market: MarketWithFigure; metric: RankedKey; bucket: BucketLabel };

function SavedCard({ market, metric, bucket }: CardProps) {
  const { id, region, status, figures, value, months, view } = market;
  return (
    <li class="card">
      <div class="head">
        <a href={pathOf(region)}>{titleOf(region)}</a>
        {status && <span class="badge">{status}</span>}
      </div>
      {figures === null ? (
        <small>No lots of this size</small>
      ) : (
        <>
          <div class="head">
            <b class="figure">{shown(metric, value)}</b>
            <small>{changeOf(metric, months, value)}</small>
          </div>
          <small>{wordsOf(metric).label}</small>
          <Spark values={[...months, value]} />
          <small>
            {metric !== '1yr STR' && `${shown('1yr STR', figures.of('1yr STR'))} sell-through · `}
            {shown('Active', figures.of('Active'))} for sale
          </small>
        </>
      )}
      {view && <Since view={view} bucket={bucket} keys={[metric, 'Active', 'Sold: 1yr']} />}
      <details>
        <summary>Edit</summary>
        <form method="post" class="buttons">
          <input type="hidden" name="region_id" value={region.id} />
          <input type="hidden" name="id" value={id} />
          <input
            name="status"
            value={status}
            aria-label={`Status of ${titleOf(region)}`}
            list="statuses"
            maxlength={64}
          />
          <Submit label="Change status" kind="second small" />
          <Submit label="Remove market" does="remove" kind="quiet small" />
        </form>
      </details>
    </li>
  );
}

/** The change since the same month a year ago. Empty if either value is unknown. */
function changeOf(metric: RankedKey, months: readonly (number | null)[], last: number | null): string {
  const first = months[0];
  if (months.length < MONTHS || first == null || last == null) return '';
  const byDifference = isRate(wordsOf(metric).unit);
  if (!byDifference && first === 0) return '';
  const change = byDifference ? last - first : (100 * last) / first - 100;
  const amount = Math.abs(change) < 0.5 && !byDifference ? '0' : oneDigit(Math.abs(change));
  const arrow = Number(amount) === 0 ? '' : change > 0 ? '▲ ' : '▼ ';
  return `${arrow}${amount}${byDifference ? '' : '%'} in a year`;
}
