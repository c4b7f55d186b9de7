import type { EquityStudy } from '../kernels/ratio-study/vertical-equity.ts';
import type { BucketLabel } from '../model/buckets.ts';
import type { ParcelField } from '../model/parcel-fields.ts';
import type { ConfidenceOrder } from './confidence-order.ts';

/** The stored part of a county's record. The rest is read from runs and feeds on request. */
export type CountyRecord = {
  /** Number of parcels on the roll. */
  parcels: number;
  filled: Record<ParcelField, number>;
  boundaries: number;
  /** Number of parcels with both acreages, and for how many of them the two agree. */
  acreage_compared: number;
  acreage_agrees: number;
  /** Towns that the parcels are in, up to MAX_TOWNS. Absent in older records. */
  towns?: string[];
  ratio_studies: RatioStudyOf[];
  /** Absent in older records. */
  confidence_order?: ConfidenceOrder;
};

/**
 * A ratio study of the assessor's land values on the roll, or of Plat's estimates as they were before each
 * sale.
 */
export type RatioStudyOf = {
  of: 'assessor' | 'plat';
  by: (typeof WHOLE)[number] | BucketLabel;
} & EquityStudy;

/**
 * Studies across all lot sizes. Comparing two periods shows whether values are wrong or the market has
 * turned.
 */
export const WHOLE = ['all', 'last_12_months'] as const;

/** Number of years of sales in a study. */
export const RECORD_YEARS = 5;
/** Studies with fewer sales have no results. */
export const LEAST_STUDIED = 5;

/** Maximum number of towns stored. */
export const MAX_TOWNS = 10;
