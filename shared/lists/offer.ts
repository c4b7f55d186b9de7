import {
  isAboutEstimate,
  VALUATION_PROBLEM_NAMES,
  type ValuationProblem,
  type ValuedParcel,
  valuationProblems,
} from '../model/valuation-problems.ts';

/** Names that requests use for the value that an offer is a percentage of. */
export const OFFER_BASES = ['value', 'value_low', 'market_value', 'assessed_value'] as const;
export type OfferBase = (typeof OFFER_BASES)[number];

export const isEstimate = (base: OfferBase | null): boolean => base === 'value' || base === 'value_low';

export type OfferTerms = {
  percent: number;
  /** For a range: the percentage at its high end. Null for a single price. */
  percent_high: number | null;
  of: OfferBase;
  /** US dollars. */
  round_to: number;
};

/** Why a person should check a row before making an offer. */
export const REVIEW_REASONS = VALUATION_PROBLEM_NAMES;
export type ReviewReason = ValuationProblem;

/** Facts that an offer is based on. Null if unknown. Prices are in US dollars. */
export type OfferFacts = ValuedParcel & { market_value: number | null; assessed_value: number | null };

export type OfferSource = 'computed' | 'entered';

/** Prices are in US dollars. */
export type Offer = {
  offer: number | null;
  /** The high end of a range. Null for a single price. */
  offer_high: number | null;
  /** Null if there is no offer. */
  offer_source: OfferSource | null;
  /** The price from the list's terms, also if a person entered another one. */
  computed_offer: number | null;
  needs_review: ReviewReason[];
};

/** An offer for a row, which can cover several parcels of one owner. */
export type RowOffer = Offer & {
  /** Number of parcels that the offer covers. */
  offer_parcels: number;
};

const NO_OFFER: Offer = {
  offer: null,
  offer_high: null,
  offer_source: null,
  computed_offer: null,
  needs_review: [],
};

/**
 * The offer for a parcel: the entered price, or the computed one, rounded to a multiple of `round_to`, with
 * halves rounded up. Without an entered price, there is no offer if the list has no offer terms, or, with
 * reasons, if a person should check first.
 */
export function offerOf(terms: OfferTerms | null, facts: OfferFacts, entered: number | null): Offer {
  const computed = terms === null ? NO_OFFER : computeOffer(terms, facts);
  if (entered === null) return computed;
  return { ...NO_OFFER, offer: entered, offer_source: 'entered', computed_offer: computed.offer };
}

function computeOffer(terms: OfferTerms, facts: OfferFacts): Offer {
  const { percent, percent_high, of, round_to } = terms;
  const base = facts[of];
  const priceAt = (share: number) => (base === null ? 0 : roundTo((base * share) / 100, round_to));
  const offer = priceAt(percent);
  const problems = valuationProblems(facts).filter(problem => isEstimate(of) || !isAboutEstimate(problem));
  const reasons = new Set<ReviewReason>(offer === 0 ? [...problems, 'no_value'] : problems);
  if (reasons.size > 0)
    return { ...NO_OFFER, needs_review: REVIEW_REASONS.filter(reason => reasons.has(reason)) };
  const offer_high = percent_high === null ? null : priceAt(percent_high);
  return { offer, offer_high, offer_source: 'computed', computed_offer: offer, needs_review: [] };
}

export const roundTo = (dollars: number, unit: number): number => Math.round(dollars / unit) * unit;

/** The sum of the offers for an owner's parcels, with the reasons of those without one. */
export function sumOffers(offers: readonly Offer[]): RowOffer {
  const priced = offers.filter(({ offer }) => offer !== null);
  const reasons = new Set(offers.flatMap(({ needs_review }) => needs_review));
  const sum = (of: (one: Offer) => number) => priced.reduce((total, one) => total + of(one), 0);
  const computed = offers.flatMap(({ computed_offer }) => computed_offer ?? []);
  const isRange = priced.some(({ offer_high }) => offer_high !== null);
  const isEntered = priced.some(({ offer_source }) => offer_source === 'entered');
  return {
    offer: priced.length === 0 ? null : sum(({ offer }) => offer!),
    offer_high: isRange ? sum(({ offer, offer_high }) => offer_high ?? offer!) : null,
    offer_source: priced.length === 0 ? null : isEntered ? 'entered' : 'computed',
    computed_offer: computed.length === 0 ? null : computed.reduce((total, one) => total + one, 0),
    needs_review: REVIEW_REASONS.filter(reason => reasons.has(reason)),
    offer_parcels: priced.length,
  };
}

/**
 * Splits an owner's price over the owner's parcels by acreage, in whole dollars. A parcel of unknown acreage
 * counts as an average one.
 */
export function shareOffer(offer: number, acres: readonly (number | null)[]): number[] {
  const known = acres.filter(size => size !== null && size > 0) as number[];
  const usual = known.length === 0 ? 1 : known.reduce((sum, size) => sum + size, 0) / known.length;
  const weights = acres.map(size => (size !== null && size > 0 ? size : usual));
  const total = weights.reduce((sum, one) => sum + one, 0);
  let weight = 0;
  let before = 0;
  // Each share ends at a rounded running total, so that the shares add up to the price.
  return weights.map((one, at) => {
    weight += one;
    const until = at === weights.length - 1 ? offer : Math.min(offer, Math.round(offer * (weight / total)));
    const share = until - before;
    before = until;
    return share;
  });
}
