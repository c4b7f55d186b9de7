import { PlatError } from '../../../shared/base/errors.ts';
import { count } from '../../../shared/domain/figures.ts';
import { type Visit, withParam } from '../frame/visit.ts';
import { type Classes, COLORS, type Color, classifyHits } from './map-colors.ts';
import { readTileHits } from './tile-hits.ts';

/** How the hits of the address are colored; `by` undefined: all the same. */
type Colored = { by?: Color | undefined; classes?: Classes | undefined };

/** Undefined where the address has no search. */
export async function readClasses(visit: Visit): Promise<Colored | undefined> {
  const hits = await readTileHits(visit);
  if (hits === undefined) return undefined;
  const { body, asOf, color } = hits;
  if (color === undefined) return {};
  const classes = await classifyHits(visit.deps.resources.database, body, asOf, color).catch(error => {
    // The list says why.
    if (error instanceof PlatError && error.status < 500) return undefined;
    throw error;
  });
  return { by: color, classes };
}

/** Variables of the style sheet: from low to high, and of kinds that have no order. */
const RAMPS: Record<number, readonly string[]> = {
  1: ['q3'],
  2: ['q2', 'q4'],
  3: ['q1', 'q3', 'q5'],
  4: ['q1', 'q2', 'q4', 'q5'],
  5: ['q1', 'q2', 'q3', 'q4', 'q5'],
};
const KINDS = ['active', 'pending', 'hit', 'sold'];

type LegendProps = { url: URL; colored: Colored | undefined };

/** What the map's colors mean, and by what else it can be colored. The client reads the colors from it. */
export function MapLegend({ url, colored }: LegendProps) {
  if (colored === undefined) return <div id="legend" hidden />;
  const { by, classes } = colored;
  const all = classes?.classes ?? [];
  const colors = by && 'kinds' in by ? KINDS : (RAMPS[all.length] ?? []);
  return (
    <div
      id="legend"
      class="legend"
      data-colors={
        by && JSON.stringify(all.map(({ from }, at) => [Number.isFinite(from) ? from : null, colors[at]]))
      }
    >
      <h2>{by?.label ?? 'On the map'}</h2>
      <ul>
        {by === undefined && <Key swatch="hit" words="Matches" />}
        {all.map((one, at) => (
          <Key swatch={colors[at]!} words={one.words} count={one.count} />
        ))}
        {classes && classes.unknown > 0 && <Key swatch="none" words="Not known" count={classes.unknown} />}
        <Key swatch="pick" words="Open parcel" />
        <Key swatch="parcel" words="Other parcels" />
      </ul>
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
    </div>
  );
}

type KeyProps = { swatch: string; words: string; count?: number };

const Key = ({ swatch, words, count: hits }: KeyProps) => (
  <li>
    <i class={`swatch ${swatch}`} />
    <span>{words}</span>
    {hits !== undefined && <b>{count(hits)}</b>}
  </li>
);
