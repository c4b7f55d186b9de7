import type { Db } from '../platform/db.ts';

/**
 * How many percentage points more of a county's past sales were within 25% of their estimates in the half
 * with higher confidence than in the other half, with the middle 90% of resamples. Figures are null with
 * fewer than LEAST_RANKED sales.
 */
export type ConfidenceOrder = {
  sales: number;
  points: number | null;
  low: number | null;
  high: number | null;
};

/** With fewer than 15 sales in a half, resamples show too little variation. */
export const LEAST_RANKED = 30;

/**
 * Whether a county's past sales show that estimates with higher confidence are closer to the price. Null if
 * this hasn't been measured.
 */
export function confidenceRanks(order: ConfidenceOrder | null): boolean | null {
  return order === null ? null : order.low !== null && order.low > 0;
}

/** Null if the county has no record yet, or a record from an earlier release. */
export async function readConfidenceOrder(db: Db, fips: number): Promise<ConfidenceOrder | null> {
  const [row] = await db.run<{ order: ConfidenceOrder | null }>('feeds/get_confidence_order', { fips });
  return row?.order ?? null;
}
