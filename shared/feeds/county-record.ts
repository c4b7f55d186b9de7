import type { EquityStudy } from '../kernels/ratio-study/vertical-equity.ts';
import type { BucketLabel } from '../model/buckets.ts';
import type { ParcelField } from '../model/parcel-fields.ts';

/** A county's stored record. The rest is read from runs and feeds when requested. */
export type CountyRecord = {
  /** On the roll. */
  parcels: number;
  filled: Record<ParcelField, number>;
  boundaries: number;
  /** Parcels with both acreages, and those among them whose acreages agree. */
  acreage_compared: number;
  acreage_agrees: number;
  /** Towns of the parcels, up to MAX_TOWNS. Absent in records from before they were stored. */
  towns?: string[];
  ratio_studies: RatioStudyOf[];
};

/** Whose values: the assessor's land values on the roll, or Plat's from before each sale. */
export type RatioStudyOf = {
  of: 'assessor' | 'plat';
  by: (typeof WHOLE)[number] | BucketLabel;
} & EquityStudy;

/** Studies of all lot sizes. Two periods distinguish a market that has turned from values that are off. */
export const WHOLE = ['all', 'last_12_months'] as const;

/** Years of sales in a study. */
export const RECORD_YEARS = 5;
/** Studies with fewer sales have no results. */
export const LEAST_STUDIED = 5;

/** The most towns stored. */
export const MAX_TOWNS = 10;
