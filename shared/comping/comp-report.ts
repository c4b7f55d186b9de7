import { z } from 'zod';
import type { Discount } from '../kernels/valuation/asking.ts';
import type { Calibration } from '../kernels/valuation/calibrate.ts';
import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import type { BucketLabel } from '../model/buckets.ts';
import { countyCode, type JobDefinition } from '../platform/queue/jobs.ts';
import { fiveDigits } from '../regions/counties.ts';

/** Adjustments of a comp's price per acre, in display order. */
export const ADJUSTMENTS = ['size', 'time', 'location', 'land', 'asking'] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

/** How many comps a report offers: those the fewest steps away. */
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
  /** From the subject's point. */
  distance_m: number;
  /** Days from the sale to the report's date; null unless SOLD. */
  age: number | null;
  /**
   * Difference from the subject in distance, size, and age. Each step divides the weight by e.
   */
  steps: number;
  /** Natural logarithms of the factors; null if there is no adjustment for land. */
  adjustments: Record<Adjustment, number | null>;
  /** Whether the model excludes it as an outlier or a duplicate of the same sale. */
  left_out: boolean;
  /** Whether the model's own estimate uses it. */
  used: boolean;
  /** Whether newer data no longer has it among the candidates. */
  gone?: boolean;
};

/** The date adjustment of comps, as natural logarithms. */
export type PriceTrend = {
  yearly: number;
  /** How much estimates of last year's sales were too high. Subtracted from every sale. */
  lag: number;
  /** Number of the county's own sales behind it. If there are none, it comes from other counties. */
  sales: number;
  /** Year of the earliest of these. */
  since: number | null;
};

export type MarketBucket = {
  name: string;
  as_of: string | null;
  /** Values by statistic; null if the bucket has no listings. */
  data: Record<string, number | null> | null;
};

/** The data of a report at the time it was prepared; all its figures are calculated from it. */
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
    /** Rings of longitude and latitude, simplified for a picture; none without geometry. */
    outline: [number, number][][];
    steep_percent: number | null;
    frontage_ft: number | null;
    flood_percent: number | null;
    wetlands_percent: number | null;
  };
  /** Of ln(price per acre) to ln(acres). */
  elasticity: number;
  /** Steps over which the weight of a comp falls to 1/e. */
  weight_steps?: number;
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
  /** The number of available comps; `candidates` has the nearest. */
  comps: number;
  bucket: BucketLabel | null;
  county_market: MarketBucket | null;
  zip_market: MarketBucket | null;
};

/**
 * Prepares the requested reports of a county. A person is waiting, so retries start after half a second and
 * end after about 15 seconds.
 */
export const prepareReports: JobDefinition<{ fips: number }> = {
  name: 'comping.prepare',
  queue: 'comping',
  payload: z.strictObject({ fips: countyCode }),
  key: ({ fips }) => fiveDigits(fips),
  attempts: 6,
  backoffMs: 500,
};
