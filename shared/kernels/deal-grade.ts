// Figures of a deal's listing against its county's market: amounts in bigint cents, prices per acre
// always by `perAcre`.

import { countBelow } from './groups.ts';

export const perAcre = (cents: bigint, acres: number): number => Number(cents) / 100 / acres;

/** Views and saves a day; a save is worth ten views. A listing of today counts as of one day. */
export const dailyInterest = (views: number | null, saves: number | null, days: number | null): number =>
  ((views ?? 0) + 10 * (saves ?? 0)) / Math.max(1, days ?? 1);

/** Ascending figures of a county's listings; `own` is the deal's own, where it is among them. */
export type Peers = { ascending: ArrayLike<number>; own: number | null };

export const countPeers = ({ ascending, own }: Peers): number => ascending.length - (own === null ? 0 : 1);

/** How many of the others ask more per acre. */
export function countPricedHigher(ppa: number, { ascending, own }: Peers): number {
  const count = ascending.length - countBelow(ascending, ppa, true);
  return own !== null && own > ppa ? count - 1 : count;
}

/** The share of the others, 0 to 100, that ask more per acre; null without any. */
export function priceAdvantage(ppa: number, peers: Peers): number | null {
  const count = countPeers(peers);
  return count === 0 ? null : Math.round((100 * countPricedHigher(ppa, peers)) / count);
}

/** The highest price in cents at which `priceAdvantage` reaches `wanted` (1 to 100); null where none does. */
export function priceAtAdvantage(acres: number, peers: Peers, wanted: number): bigint | null {
  const count = countPeers(peers);
  if (count === 0 || !(acres > 0)) return null;
  // From half a percent less on, which rounds up to it.
  let need = Math.max(1, Math.floor(((wanted - 0.5) * count) / 100));
  while (Math.round((100 * need) / count) < wanted) need++;
  const limit = fromTop(peers, need);
  let cents = BigInt(Math.ceil(limit * acres * 100));
  while (cents >= 0n && perAcre(cents, acres) >= limit) cents--;
  return cents < 0n ? null : cents;
}

/** The n-th highest of the others, from 1. */
function fromTop({ ascending, own }: Peers, n: number): number {
  const at = ascending.length - n;
  // Ascending: the own one stands among the n highest when it is not below the n-th.
  return own !== null && own >= ascending[at]! ? ascending[at - 1]! : ascending[at]!;
}

/** With fewer listings to compare with, interest is measured by itself. */
const MIN_LISTINGS = 10;
/** Views a day at which a listing that is measured by itself has 63 of 100. */
const TYPICAL_INTEREST = 20;

/** 0 to 100 by views and saves a day, against the others that have views; 0 without a view or save. */
export function tractionScore(interest: number, peers: Peers): number {
  if (!(interest > 0)) return 0;
  const count = countPeers(peers);
  if (count < MIN_LISTINGS) return Math.round(100 * (1 - Math.exp(-interest / TYPICAL_INTEREST)));
  const { ascending, own } = peers;
  const lower = countBelow(ascending, interest, false) - (own !== null && own < interest ? 1 : 0);
  const upTo = countBelow(ascending, interest, true) - (own !== null && own <= interest ? 1 : 0);
  return Math.round((100 * (lower + upTo)) / (2 * count));
}

export type GradeParts = {
  /** 0 to 100, null where it is not known. */
  priceAdvantage: number | null;
  traction: number | null;
  freshness: number | null;
};

const WEIGHTS: Record<keyof GradeParts, number> = { priceAdvantage: 0.45, traction: 0.35, freshness: 0.2 };

/** 100 on the first day, 37 when the usual time to sell has passed. */
export const freshnessOf = (days: number | null, medianDays: number): number | null =>
  days === null ? null : 100 * Math.exp(-Math.max(0, days) / Math.max(1, medianDays));

/** 0 to 100; the weight of what is not known goes to the rest. Null where nothing is known. */
export function gradeScore(parts: GradeParts): number | null {
  let sum = 0;
  let weight = 0;
  for (const name of ['priceAdvantage', 'traction', 'freshness'] as const) {
    const part = parts[name];
    if (part === null) continue;
    sum += WEIGHTS[name] * part;
    weight += WEIGHTS[name];
  }
  return weight === 0 ? null : sum / weight;
}

export const LETTERS = ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D', 'F'] as const;
/** The lowest score of each grade but the last. */
const MIN_SCORES = [93, 85, 78, 71, 64, 57, 50, 43, 36, 20];

export function listingGrade(score: number | null): (typeof LETTERS)[number] | '' {
  if (score === null) return '';
  return LETTERS.find((_, i) => score >= (MIN_SCORES[i] ?? -Infinity))!;
}

export type AdviceInput = {
  /** Null where it is not known; the same of the others. */
  days: number | null;
  /** Days after which half of the sales of its size were sold. */
  medianDays: number;
  cents: bigint | null;
  acres: number | null;
  /** Prices per acre of the listings that it is compared with: those of its size. */
  like: Peers;
  /**
   * The ends of its interval; null where there is none, or where it is not that of the land that is listed.
   */
  valuation: { lowCents: bigint; highCents: bigint } | null;
  /** What the deal has cost. */
  spendCents: bigint;
};

/** Why something is advised. */
export const ADVICE_REASONS = [
  'long_and_cheap',
  'dearer_than_others',
  'above_value',
  'no_lower_price',
  'no_like_listings',
  'no_price',
  'no_reason',
] as const;
export type AdviceReason = (typeof ADVICE_REASONS)[number];
export type Advice = { action: 'drop' | 'relist' | 'hold'; cents: bigint | null; reason: AdviceReason };

/** A competitive price asks less per acre than this share of the like listings. */
const COMPETITIVE = 60;
const UNCOMPETITIVE = 40;
/** Cents: advised prices are whole hundreds of dollars. */
const STEP = 10_000n;

const stepBelow = (cents: bigint): bigint => (cents / STEP) * STEP;
const stepAbove = (cents: bigint): bigint => stepBelow(cents + STEP - 1n);
const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * The highest multiple of 100 dollars that is competitive among the like listings, in cents;
 * null where none is.
 */
export function competitivePrice(acres: number, like: Peers): bigint | null {
  const highest = priceAtAdvantage(acres, like, COMPETITIVE);
  return highest === null || highest < STEP ? null : stepBelow(highest);
}

/**
 * What to do with a listing. A price that is advised is below today's, and neither below the valuation's low
 * end nor the spend.
 */
export function suggestedAction(deal: AdviceInput): Advice {
  const { days, medianDays, cents, acres, like, valuation, spendCents } = deal;
  const hold = (reason: AdviceReason): Advice => ({ action: 'hold', cents: null, reason });
  if (cents === null || acres === null) return hold('no_price');
  const advantage = priceAdvantage(perAcre(cents, acres), like);
  if (advantage === null) return hold('no_like_listings');
  if (days !== null && days > 2 * medianDays && advantage >= COMPETITIVE)
    return { action: 'relist', cents: null, reason: 'long_and_cheap' };
  const isUncompetitive = days !== null && days > medianDays / 2 && advantage < UNCOMPETITIVE;
  const isAbove = valuation !== null && cents > valuation.highCents;
  if (!isUncompetitive && !isAbove) return hold('no_reason');
  const competitive = competitivePrice(acres, like) ?? 0n;
  const wanted = isAbove ? lesser(competitive, stepBelow(valuation.highCents)) : competitive;
  const price = greater(wanted, stepAbove(greater(valuation?.lowCents ?? 0n, spendCents)));
  if (price === 0n || price >= cents) return hold('no_lower_price');
  return { action: 'drop', cents: price, reason: isUncompetitive ? 'dearer_than_others' : 'above_value' };
}
