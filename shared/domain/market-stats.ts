import { createStatsEncoder } from '../kernels/stats/encode-stats.ts';
import { createStatsKernel, type StatsKernel } from '../kernels/stats/region-stats.ts';
import { METRIC_COUNT, newStatsTable, type StatsTable } from '../kernels/stats/stats-table.ts';
import { ACRE_BUCKETS, type BucketLabel } from './buckets.ts';
import { type BucketData, METRIC_KEYS } from './metric-keys.ts';

/** One element of the `stats` that the API answers. */
export type BucketStats = { type: BucketLabel; data: BucketData };

/** What the API says of a region besides its statistics. */
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

/** Fills a table, reused from region to region, with the statistics of one region. */
export const computeRegionTable: StatsKernel = createStatsKernel(ACRE_BUCKETS);

export function newRegionTable(): StatsTable {
  return newStatsTable(ACRE_BUCKETS.length);
}

const encode = createStatsEncoder(
  ACRE_BUCKETS.map(bucket => bucket.label),
  METRIC_KEYS,
);

/** The body of the market-stats endpoint: JSON in UTF-8. */
export function encodeRegionStats(region: RegionFields, table: StatsTable): Uint8Array {
  const { id, type, name, state, county_name, fips } = region;
  return encode({ id, type, name, state, county_name, fips }, table);
}

/** The filled buckets of a table, in the API's order, every key present. */
export function bucketStats(table: StatsTable): BucketStats[] {
  return ACRE_BUCKETS.flatMap(({ label }, bucket) => {
    if (table.filled[bucket] === 0) return [];
    const row = table.hundredths.subarray(bucket * METRIC_COUNT, (bucket + 1) * METRIC_COUNT);
    const entries = METRIC_KEYS.map((key, column) => {
      const hundredths = row[column]!;
      return [key, Number.isNaN(hundredths) ? null : hundredths / 100] as const;
    });
    return [{ type: label, data: Object.fromEntries(entries) as BucketData }];
  });
}
