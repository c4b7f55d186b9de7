import { hash } from 'node:crypto';
import { isoDay } from '../kernels/stats/calendar.ts';
import { type BucketSummary, type ListingColumns, summarizeBuckets } from '../kernels/stats/region-stats.ts';
import type { PriceIndex } from '../kernels/valuation/price-index.ts';
import { ACRE_BUCKETS } from './buckets.ts';
import {
  BUCKET_METRICS,
  FIGURE_KEYS,
  indexFigures,
  type Metric,
  type MetricContext,
  type MetricKey,
  MORE_METRICS,
  type MoreKey,
} from './market-metrics.ts';

/** A region as shown in the API, without its statistics. */
export type RegionFields = {
  /** uuid */
  id: string;
  type: 'county' | 'zip';
  name: string;
  /** Two letters. */
  state: string;
  county_name: string;
  /** Five digits for a county, empty for a ZIP. */
  fips: string | null;
};

export type BucketData = Record<MetricKey, number | null>;
export type MoreData = Record<MoreKey, number | null>;

/** Figures that don't come from the bucket's listings. */
export type StatsContext = {
  /** The county's price index. Null for a ZIP, or if there are too few sales. */
  index: PriceIndex | null;
  /** Whether the listings on the market are known. */
  listed: boolean;
};

/**
 * `asOf` is YYYY-MM-DD, or null if there are no listings. Buckets are in the order of ACRE_BUCKETS, with null
 * for buckets without listings.
 */
export type RegionStats = {
  asOf: string | null;
  buckets: readonly ({ listings: number; data: BucketData; more: MoreData } | null)[];
};

export const NO_STATS: RegionStats = { asOf: null, buckets: [] };

export function regionStats(
  listings: ListingColumns,
  rows: readonly number[],
  asOfDay: number,
  { index, listed }: StatsContext = { index: null, listed: true },
): RegionStats {
  const buckets = summarizeBuckets(listings, rows, asOfDay, ACRE_BUCKETS);
  const context = { listed, index: indexFigures(index, asOfDay) };
  const shown = new Map<BucketSummary | null, RegionStats['buckets'][number]>([[null, null]]);
  for (const each of buckets)
    if (each !== null && !shown.has(each))
      shown.set(each, {
        listings: each.listings,
        data: figuresOf(BUCKET_METRICS, each, context),
        more: figuresOf(MORE_METRICS, each, context),
      });
  return {
    asOf: rows.length > 0 ? isoDay(asOfDay) : null,
    buckets: buckets.map(each => shown.get(each)!),
  };
}

function figuresOf<Key extends string>(
  metrics: Record<Key, Metric>,
  bucket: BucketSummary,
  context: MetricContext,
): Record<Key, number | null> {
  const figures = {} as Record<Key, number | null>;
  for (const key in metrics) figures[key] = metrics[key].of(bucket, context);
  return figures;
}

export function statsBody(region: RegionFields, stats: RegionStats): string {
  const shown = stats.buckets.flatMap((each, i) =>
    each === null ? [] : [{ type: ACRE_BUCKETS[i]!.label, ...each }],
  );
  return JSON.stringify({ ...fieldsOf(region), as_of: stats.asOf, stats: shown });
}

/** Rebuilds a recorded response. `head` is the start of its JSON, before the statistics. */
export function recordedBody(head: string, stats: RegionStats): string {
  const [fields] = JSON.parse(`[${head}"stats":[]}]`);
  return statsBody(fields, { ...stats, asOf: fields.as_of });
}

/**
 * Increment this whenever the same figures produce a different body, so that every stored response is
 * rewritten. Recorded responses for past months are rebuilt from their figures, so their keys must keep
 * producing the same body.
 */
const RESPONSE_FORMAT = 3;

/**
 * ETag derived from the inputs of a body (RFC 9110 section 8.8.3). Hashing every region's body would take
 * longer than calculating its statistics.
 */
export function statsEtag(region: RegionFields, stats: RegionStats): string {
  const figures = new Float64Array(stats.buckets.length * (2 + FIGURE_KEYS.length));
  let at = 0;
  stats.buckets.forEach((each, bucket) => {
    if (each === null) return;
    figures[at++] = bucket;
    figures[at++] = each.listings;
    for (const figure of Object.values(each.data)) figures[at++] = figure ?? Number.NaN;
    for (const figure of Object.values(each.more)) figures[at++] = figure ?? Number.NaN;
  });
  const digest = hash('sha256', new Uint8Array(figures.buffer, 0, at * figures.BYTES_PER_ELEMENT), 'hex');
  const content = JSON.stringify([RESPONSE_FORMAT, ...Object.values(fieldsOf(region)), stats.asOf, digest]);
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/** Only the fields of the API's response, in its order. */
function fieldsOf({ id, type, name, state, county_name, fips }: RegionFields): RegionFields {
  return { id, type, name, state, county_name, fips };
}
