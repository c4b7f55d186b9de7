/**
 * Four terms with a linear effect on ln(price per acre). An array has LAND_TERMS values per parcel, which are
 * NaN if no layer covers it.
 */
const LAND_NAMES = ['steep', 'frontage', 'flood', 'wetlands'] as const;
export const LAND_TERMS = LAND_NAMES.length;
/** The term that isn't a share of the area. */
export const FRONTAGE_TERM = LAND_NAMES.indexOf('frontage');

/**
 * The slope, in percent, above which building sites are severely limited (USDA NRCS, National Soil Survey
 * Handbook, 620.10, dwellings).
 */
export const STEEP_GRADE = 15;

/** Up to about this many feet, more frontage adds access. Beyond it, each doubling adds the same amount. */
const FRONTAGE_UNIT_FT = 100;

/** Percent of the area (`steep`: above STEEP_GRADE). Frontage is the total along all roads that count. */
export type LandFigures = Record<'steepPercent' | 'frontageFt' | 'floodPercent' | 'wetlandsPercent', number>;

/** Writes the terms of one parcel: shares of its area from 0 to 1, and ln(1 + frontage / 100 ft). */
export function writeLandTerms(figures: LandFigures, into: Float64Array, at = 0): Float64Array {
  into[at] = figures.steepPercent / 100;
  into[at + 1] = Math.log1p(figures.frontageFt / FRONTAGE_UNIT_FT);
  into[at + 2] = figures.floodPercent / 100;
  into[at + 3] = figures.wetlandsPercent / 100;
  return into;
}

/** The terms of the i-th parcel, as a view of the array. */
export function landAt(land: Float64Array | undefined, i: number): Float64Array | undefined {
  return land?.subarray(i * LAND_TERMS, (i + 1) * LAND_TERMS);
}

/** Copies the terms of some parcels. */
export function landOf(land: Float64Array | undefined, chosen: ArrayLike<number>): Float64Array | undefined {
  if (land === undefined) return undefined;
  const terms = new Float64Array(chosen.length * LAND_TERMS);
  for (let i = 0; i < chosen.length; i++) terms.set(landAt(land, chosen[i]!)!, i * LAND_TERMS);
  return terms;
}

/** How a shore changes ln(price per acre), and the share of sales on one. */
export type ShoreEffect = { effect: number; center: number };

/** The largest factor by which a shore adjusts a comp's price. */
export const MAX_SHORE_FACTOR = 6;
const MAX_SHORE_LOG = Math.log(MAX_SHORE_FACTOR);

/** How much being on a shore or not adds to a sale's ln(price per acre). 0 if unknown. */
export function shorePremium({ effect, center }: ShoreEffect, shore: number): number {
  return Number.isNaN(shore) ? 0 : effect * (shore - center);
}

/** Adjusts a comp's ln(price per acre) to the subject's shore; NaN without an effect, or if it is unknown. */
export function shoreMove(effect: number, subject: number, comp: number): number {
  if (effect === 0) return Number.NaN;
  return Math.max(-MAX_SHORE_LOG, Math.min(MAX_SHORE_LOG, effect * (subject - comp)));
}

/** The change in ln(price per acre) per unit of each term; 0 if the data doesn't support an effect. */
export type LandEffects = {
  effects: readonly number[];
  /** Means of the terms over the county's sales, used for sales whose land is unknown. */
  center: readonly number[];
};

/** The largest factor by which land can adjust a comp's price. */
export const MAX_LAND_FACTOR = 3;
const MAX_LAND_LOG = Math.log(MAX_LAND_FACTOR);

/** How much the land adds to a sale's ln(price per acre), compared with mean land. Unknown terms add 0. */
export function landPremium({ effects, center }: LandEffects, land: Float64Array, i: number): number {
  let premium = 0;
  for (let k = 0; k < LAND_TERMS; k++) {
    if (effects[k] === 0) continue;
    const term = land[i * LAND_TERMS + k]!;
    if (!Number.isNaN(term)) premium += effects[k]! * (term - center[k]!);
  }
  return premium;
}

/**
 * Adjusts a comp's ln(price per acre) to the subject's land; NaN if no term with an effect is known for both.
 */
export function landMove(
  { effects }: LandEffects,
  subject: Float64Array,
  land: Float64Array,
  i: number,
): number {
  let move = Number.NaN;
  for (let k = 0; k < LAND_TERMS; k++) {
    if (effects[k] === 0) continue;
    const difference = subject[k]! - land[i * LAND_TERMS + k]!;
    if (Number.isNaN(difference)) continue;
    move = (Number.isNaN(move) ? 0 : move) + effects[k]! * difference;
  }
  return Math.max(-MAX_LAND_LOG, Math.min(MAX_LAND_LOG, move));
}
