import type { EquityStudy } from '../kernels/ratio-study/vertical-equity.ts';
import type { BucketLabel } from '../model/buckets.ts';
import type { ParcelField } from '../model/parcel-fields.ts';

/** What a county's record keeps; the rest is read from runs and feeds when it is asked for. */
export type CountyRecord = {
  /** On the roll. */
  parcels: number;
  filled: Record<ParcelField, number>;
  boundaries: number;
  /** Those with both acreages, and of these those whose acreages agree. */
  acreage_compared: number;
  acreage_agrees: number;
  /** Towns of the parcels, up to MAX_TOWNS. Absent in records that were made before they were noted. */
  towns?: string[];
  ratio_studies: RatioStudyOf[];
};

/** Whose values: the assessor's of the land as the roll has them, or Plat's as of before each sale. */
export type RatioStudyOf = {
  of: 'assessor' | 'plat';
  by: (typeof WHOLE)[number] | BucketLabel;
} & EquityStudy;

/** Studies of all sizes: they tell a market that has turned from values that are always off. */
export const WHOLE = ['all', 'last_12_months'] as const;

/** Sales of so many years are looked back upon. */
export const RECORD_YEARS = 5;
/** Studies of fewer sales have no figures. */
export const LEAST_STUDIED = 5;

/** More towns than these are not noted. */
export const MAX_TOWNS = 10;
