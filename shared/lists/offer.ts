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

export type OfferTerms = {
  percent: number;
  of: OfferBase;
  /** US dollars. */
  round_to: number;
};

/** Why a person should check a row before making an offer. */
export const REVIEW_REASONS = VALUATION_PROBLEM_NAMES;
export type ReviewReason = ValuationProblem;

/** Facts that an offer is based on. Null if unknown. Prices are in US dollars. */
export type OfferFacts = ValuedParcel & { market_value: number | null; assessed_value: number | null };

/**
 * The offer for a parcel, rounded to a multiple of `round_to`, with halves rounded up. Null with reasons if a
 * person should check first. Null without reasons if the list has no offer terms.
 */
export function offerOf(
  terms: OfferTerms | null,
  facts: OfferFacts,
): { offer: number | null; needs_review: ReviewReason[] } {
  if (terms === null) return { offer: null, needs_review: [] };
  const { percent, of, round_to } = terms;
  const base = facts[of];
  const isEstimate = of === 'value' || of === 'value_low';
  const offer = base === null ? 0 : Math.round((base * percent) / 100 / round_to) * round_to;
  const problems = valuationProblems(facts).filter(problem => isEstimate || !isAboutEstimate(problem));
  const reasons = new Set<ReviewReason>(offer === 0 ? [...problems, 'no_value'] : problems);
  const needs_review = REVIEW_REASONS.filter(reason => reasons.has(reason));
  return { offer: needs_review.length > 0 ? null : offer, needs_review };
}
