import type { Db } from '../platform/db.ts';

/**
 * `points`: share of a county's past estimates that were within 25% of the sale price in the half with higher
 * confidence, minus that share in the other half, in percentage points. `low`, `high`: the middle 90% of
 * resamples. All three are null if there are fewer than LEAST_RANKED sales.
 */
export type ConfidenceOrder = {
  sales: number;
  points: number | null;
  low: number | null;
  high: number | null;
};

/** With fewer than 15 sales in each half, resamples vary too little to be meaningful. */
export const LEAST_RANKED = 30;

/**
 * Whether a county's past sales show that estimates with higher confidence are closer to the price. Null if
 * this hasn't been measured yet.
 */
export function confidenceRanks(order: ConfidenceOrder | null): boolean | null {
  return order === null ? null : order.low !== null && order.low > 0;
}

/** Null if the county has no record yet, or a record from an earlier release. */
export async function readConfidenceOrder(db: Db, fips: number): Promise<ConfidenceOrder | null> {
  const [row] = await db.run<{ order: ConfidenceOrder | null }>('feeds/get_confidence_order', { fips });
  return row?.order ?? null;
}
