import { z } from 'zod';
import type { Discount } from '../kernels/valuation/asking.ts';
import type { Calibration } from '../kernels/valuation/calibrate.ts';
import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import type { BucketLabel } from '../model/buckets.ts';
import { countyCode, type JobDefinition } from '../platform/queue/jobs.ts';
import { fiveDigits } from '../regions/counties.ts';

/** What the model moves a comp's price per acre by, in the order in which people read it. */
export const ADJUSTMENTS = ['size', 'time', 'location', 'land', 'asking'] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

/** Comps that a report has to choose from: those that are the fewest steps away, as the model counts. */
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
  /** USD: the sale's price, or what is asked. */
  price: number;
  /** 'YYYY-MM-DD'; null unless SOLD. */
  sold_date: string | null;
  days_on_market: number | null;
  sale_type: string;
  url: string;
  photos: string[];
  /** From the subject's point. */
  distance_m: number;
  /** Days from the sale to the report's day; null unless SOLD. */
  age: number | null;
  /**
   * How unlike the subject in distance, size and age, as the model counts: its weight falls by e with each.
   */
  steps: number;
  /** Natural logarithms of the factors; null for a land that is not adjusted for. */
  adjustments: Record<Adjustment, number | null>;
  /** The model takes its price for no market's, or the comp for another record of the same sale. */
  left_out: boolean;
  /** Whether the model's own estimate goes by it. */
  used: boolean;
  /** Its source has taken it back since the report was made. */
  gone?: boolean;
};

/** What comps are adjusted for time by, as natural logarithms. */
export type PriceTrend = {
  yearly: number;
  /** By how much estimates of the last year's sales were too high, which is taken off every sale. */
  lag: number;
  /** The county's own sales that it stands on. Without any it is other counties'. */
  sales: number;
  /** Year of the first of these. */
  since: number | null;
};

export type MarketBucket = {
  name: string;
  as_of: string | null;
  /** By names of statistics; null where the bucket has no listing. */
  data: Record<string, number | null> | null;
};

/** What was true when a report was made: all that its figures are computed from. */
export type ReportSnapshot = {
  /** 'YYYY-MM-DD': the day that the subject is valued for. */
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
  /** How the county's prices move with time; reports that were made before it was kept have none. */
  trend?: PriceTrend;
  calibration: Calibration;
  discount: Discount;
  /** Null where fewer than three comps are near. */
  machine: Valuation | null;
  candidates: Candidate[];
  /** Comps that could be chosen; `candidates` are the nearest of them. */
  comps: number;
  bucket: BucketLabel | null;
  county_market: MarketBucket | null;
  zip_market: MarketBucket | null;
};

/**
 * The reports of a county that wait for it. A person waits: attempts follow each other sooner than those
 * of other jobs, the first after half a second, for a quarter of a minute.
 */
export const prepareReports: JobDefinition<{ fips: number }> = {
  name: 'comping.prepare',
  queue: 'comping',
  payload: z.strictObject({ fips: countyCode }),
  key: ({ fips }) => fiveDigits(fips),
  attempts: 6,
  backoffMs: 500,
};
