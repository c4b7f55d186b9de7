import { z } from 'zod';
import type { PriceIndex } from '../../../shared/kernels/valuation/price-index.ts';
import { ACRE_BUCKETS, type BucketLabel } from '../../../shared/model/buckets.ts';
import { FIGURE_KEYS, type FigureKey, indexFigures } from '../../../shared/model/market-metrics.ts';
import { figureAt, unpackFigures } from '../../../shared/model/stats-codec.ts';

const LABELS = ACRE_BUCKETS.map(({ label }) => label) as [BucketLabel, ...BucketLabel[]];
export const USUAL_BUCKET: BucketLabel = '0.2 acre-100 acre';

export const bucketParameter = z
  .enum(LABELS, `must be one of the buckets of market statistics, such as ${USUAL_BUCKET}`)
  .meta({
    description: 'Acreage bucket: the `type` in market statistics.',
    example: USUAL_BUCKET,
    override: { enum: undefined },
  });

/** Not an enum in the published schema, because the schema would repeat the 50 keys a dozen times. */
export const figureKey = z
  .enum(FIGURE_KEYS as [FigureKey, ...FigureKey[]], 'must be a key of market statistics or of their `more`')
  .meta({
    description: 'Key of a figure in market statistics or in their `more`.',
    example: 'Median Sold PPA',
    override: { enum: undefined },
  });

export const isoDate = z.iso.date('must be a date in the format YYYY-MM-DD');

/** The number of listings, followed by the figures in the order of their keys. NaN means null. */
export type BucketValues = number[];

export type BucketFigures = {
  /** Sales in the 12 months up to the date. */
  n: number;
  of(key: FigureKey): number | null;
};

const PLACES = new Map(FIGURE_KEYS.map((key, i) => [key, 1 + i]));
export const placeOf = (key: FigureKey): number => PLACES.get(key)!;
const SOLD_IN_YEAR = placeOf('Sold: 1yr');

/** null if the bucket has no listings. */
export const bucketValues = (packed: Buffer, bucket: BucketLabel): BucketValues | null =>
  unpackFigures(packed, LABELS.indexOf(bucket));

export const salesIn = (values: BucketValues): number => values[SOLD_IN_YEAR]!;

/** null if the bucket has no listings. */
export function bucketFigures(packed: Buffer, bucket: BucketLabel): BucketFigures | null {
  const values = bucketValues(packed, bucket);
  return values && { n: salesIn(values), of: key => figureAt(values, placeOf(key)) };
}

const INDEX_KEYS = ['price_index', 'price_index_low', 'price_index_high'] as const;
export const needsIndex = (keys: readonly FigureKey[]): boolean => INDEX_KEYS.some(key => keys.includes(key));

/** Statistics that are computed for a past date use the current estimate of the index. */
export function writeIndex(values: BucketValues, index: PriceIndex, day: number): void {
  const known = indexFigures(index, day);
  for (const key of INDEX_KEYS) values[placeOf(key)] = known[key] ?? Number.NaN;
}
