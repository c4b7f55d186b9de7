import { landOf } from './land-effects.ts';

// Comps are stored in columns: with 200,000 parcels and 100,000 comps, objects would cost more than the
// arithmetic.

export const DAYS_PER_YEAR = 365.25;

/** A comp that is more steps away than this is not used. */
export const MAX_STEPS = 6;
/** Nor is one that is farther away than this, whatever the length of a step. */
export const MAX_COMP_M = 100_000;

/** Stands for an unknown day. */
export const NO_DAY = -0x8000_0000;

export const ACTIVE = 0;
export const PENDING = 1;
export const SOLD = 2;

export type Comps = {
  count: number;
  /** Degrees on WGS84; NaN where the place is unknown, and the comp is then not used. */
  lon: Float64Array;
  lat: Float64Array;
  acres: Float64Array;
  /** USD: the sale price or the asking price. */
  price: Float64Array;
  /**
   * USD: the last asking price of a SOLD comp before it was sold; NaN where unknown. Only needed to
   * fit a model.
   */
  asked?: Float64Array | undefined;
  /** Index of its feed; without it all come from one. Only needed to fit a model, as is `ofRoll`. */
  feed?: Int32Array | undefined;
  /** 1 where the feed is a roll. */
  ofRoll?: Uint8Array | undefined;
  /** ACTIVE, PENDING or SOLD. */
  status: Uint8Array;
  /** Days since 1970-01-01; NO_DAY unless SOLD. */
  soldDay: Int32Array;
  /** When an ACTIVE or PENDING comp came on the market; NO_DAY where unknown. */
  listedDay: Int32Array;
  /** FIPS of the county; -1 where unknown, and the comp is then not used. */
  county: Int32Array;
  /**
   * Terms of the land (land-effects.ts), LAND_TERMS per comp; NaN where unknown. Absent when unknown for all.
   */
  land?: Float64Array | undefined;
  /**
   * The assessor's opinion of the land before it was sold (assessor.ts); NaN where unknown. Absent when
   * unknown for all.
   */
  assessed?: Float64Array | undefined;
};

/** Some of the comps, in the order of their indices. */
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
  /** LAND_TERMS terms of its land, NaN where unknown. */
  land?: Float64Array | undefined;
  /** The assessor's opinion of the land (assessor.ts), NaN where unknown. */
  assessed?: number | undefined;
  /** A comp that must not be used: the subject's own sale, when the estimate is compared with it. */
  exclude?: number;
};

/** Prices in USD, prices per acre in USD an acre. */
export type Valuation = {
  /** Plain means of the comps that were used. */
  meanPrice: number;
  meanPpa: number;
  /** Weighted geometric mean of the adjusted prices per acre. */
  meanAdjustedPpa: number;
  /** The same times the subject's acres. */
  meanAdjustedPrice: number;
  /** Gini coefficient of the adjusted prices, 0 to 100. */
  gini: number;
  /** 0 to 95. */
  confidence: number;
  /** An 80 % interval of the price. */
  low: number;
  high: number;
  outOfSupport: boolean;
};
