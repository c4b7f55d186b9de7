import { dollars, fromCents, MAX_CENTS, profitSentence } from '../../shared/deals/deal-terms.ts';
import {
  type DealProblem,
  type DealValuation,
  problemSentence,
  valuationOf,
} from '../../shared/deals/deal-valuation.ts';
import {
  type Advice,
  countPeers,
  countPricedHigher,
  maxOf,
  perAcre,
  priceAdvantage,
  stepAbove,
  suggestedAction,
  type ValueRange,
} from '../../shared/kernels/deal-grade.ts';
import { narrowestBucket, sizes } from '../../shared/model/buckets.ts';
import type { Market, PeerListings, TimeToSell } from './deal-market.ts';
import type { DealLot, ListingFacts } from './find-listings.ts';

/** As the API returns it: amounts are decimals in USD. */
export type AdviceRecord = {
  text: string;
  action: Advice['action'];
  price: string | null;
  like_listings: number;
  like_advantage: number | null;
  valuation_counts: boolean;
  valuation_problems: DealProblem[];
  profit_now: string;
  profit_then: string;
};

export type AdviceSubject = {
  facts: ListingFacts;
  /** The asking price today, and the expected sale price. */
  cents: bigint | null;
  expectedCents: bigint | null;
  spendCents: bigint;
  lot: DealLot | undefined;
  like: PeerListings;
};

/** The advice, its reasons, and its effect on the profit. */
export function adviceOf(deal: AdviceSubject, market: Market): { advice: Advice; record: AdviceRecord } {
  const { facts, cents, spendCents, lot, like } = deal;
  const { acreage: acres, days } = facts;
  const valuation = valuationOf(lot, acres);
  const time = market.timeToSell(acres);
  const advice = suggestedAction({
    days,
    medianDays: time.medianDays,
    cents,
    acres,
    like: like.others,
    valuation: valuation.counts,
    spendCents,
  });
  const [now, then] = profitsOf(deal, advice);
  const ppa = cents === null || acres === null ? null : perAcre(cents, acres);
  const sentences = [
    reasonOf(advice, deal, ppa, time, valuation.counts),
    estimateOf(advice, deal, valuation),
    profitSentence(now, then),
  ];
  return {
    advice,
    record: {
      text: sentences.filter(Boolean).join(' '),
      action: advice.action,
      price: advice.cents === null || advice.cents > MAX_CENTS ? null : fromCents(advice.cents),
      like_listings: countPeers(like.others),
      like_advantage: ppa === null ? null : priceAdvantage(ppa, like.others),
      valuation_counts: valuation.counts !== null,
      valuation_problems: valuation.problems,
      profit_now: fromCents(now),
      profit_then: fromCents(then),
    },
  };
}

/** The profit today, and the profit if the user follows the advice and the lot sells at the new price. */
function profitsOf(
  { cents, expectedCents, spendCents }: AdviceSubject,
  advice: Advice,
): [now: bigint, then: bigint] {
  const soldFor = expectedCents ?? cents ?? 0n;
  const now = soldFor - spendCents;
  // The user's expected sale price stays. Without one, a lot sells at its asking price.
  if (advice.action === 'raise') return [now, expectedCents === null ? advice.cents! - spendCents : now];
  // A lot doesn't sell for more than its asking price.
  const then = advice.cents !== null && advice.cents < soldFor ? advice.cents - spendCents : now;
  return [now, then];
}

function reasonOf(
  { cents: price, reason }: Advice,
  { facts: { acreage, days }, cents, spendCents, like }: AdviceSubject,
  ppa: number | null,
  { medianDays, sales }: TimeToSell,
  range: ValueRange | null,
): string {
  const higher = ppa === null ? 0 : countPricedHigher(ppa, like.others);
  const share = ppa === null ? '' : pricedHigher(higher, like, acreage);
  const few = higher === 0 ? share : `only ${share}`;
  // Without sales of this size, the time to sell is an assumption.
  const usual = `${sales === 0 ? 'assumed' : 'usual'} ${medianDays}`;
  const drop = price === null ? '' : `Drop the price to ${dollars(price)}`;
  switch (reason) {
    case 'dearer_than_others':
      return `${drop}: ${few}, and this lot has been listed for ${days} days, over half of the ${usual}.`;
    case 'above_value':
      return `${drop}: the list price is above ${wholeDollars(range!.highCents)}, the high end of the estimated range.`;
    case 'below_value':
      return `Raise the price to ${dollars(price!)}: the list price is below ${wholeDollars(range!.lowCents)}, the low end of the estimated range.`;
    case 'long_and_cheap':
      return `Relist at the same price: this lot has been listed for ${days} days, over twice the ${usual}, although ${share}.`;
    case 'not_above_estimate':
      return `Hold the price: the list price is ${comparedTo(range!.meanCents, cents!)}, so Plat advises no drop. ${capitalized(few)}.`;
    case 'no_valuation':
      return `Hold the price: Plat advises a lower price only when it has a usable estimate. ${capitalized(few)}.`;
    case 'no_lower_price':
      return `Hold the price: ${obstacleOf(cents!, spendCents, range!)}. ${capitalized(share)}.`;
    case 'no_like_listings':
      return 'Hold the price: no other active listing in the county reports its price and acreage.';
    case 'no_price':
      return 'Hold: the deal needs a price and an acreage to be compared with others.';
    case 'no_reason':
      return days === null
        ? `Hold the price: ${share}.`
        : `Hold the price: this lot has been listed for ${days} of the ${usual} days. ${capitalized(share)}.`;
  }
}

/** Why no lower price helps: it would fall short of a floor, or the price is already competitive. */
function obstacleOf(cents: bigint, spendCents: bigint, { meanCents, highCents }: ValueRange): string {
  if (stepAbove(maxOf(meanCents, spendCents)) < cents)
    return `it is already competitive, although it is above ${wholeDollars(highCents)}, the high end of the estimated range`;
  const floor =
    spendCents > meanCents
      ? `the ${dollars(spendCents)} that you have spent`
      : `the estimated value of ${wholeDollars(meanCents)}`;
  return `a price $100 lower would be below ${floor}`;
}

/** How the price compares with the estimate, or why the estimate isn't used. */
function estimateOf(
  { reason }: Advice,
  { facts, cents, lot }: AdviceSubject,
  { problems, counts }: DealValuation,
): string {
  if (cents === null) return '';
  if (counts === null) return problemSentence(problems, facts.acreage, lot, reason === 'no_valuation');
  const { meanCents } = counts;
  // The reason already compares the price with the estimate.
  if (meanCents <= 0n || reason === 'not_above_estimate') return '';
  return `The list price is ${comparedTo(meanCents, cents)}.`;
}

/** "41% below the estimated value of $59,163". */
function comparedTo(meanCents: bigint, cents: bigint): string {
  const percent = meanCents <= 0n ? 0 : Math.round(100 * (Number(cents) / Number(meanCents) - 1));
  const place = percent === 0 ? 'about' : `${Math.abs(percent)}% ${percent < 0 ? 'below' : 'above'}`;
  return `${place} the estimated value of ${wholeDollars(meanCents)}`;
}

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** Rounded, because estimates are not precise to the cent. */
const wholeDollars = (cents: bigint): string => dollars(((cents + 50n) / 100n) * 100n);

/** "1 of 14 similar-size listings is priced higher per acre after adjusting for size". */
function pricedHigher(higher: number, like: PeerListings, acres: number | null): string {
  const some = higher === 0 ? 'none of the' : `${higher} of`;
  return `${some} ${listingsOf(like, acres)} ${higher <= 1 ? 'is' : 'are'} priced higher per acre after adjusting for size`;
}

function listingsOf({ of, others }: PeerListings, acres: number | null): string {
  const count = countPeers(others).toLocaleString('en-US');
  if (of === 'county') return `${count} other listings in the county`;
  if (of === 'size') return `${count} similar-size listings`;
  return `${count} other listings of ${sizes(narrowestBucket(acres!)!.label)}`;
}
