import { areAcresApart } from '../model/parcel-fields.ts';
import { isTooWide } from '../model/value-range.ts';

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
export const REVIEW_REASONS = [
  'left_the_roll',
  'no_value',
  'out_of_support',
  'too_wide',
  'acres_mismatch',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** Facts that an offer is based on. Null if unknown. Prices are in US dollars. */
export type OfferFacts = {
  retired: boolean;
  acres: number | null;
  calculated_acres: number | null;
  value: number | null;
  value_low: number | null;
  value_high: number | null;
  out_of_support: boolean | null;
  market_value: number | null;
  assessed_value: number | null;
};

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
  const reasons: Record<ReviewReason, boolean> = {
    left_the_roll: facts.retired,
    no_value: offer === 0,
    out_of_support: isEstimate && facts.out_of_support === true,
    too_wide: isEstimate && facts.value_low !== null && isTooWide(facts.value_low, facts.value_high!),
    acres_mismatch: areAcresApart(facts.acres, facts.calculated_acres) === true,
  };
  const needs_review = REVIEW_REASONS.filter(reason => reasons[reason]);
  return { offer: needs_review.length > 0 ? null : offer, needs_review };
}
