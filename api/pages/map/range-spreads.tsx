import { renderToString } from 'preact-render-to-string';
import { countClasses, findEnds } from '../../../shared/parcels/filter/hit-statements.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Page } from '../frame/pages.tsx';
import { FILTER_BY_NAME } from '../parts/read-filters.ts';
import { VALUATION } from './map-colors.ts';
import { readTileHits, type TileHits } from './tile-hits.ts';

/**
 * The ranges that have a histogram, and the SQL for their figures. `f` is the parcel's row in parcel_filters.
 */
export const SPREADS = [
  { of: 'acres', figure: 'f.effective_acres', join: '' },
  { of: 'value', figure: 'worth.mean_adjusted_price', join: VALUATION },
  { of: 'value_per_acre', figure: 'worth.mean_adjusted_ppa', join: VALUATION },
] as const;

type Spread = {
  of: string;
  /** Where bars start, and where the last one ends. The outer bars include everything beyond them. */
  edges: number[];
  counts: number[];
};

const BARS = 30;
const HEIGHT = 32;

/** Numbers from low to high, each larger than the last by the same factor, rounded to two digits. */
function edgesOf(low: number, high: number): number[] {
  const edges = Array.from({ length: BARS + 1 }, (_, i) =>
    Number((low * (high / low) ** (i / BARS)).toPrecision(2)),
  );
  return [...new Set(edges)];
}

async function readSpread(
  db: Db,
  { body, asking }: TileHits,
  { of, ...figure }: (typeof SPREADS)[number],
): Promise<Spread | undefined> {
  const selection = await selectParcels(body, asking, db);
  const ends = await findEnds(db, selection, figure);
  const edges = ends === null ? [] : edgesOf(ends[0]!, ends[1]!);
  if (edges.length < 3) return undefined;
  const counts = await countClasses(db, selection, figure, edges.slice(1, -1));
  return { of, edges, counts: edges.slice(1).map((_, i) => counts.get(i) ?? 0) };
}

function SpreadView({ of, edges, counts }: Spread) {
  const bars = counts.length;
  const most = Math.max(...counts);
  const { label } = FILTER_BY_NAME.get(`${of}_min`)!;
  const y = (count: number) => (count === 0 ? 0 : Math.max(1.5, (HEIGHT * count) / most));
  return (
    <div class="spread" data-of={of} data-edges={JSON.stringify(edges)}>
      <svg viewBox={`0 0 ${bars} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {counts.map((count, i) => (
          <rect x={i + 0.08} y={HEIGHT - y(count)} width="0.84" height={y(count)} />
        ))}
      </svg>
      <div class="thumbs">
        {(['min', 'max'] as const).map(bound => (
          <input
            type="range"
            min="0"
            max={bars}
            value={bound === 'min' ? 0 : bars}
            data-bound={`${of}_${bound}`}
            aria-label={`${label}, ${bound === 'min' ? 'minimum' : 'maximum'}`}
          />
        ))}
      </div>
    </div>
  );
}

/**
 * Histograms of acres and values among the results of the other filters. Loaded when the filters are opened.
 */
export const spreadsPage: Page = {
  path: '/data/spreads',
  access: 'app',
  async get(visit) {
    const spreads: Spread[] = [];
    const { searchParams } = visit.url;
    for (const { of } of SPREADS) for (const bound of ['min', 'max']) searchParams.delete(`${of}_${bound}`);
    const hits = await readTileHits(visit);
    if (hits !== undefined)
      try {
        // Run these one after another, so that a page uses only one connection.
        for (const each of SPREADS)
          spreads.push(...[(await readSpread(visit.deps.db, hits, each)) ?? []].flat());
      } catch (error) {
        // The results list shows this error.
        if (!(error instanceof PlatError) || error.status >= 500) throw error;
      }
    const markup = spreads.map(spread => renderToString(<SpreadView {...spread} />)).join('');
    return { data: markup, type: 'text/html; charset=utf-8' };
  },
};
