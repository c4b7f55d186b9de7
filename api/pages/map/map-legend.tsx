import { count } from '../../../shared/model/figures.ts';
import type { Total } from '../../../shared/parcels/filter/hit-statements.ts';
import { countOnRoll } from '../../../shared/parcels/map-statements.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import { type Visit, withParam } from '../frame/visit.ts';
import { type Classes, COLORS, type Color, classifyHits, countHits, swatchesOf } from './map-colors.ts';
import type { Almost } from './no-hits.tsx';
import { readTileHits } from './tile-hits.ts';

/** What of the map is colored, and how; `by` undefined: all hits the same. */
export type Colored = {
  by?: Color | undefined;
  classes?: Classes | undefined;
  /** Undefined where the address has no search. */
  hits?: number | undefined;
  /** Of the hits together. */
  acres?: number | undefined;
  /** Nothing but a county is asked: there is nothing to tell apart. */
  isWhole: boolean;
  /** Parcels of the county that is searched, else of all, that are no hits. */
  others: number;
};

export async function readColored(visit: Visit): Promise<Colored> {
  const { db } = visit.deps;
  const search = await readTileHits(visit);
  const county = search?.body.county;
  const parcels = await countOnRoll(db, county === undefined ? null : Number(county));
  if (search === undefined) return { isWhole: false, others: parcels };
  const { body, asking, color } = search;
  // These are counted already.
  if (color === undefined && county !== undefined && Object.keys(body).length === 1)
    return { hits: parcels, isWhole: true, others: 0 };
  const counting = color ? classifyHits(db, body, asking, color) : countHits(db, body, asking);
  const counted = await counting.catch(undefinedIfRefused);
  const classes = counted && 'classes' in counted ? counted : undefined;
  const { count: hits, acres } = classes?.total ?? (counted as Total | undefined) ?? {};
  return { by: color, classes, hits, acres, isWhole: false, others: parcels - (hits ?? 0) };
}

type LegendProps = {
  url: URL;
  colored: Colored;
  isOpen: boolean;
  /** What the map shows in outline where nothing matches. */
  almost: Almost | undefined;
};

export function MapLegend({ url, colored, isOpen, almost }: LegendProps) {
  const { by, classes, hits, isWhole, others } = colored;
  const all = classes?.classes ?? [];
  const swatches = by && classes ? swatchesOf(by, classes) : [];
  return (
    <details
      id="legend"
      class="legend"
      open
      data-almost={isWhole ? '' : almost?.search}
      data-colors={
        by && JSON.stringify(all.map(({ from }, at) => [Number.isFinite(from) ? from : null, swatches[at]]))
      }
    >
      <summary>{by?.label ?? 'On the map'}</summary>
      <ul>
        {by === undefined && hits !== undefined && !isWhole && (
          <Key swatch="hit" words="Matches" count={hits} />
        )}
        {all.map((one, at) => (
          <Key swatch={swatches[at]!} words={one.words} count={one.count} />
        ))}
        {classes && classes.unknown > 0 && <Key swatch="none" words="Not known" count={classes.unknown} />}
        {almost && <Key swatch="almost" words={`Would match without ${almost.words}`} count={almost.count} />}
        {isOpen && <Key swatch="pick" words="Open parcel" count={1} />}
        {isWhole ? (
          <Key swatch="parcel" words="Parcels" count={hits ?? 0} />
        ) : (
          <Key
            swatch="parcel"
            words={hits === undefined ? 'Parcels' : 'Other parcels'}
            count={others - (almost?.count ?? 0)}
          />
        )}
        <Key swatch="absent" words="County not loaded" />
      </ul>
      {hits !== undefined && (
        <details>
          <summary>Color by</summary>
          <ul>
            {[undefined, ...COLORS].map(color => (
              <li>
                <a
                  href={withParam(url, 'color', color?.name)}
                  aria-current={color?.name === by?.name ? 'true' : undefined}
                >
                  {color?.label ?? 'Nothing'}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </details>
  );
}

const Key = ({ swatch, words, count: hits }: { swatch: string; words: string; count?: number }) => (
  <li>
    <i class={`swatch ${swatch}`} />
    <span>{words}</span>
    {hits !== undefined && <b>{count(hits)}</b>}
  </li>
);
