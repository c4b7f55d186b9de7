import { landOf } from './land-effects.ts';

// Comps are stored as columns, because with 200,000 parcels and 100,000 comps, objects would cost more than
// the arithmetic.

export const DAYS_PER_YEAR = 365.25;

/** Comps more steps away than this are not used. */
export const MAX_STEPS = 6;
/** Comps farther away than this aren't used, whatever the length of a step. */
export const MAX_COMP_M = 100_000;

/** The value that represents an unknown day. */
export const NO_DAY = -0x8000_0000;

export const ACTIVE = 0;
export const PENDING = 1;
export const SOLD = 2;

export type Comps = {
  count: number;
  /** Degrees on WGS84; NaN if unknown. A comp without a location isn't used. */
  lon: Float64Array;
  lat: Float64Array;
  acres: Float64Array;
  /** USD: the sale price or the asking price. */
  price: Float64Array;
  /** USD: the last asking price of a SOLD comp; NaN if unknown. Only needed to fit a model. */
  asked?: Float64Array | undefined;
  /**
   * Index of the comp's feed. By default, all comps are from one feed. Like `ofRoll`, only needed to fit a
   * model.
   */
  feed?: Int32Array | undefined;
  /** 1 if the feed is a roll. */
  ofRoll?: Uint8Array | undefined;
  /** Identifies the sold lot within its county; NaN if unknown. */
  lot?: Float64Array | undefined;
  /** 1 if an operator decided to use the sale, whatever its price. */
  approved?: Uint8Array | undefined;
  /** ACTIVE, PENDING or SOLD. */
  status: Uint8Array;
  /** Days since 1970-01-01; NO_DAY unless SOLD. */
  soldDay: Int32Array;
  /** The day an ACTIVE or PENDING comp came on the market; NO_DAY if unknown. */
  listedDay: Int32Array;
  /** FIPS code of the county; -1 if unknown. A comp without a county is not used. */
  county: Int32Array;
  /** Land terms (land-effects.ts), LAND_TERMS per comp; NaN if unknown. Absent if unknown for all. */
  land?: Float64Array | undefined;
  /** The assessor's opinion of the land (assessor.ts); NaN if unknown. Absent if unknown for all. */
  assessed?: Float64Array | undefined;
  /** The day at whose end the opinion was known. By default, the day before the sale. */
  assessedDay?: Int32Array | undefined;
  /** 1 for land on a shore, 0 for other land, NaN if unknown. Absent if unknown for all. */
  shore?: Float64Array | undefined;
};

/** Some of the comps, ordered by index. */
export function pickComps(comps: Comps, chosen: readonly number[]): Comps {
  type Column = Float64Array | Int32Array | Uint8Array;
  const some = (column: Column) => (column.constructor as typeof Float64Array).from(chosen, i => column[i]!);
  const { count: _all, land, ...columns } = comps;
  const own = Object.entries(columns).map(([name, column]) => [name, column && some(column)]);
  return { ...Object.fromEntries(own), count: chosen.length, land: landOf(land, chosen) };
}

export type Subject = {
  lon: number;
  lat: number;
  acres: number;
  /** Land terms (LAND_TERMS of them), NaN if unknown. */
  land?: Float64Array | undefined;
  /** The assessor's opinion of the land (assessor.ts), NaN if unknown. */
  assessed?: number | undefined;
  /** 1 on a shore, 0 elsewhere, NaN if unknown. */
  shore?: number | undefined;
  /** A comp to ignore: the subject's own sale when the estimate is tested against it. */
  exclude?: number;
};

/** Prices are in USD, and prices per acre in USD per acre. */
export type Valuation = {
  /** Unweighted means of the comps used. */
  meanPrice: number;
  meanPpa: number;
  /** Geometric mean of the comps' adjusted prices per acre and the neighborhood's, by their weights. */
  meanAdjustedPpa: number;
  /** The price per acre of the neighborhood, and its share of the estimate. Null with too few sales. */
  neighborhood: { ppa: number; weight: number } | null;
  /** The mean times the subject's acres. */
  meanAdjustedPrice: number;
  /** Gini coefficient of the adjusted prices, from 0 to 100. */
  gini: number;
  /** 0 to 95. */
  confidence: number;
  /** The 80% range of the price. */
  low: number;
  high: number;
  outOfSupport: boolean;
};
