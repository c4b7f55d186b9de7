/** Metrics of a bucket. */
export const METRIC_COUNT = 43;

/**
 * The metrics of one region: METRIC_COUNT numbers a bucket, in whole hundredths (a count of 3 is 300), NaN for null.
 * Hundredths are whole because every metric has at most 2 decimals; writing them as text needs no floating point.
 */
export type StatsTable = {
  /** 1 where the bucket has any listing at all, of any status and age. The rows of other buckets mean nothing. */
  filled: Uint8Array;
  /** bucket * METRIC_COUNT + column. */
  hundredths: Float64Array;
};

/**
 * The column of each metric, in the order in which the API publishes them. Those of sales take one column for each of the
 * windows of 1, 3, 6 and 12 months; `ppaRange` takes two, least and greatest.
 */
export const Column = {
  active: 0,
  pending: 1,
  sold: 2,
  pendingStr: 6,
  str: 7,
  avgDom: 11,
  medianPrice: 15,
  medianPendingPrice: 19,
  medianActivePrice: 20,
  medianActiveAcreage: 21,
  medianPendingAcreage: 22,
  medianSoldAcreage: 23,
  medianPendingPpa: 24,
  medianActivePpa: 25,
  medianSoldPpa: 26,
  activePpaMin: 27,
  activePpaMax: 28,
  pendingPpaMin: 29,
  pendingPpaMax: 30,
  ppaRange: 31,
  gini: 39,
} as const;

export function newStatsTable(bucketCount: number): StatsTable {
  return {
    filled: new Uint8Array(bucketCount),
    hundredths: new Float64Array(bucketCount * METRIC_COUNT),
  };
}

/** The `hundredths` of a table in which nothing was counted: counts 0, everything else null. */
export function emptyHundredths(bucketCount: number): Float64Array {
  const hundredths = new Float64Array(bucketCount * METRIC_COUNT).fill(Number.NaN);
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    const base = bucket * METRIC_COUNT;
    hundredths.fill(0, base + Column.active, base + Column.pendingStr);
  }
  return hundredths;
}
