import { DEAL_COSTS, type DEAL_MONEY, fromCents, MAX_CENTS, toCents } from '../../shared/deals/deal-terms.ts';
import { valuationOf } from '../../shared/deals/deal-valuation.ts';
import {
  type Advice,
  competitivePrice,
  countPeers,
  countPricedHigher,
  dailyInterest,
  freshnessOf,
  gradeScore,
  listingGrade,
  perAcre,
  priceAdvantage,
  tractionScore,
} from '../../shared/kernels/deal-grade.ts';
import { type AdviceRecord, adviceOf } from './advice.ts';
import { hasViews, interestIn, isCounted, type Market, ppaOf } from './deal-market.ts';
import type { DealLot, ListingFacts } from './find-listings.ts';

export type Costs = Record<(typeof DEAL_MONEY)[number], string | null>;

export type Grade = {
  traction_score: number | null;
  price_advantage: number | null;
  listing_grade: string;
  suggested_action: string;
  suggested_action_price: string | null;
  advice: AdviceRecord | null;
  figures: object | null;
};

const shown = (cents: bigint | null): string | null =>
  cents === null || cents > MAX_CENTS ? null : fromCents(cents);
const big = (cents: number | null | undefined): bigint | null => (cents == null ? null : BigInt(cents));
/** Rounds a figure to two decimals and formats it. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 100) / 100;

/** The advice as `suggested_action`, which has no `raise`. */
const suggestionOf = (advice: Advice | undefined) => ({
  suggested_action: advice?.action === 'raise' ? 'hold' : (advice?.action ?? ''),
  suggested_action_price: advice?.action === 'drop' ? shown(advice.cents) : null,
});

/** A deal's views and saves, compared with those of other listings. */
function interestOf({ listing, days, views, saves }: ListingFacts, { interest }: Market) {
  const own = listing !== null && hasViews(listing) ? interestIn(listing) : null;
  const peers = { ascending: interest, own };
  const perDay = dailyInterest(views, saves, days);
  const traction = tractionScore(perDay, peers);
  // Views and saves that aren't reported are unknown, not zero, so they have no weight in the grade.
  const isKnown = views !== null || saves !== null;
  return {
    traction,
    graded: isKnown ? traction : null,
    perDay: isKnown ? perDay : null,
    listings: countPeers(peers),
  };
}

export function gradeDeal(
  deal: Costs & { status: string },
  facts: ListingFacts,
  cents: bigint | null,
  lot: DealLot | undefined,
  market: Market,
): Grade {
  const { listing, acreage: acres, days } = facts;
  const askedPpa = cents !== null && acres !== null ? perAcre(cents, acres) : null;
  const own = listing !== null && isCounted(listing) ? listing : null;
  const prices = { ascending: market.perAcre, own: own === null ? null : ppaOf(own) };
  const interest = interestOf(facts, market);
  const advantage = askedPpa === null ? null : priceAdvantage(askedPpa, prices);
  const { bucket, medianDays, sales } = market.timeToSell(acres);
  const freshness = freshnessOf(days, medianDays);
  const score = gradeScore({ priceAdvantage: advantage, traction: interest.graded, freshness });
  const spendCents = DEAL_COSTS.reduce((sum, name) => sum + toCents(deal[name] ?? '0'), 0n);
  const like = market.like(acres ?? 0, own);
  const competitiveCents = acres === null ? null : competitivePrice(acres, like.others);
  const expectedCents = deal.expected_sell_price === null ? null : toCents(deal.expected_sell_price);
  const advised =
    deal.status === 'listed'
      ? adviceOf({ facts, cents, expectedCents, spendCents, lot, like }, market)
      : undefined;
  return {
    traction_score: interest.traction,
    price_advantage: advantage,
    listing_grade: listingGrade(score),
    ...suggestionOf(advised?.advice),
    advice: advised?.record ?? null,
    figures: {
      as_of: market.asOf,
      bucket,
      median_days_on_market: medianDays,
      sales,
      active_listings: countPeers(prices),
      dearer_listings: askedPpa === null ? null : countPricedHigher(askedPpa, prices),
      listings_with_views: interest.listings,
      price_per_acre: rounded(askedPpa),
      interest: rounded(interest.perDay),
      freshness: rounded(freshness),
      score: rounded(score),
      size_elasticity: Math.round(market.elasticity * 1e4) / 1e4,
      competitive_price: shown(competitiveCents),
      mean_adjusted_price: shown(big(lot?.adjusted)),
      low_price: shown(big(lot?.low)),
      high_price: shown(big(lot?.high)),
      valuation_problems: valuationOf(lot, acres).problems,
      total_spend: fromCents(spendCents),
      reason: advised?.advice.reason ?? '',
    },
  };
}
