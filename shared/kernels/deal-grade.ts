// Compares a deal's listing with other listings in its county. Amounts are bigint cents; prices per acre are
// always computed by `perAcre`.

import { countBelow } from './groups.ts';

export const perAcre = (cents: bigint, acres: number): number => Number(cents) / 100 / acres;

/** Views and saves per day, where a save counts as ten views. A listing from today counts as one day old. */
export const dailyInterest = (views: number | null, saves: number | null, days: number | null): number =>
  ((views ?? 0) + 10 * (saves ?? 0)) / Math.max(1, days ?? 1);

/** Values of a county's listings in ascending order. `own` is the deal's value if it is one of them. */
export type Peers = { ascending: ArrayLike<number>; own: number | null };

export const countPeers = ({ ascending, own }: Peers): number => ascending.length - (own === null ? 0 : 1);

/** The number of other listings priced higher per acre. */
export function countPricedHigher(ppa: number, { ascending, own }: Peers): number {
  const count = ascending.length - countBelow(ascending, ppa, true);
  return own !== null && own > ppa ? count - 1 : count;
}

/** The percentage of other listings priced higher per acre; null if there are none. */
export function priceAdvantage(ppa: number, peers: Peers): number | null {
  const count = countPeers(peers);
  return count === 0 ? null : Math.round((100 * countPricedHigher(ppa, peers)) / count);
}

/**
 * The highest price in cents at which `priceAdvantage` reaches `wanted` (1 to 100); null if there is none.
 */
export function priceAtAdvantage(acres: number, peers: Peers, wanted: number): bigint | null {
  const count = countPeers(peers);
  if (count === 0 || !(acres > 0)) return null;
  // `priceAdvantage` rounds, so start half a percent lower.
  let need = Math.max(1, Math.floor(((wanted - 0.5) * count) / 100));
  while (Math.round((100 * need) / count) < wanted) need++;
  const limit = nthHighest(peers, need);
  let cents = BigInt(Math.ceil(limit * acres * 100));
  while (cents >= 0n && perAcre(cents, acres) >= limit) cents--;
  return cents < 0n ? null : cents;
}

/** The nth highest value among the other listings, starting at 1. */
function nthHighest({ ascending, own }: Peers, n: number): number {
  const at = ascending.length - n;
  // Skip the deal's own value if it is among the n highest.
  return own !== null && own >= ascending[at]! ? ascending[at - 1]! : ascending[at]!;
}

/** With fewer listings to compare to, interest is scored on a fixed scale. */
const MIN_LISTINGS = 10;
/** The number of views per day that scores 63 of 100 on the fixed scale. */
const TYPICAL_DAILY_INTEREST = 20;

/**
 * Interest score from 0 to 100, compared with the listings that have views; 0 if there are no views or saves.
 */
export function tractionScore(interest: number, peers: Peers): number {
  if (!(interest > 0)) return 0;
  const count = countPeers(peers);
  if (count < MIN_LISTINGS) return Math.round(100 * (1 - Math.exp(-interest / TYPICAL_DAILY_INTEREST)));
  const { ascending, own } = peers;
  const lower = countBelow(ascending, interest, false) - (own !== null && own < interest ? 1 : 0);
  const upTo = countBelow(ascending, interest, true) - (own !== null && own <= interest ? 1 : 0);
  return Math.round((100 * (lower + upTo)) / (2 * count));
}

export type GradeParts = {
  /** 0 to 100, or null if unknown. */
  priceAdvantage: number | null;
  traction: number | null;
  freshness: number | null;
};

const WEIGHTS: Record<keyof GradeParts, number> = { priceAdvantage: 0.45, traction: 0.35, freshness: 0.2 };

/** 100 on the first day, 37 after the usual time to sell. */
export const freshnessOf = (days: number | null, medianDays: number): number | null =>
  days === null ? null : 100 * Math.exp(-Math.max(0, days) / Math.max(1, medianDays));

const knownParts = (parts: GradeParts) =>
  (['priceAdvantage', 'traction', 'freshness'] as const).filter(name => parts[name] !== null);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The weight of each known part in percent. Unknown parts have no weight. */
export function gradeWeights(parts: GradeParts): Partial<Record<keyof GradeParts, number>> {
  const names = knownParts(parts);
  const total = sumOf(names.map(name => WEIGHTS[name]));
  return Object.fromEntries(names.map(name => [name, (100 * WEIGHTS[name]) / total]));
}

/** Weighted mean of the known parts, 0 to 100; null if none are known. */
export function gradeScore(parts: GradeParts): number | null {
  const names = knownParts(parts);
  if (names.length === 0) return null;
  const total = sumOf(names.map(name => WEIGHTS[name]));
  return sumOf(names.map(name => WEIGHTS[name] * parts[name]!)) / total;
}

export const LETTER_GRADES = ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D', 'F'] as const;
/** Minimum score of each grade except the last. */
const MIN_SCORES = [93, 85, 78, 71, 64, 57, 50, 43, 36, 20];

export function listingGrade(score: number | null): (typeof LETTER_GRADES)[number] | '' {
  if (score === null) return '';
  return LETTER_GRADES.find((_, i) => score >= (MIN_SCORES[i] ?? -Infinity))!;
}

/** An estimate and its 80% range. */
export type ValueRange = { lowCents: bigint; highCents: bigint; meanCents: bigint };

export type AdviceInput = {
  /** Null if unknown, like the other figures. */
  days: number | null;
  /** Median days to sell for lots of this size. */
  medianDays: number;
  cents: bigint | null;
  acres: number | null;
  /** Prices per acre of similar-size listings, adjusted to the lot's acreage. */
  like: Peers;
  /** Null if the valuation doesn't count. */
  valuation: ValueRange | null;
  /** Money spent on the deal. */
  spendCents: bigint;
};

/** Reason codes for a suggested action. */
export const ADVICE_REASONS = [
  'long_and_cheap',
  'dearer_than_others',
  'above_value',
  'below_value',
  'not_above_estimate',
  'no_valuation',
  'no_lower_price',
  'no_like_listings',
  'no_price',
  'no_reason',
] as const;
export type AdviceReason = (typeof ADVICE_REASONS)[number];
export const ADVICE_ACTIONS = ['raise', 'drop', 'relist', 'hold'] as const;
export type Advice = {
  action: (typeof ADVICE_ACTIONS)[number];
  /** The advised price for `raise` and `drop`. Null for other actions. */
  cents: bigint | null;
  reason: AdviceReason;
};

/** A price is competitive if at least this percentage of similar listings are priced higher per acre. */
const COMPETITIVE_PERCENT = 60;
const UNCOMPETITIVE_PERCENT = 40;
/** Suggested prices are multiples of 100 dollars. */
const PRICE_STEP_CENTS = 10_000n;

const stepBelow = (cents: bigint): bigint => (cents / PRICE_STEP_CENTS) * PRICE_STEP_CENTS;
export const stepAbove = (cents: bigint): bigint => stepBelow(cents + PRICE_STEP_CENTS - 1n);
export const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The highest competitive multiple of 100 dollars, in cents; null if there isn't one. */
export function competitivePrice(acres: number, like: Peers): bigint | null {
  const highest = priceAtAdvantage(acres, like, COMPETITIVE_PERCENT);
  return highest === null || highest < PRICE_STEP_CENTS ? null : stepBelow(highest);
}

/**
 * Suggests what to do with a listing. It suggests a price only if the valuation counts, and never one below
 * the estimate. If it suggests a drop, the new price is never below the spend either.
 */
export function suggestedAction(deal: AdviceInput): Advice {
  const { days, medianDays, cents, acres, like, valuation } = deal;
  const hold = (reason: AdviceReason): Advice => ({ action: 'hold', cents: null, reason });
  if (cents === null || acres === null) return hold('no_price');
  if (valuation !== null && cents < valuation.lowCents) {
    const price = stepAbove(maxOf(valuation.meanCents, valuation.lowCents));
    return { action: 'raise', cents: price, reason: 'below_value' };
  }
  const advantage = priceAdvantage(perAcre(cents, acres), like);
  if (advantage === null) return hold('no_like_listings');
  if (days !== null && days > 2 * medianDays && advantage >= COMPETITIVE_PERCENT)
    return { action: 'relist', cents: null, reason: 'long_and_cheap' };
  const isUncompetitive = days !== null && days > medianDays / 2 && advantage < UNCOMPETITIVE_PERCENT;
  const isAbove = valuation !== null && cents > valuation.highCents;
  if (!isUncompetitive && !isAbove) return hold('no_reason');
  if (valuation === null) return hold('no_valuation');
  if (cents <= valuation.meanCents) return hold('not_above_estimate');
  const price = lowerPrice(deal, acres, valuation);
  if (price >= cents) return hold('no_lower_price');
  return { action: 'drop', cents: price, reason: isUncompetitive ? 'dearer_than_others' : 'above_value' };
}

/** The higher of the competitive price, the estimate, and the spend. */
function lowerPrice({ like, spendCents }: AdviceInput, acres: number, { meanCents }: ValueRange): bigint {
  return maxOf(competitivePrice(acres, like) ?? 0n, stepAbove(maxOf(meanCents, spendCents)));
}
