import { DEAL_COSTS, type DEAL_MONEY, fromCents, MAX_CENTS, toCents } from '../../shared/deals/deal-terms.ts';
import {
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

export function gradeDeal(
  deal: Costs & { status: string },
  facts: ListingFacts,
  cents: bigint | null,
  lot: DealLot | undefined,
  market: Market,
): Grade {
  const { listing, acreage: acres, days, views, saves } = facts;
  const askedPpa = cents !== null && acres !== null ? perAcre(cents, acres) : null;
  const prices = {
    ascending: market.perAcre,
    own: listing !== null && isCounted(listing) ? ppaOf(listing) : null,
  };
  const interests = {
    ascending: market.interest,
    own: listing !== null && hasViews(listing) ? interestIn(listing) : null,
  };
  const interest = dailyInterest(views, saves, days);
  const advantage = askedPpa === null ? null : priceAdvantage(askedPpa, prices);
  const traction = tractionScore(interest, interests);
  const { bucket, medianDays, sales } = market.timeToSell(acres);
  const freshness = freshnessOf(days, medianDays);
  const score = gradeScore({ priceAdvantage: advantage, traction, freshness });
  const spendCents = DEAL_COSTS.reduce((sum, name) => sum + toCents(deal[name] ?? '0'), 0n);
  const like = market.like(acres ?? 0, prices.own);
  const competitiveCents = acres === null ? null : competitivePrice(acres, like.others);
  const expectedCents = deal.expected_sell_price === null ? null : toCents(deal.expected_sell_price);
  const advised =
    deal.status === 'listed'
      ? adviceOf({ facts, cents, expectedCents, spendCents, lot, like }, market)
      : undefined;
  return {
    traction_score: traction,
    price_advantage: advantage,
    listing_grade: listingGrade(score),
    suggested_action: advised?.advice.action ?? '',
    suggested_action_price: shown(advised?.advice.cents ?? null),
    advice: advised?.record ?? null,
    figures: {
      as_of: market.asOf,
      bucket,
      median_days_on_market: medianDays,
      sales,
      active_listings: countPeers(prices),
      dearer_listings: askedPpa === null ? null : countPricedHigher(askedPpa, prices),
      listings_with_views: countPeers(interests),
      price_per_acre: rounded(askedPpa),
      interest: rounded(interest),
      freshness: rounded(freshness),
      score: rounded(score),
      competitive_price: shown(competitiveCents),
      mean_adjusted_price: shown(big(lot?.adjusted)),
      low_price: shown(big(lot?.low)),
      high_price: shown(big(lot?.high)),
      total_spend: fromCents(spendCents),
      reason: advised?.advice.reason ?? '',
    },
  };
}
