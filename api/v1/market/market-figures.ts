import { z } from 'zod';
import { ACRE_BUCKETS, type BucketLabel } from '../../../shared/domain/buckets.ts';
import { FIGURE_KEYS, type FigureKey, indexFigures } from '../../../shared/domain/market-stats.ts';
import { unpackFigures } from '../../../shared/domain/stats-codec.ts';
import { dayOf } from '../../../shared/kernels/stats/calendar.ts';
import type { PriceIndex } from '../../../shared/kernels/valuation/price-index.ts';

const LABELS = ACRE_BUCKETS.map(({ label }) => label) as [BucketLabel, ...BucketLabel[]];
export const USUAL_BUCKET: BucketLabel = '0.2 acre-100 acre';

export const bucketParameter = z
  .enum(LABELS, `must be one of the buckets of market statistics, such as ${USUAL_BUCKET}`)
  .meta({
    description: 'An acreage bucket, by the `type` that market statistics give it.',
    example: USUAL_BUCKET,
    override: { enum: undefined },
  });

/** Not as a list in the schema: the 50 keys would be there a dozen times. */
export const figureKey = z
  .enum(FIGURE_KEYS as [FigureKey, ...FigureKey[]], 'must be a key of market statistics, or of their `more`')
  .meta({
    description: 'A key of market statistics, or of their `more`.',
    example: 'Median Sold PPA',
    override: { enum: undefined },
  });

export const isoDate = z.iso.date('must be a day, as YYYY-MM-DD');

/** The figures of one bucket. */
export type BucketFigures = {
  /** Sales of the 12 months up to the day. */
  n: number;
  of(key: FigureKey): number | null;
};

const PLACES = new Map(FIGURE_KEYS.map((key, i) => [key, 1 + i]));
const SOLD_IN_YEAR = PLACES.get('Sold: 1yr')!;

/** null where the bucket has no listing. */
export function bucketFigures(packed: Buffer, bucket: BucketLabel): BucketFigures | null {
  const figures = unpackFigures(packed, LABELS.indexOf(bucket));
  return figures && { n: figures[SOLD_IN_YEAR]!, of: key => figures[PLACES.get(key)!] ?? null };
}

const INDEX_KEYS = new Set<FigureKey>(['price_index', 'price_index_low', 'price_index_high']);
export const needsIndex = (keys: readonly FigureKey[]): boolean => keys.some(key => INDEX_KEYS.has(key));

/** What was computed for a past day has the index as it is estimated now. */
export function withIndex(figures: BucketFigures, index: PriceIndex | null, asOf: string): BucketFigures {
  if (index === null) return figures;
  const known: Partial<Record<FigureKey, number | null>> = indexFigures(index, dayOf(asOf));
  return { n: figures.n, of: key => (INDEX_KEYS.has(key) ? (known[key] ?? null) : figures.of(key)) };
}
