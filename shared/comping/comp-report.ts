import { z } from 'zod';
import type { Discount } from '../kernels/valuation/asking.ts';
import type { Calibration } from '../kernels/valuation/calibrate.ts';
import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import type { OverlayWords } from '../land/overlay-words.ts';
import type { BucketLabel } from '../model/buckets.ts';
import type { ValuedParcel } from '../model/valuation-problems.ts';
import { countyCode, type JobDefinition } from '../platform/queue/jobs.ts';
import { fiveDigits } from '../regions/counties.ts';

/** Adjustments to a comp's price per acre, in display order. */
export const ADJUSTMENTS = ['size', 'time', 'location', 'land', 'asking'] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

/** Maximum number of comps that a report offers. The ones with the fewest `steps` are kept. */
export const MAX_CANDIDATES = 500;

export type Candidate = {
  id: string;
  source: string;
  status: 'ACTIVE' | 'PENDING' | 'SOLD';
  address: string;
  city: string;
  state: string;
  zip: string;
  fips: string;
  apn: string;
  lon: number;
  lat: number;
  acres: number;
  /** USD: the sale price or asking price. */
  price: number;
  /** 'YYYY-MM-DD'; null unless SOLD. */
  sold_date: string | null;
  days_on_market: number | null;
  sale_type: string;
  url: string;
  photos: string[];
  /** Distance from the subject's point. */
  distance_m: number;
  /** Days from the sale to the report's `as_of`; null unless SOLD. */
  age: number | null;
  /**
   * How much the comp differs from the subject in distance, size, and age. Each step divides the weight by e.
   */
  steps: number;
  /** Natural logarithms of the factors; null if there is no adjustment for land. */
  adjustments: Record<Adjustment, number | null>;
  /** Whether the model excludes it as an outlier or a duplicate of the same sale. */
  left_out: boolean;
  /** Whether the model's own estimate uses this comp. */
  used: boolean;
  /** Whether the comp is no longer a candidate in newer data. */
  gone?: boolean;
};

/** The date adjustment for comps, as natural logarithms. */
export type PriceTrend = {
  /** Change per year over the last five years. */
  yearly: number;
  /** In older reports: how much too high the estimates of last year's sales were. */
  lag?: number;
  /** Number of sales in the county that the trend is based on. If 0, it is based on other counties. */
  sales: number;
  /** Year of the earliest of these sales. */
  since: number | null;
};

export type MarketBucket = {
  name: string;
  as_of: string | null;
  /** Values by statistic; null if the bucket has no listings. */
  data: Record<string, number | null> | null;
};

/** The facts about a report's parcel that determine whether an estimate counts. */
export type ReportParcel = Pick<
  ValuedParcel,
  'fips' | 'retired' | 'acres' | 'calculated_acres' | 'land_use_code'
>;

/** A report's data as of when it was prepared. Every figure in the report is calculated from it. */
export type ReportSnapshot = {
  /** 'YYYY-MM-DD': the date of the valuation. */
  as_of: string;
  /** ISO 8601. */
  made_at: string;
  model_version: string;
  subject: {
    apn: string;
    address: string;
    city: string;
    state: string;
    zip: string;
    county: string;
    fips: string;
    lon: number;
    lat: number;
    acres: number;
    /** Rings of longitude and latitude, simplified for display. Empty if the parcel has no geometry. */
    outline: [number, number][][];
    steep_percent: number | null;
    frontage_ft: number | null;
    flood_percent: number | null;
    wetlands_percent: number | null;
    /** Missing in older reports, like the overlays. */
    buildable_acres?: number | null;
    overlays?: OverlayWords[];
  };
  /** Missing in older reports. */
  parcel?: ReportParcel;
  /** Change in ln(price per acre) per unit of ln(acres). */
  elasticity: number;
  /** In older reports: the number of steps over which a comp's weight falls to 1/e. */
  weight_steps?: number;
  /** The steps at which a comp would have no weight. Missing in older reports. */
  weight_edges?: { listing: number; sale: number };
  /**
   * ln(price per acre) of the neighborhood, null with too few sales, and its share. Missing in older reports.
   */
  neighborhood?: { log_ppa: number | null; share: number };
  /** The county's price trend; missing in older reports. */
  trend?: PriceTrend;
  calibration: Calibration;
  discount: Discount;
  /** Null if fewer than three comps are nearby. */
  machine: Valuation | null;
  candidates: Candidate[];
  /** The total number of available comps. `candidates` has only the ones with the fewest steps. */
  comps: number;
  bucket: BucketLabel | null;
  county_market: MarketBucket | null;
  zip_market: MarketBucket | null;
};

/**
 * Prepares a county's requested reports. A person is waiting, so retries start after half a second and end
 * after about 15 seconds.
 */
export const prepareReports: JobDefinition<{ fips: number }> = {
  name: 'comping.prepare',
  queue: 'comping',
  payload: z.strictObject({ fips: countyCode }),
  key: ({ fips }) => fiveDigits(fips),
  attempts: 6,
  backoffMs: 500,
};
