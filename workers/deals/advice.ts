import { dollars, fromCents, profitSentence } from '../../shared/deals/deal-terms.ts';
import {
  type Advice,
  countPeers,
  countPricedHigher,
  perAcre,
  priceAdvantage,
  suggestedAction,
} from '../../shared/kernels/deal-grade.ts';
import { narrowestBucket, sizes } from '../../shared/model/buckets.ts';
import type { Market, PeerListings } from './deal-market.ts';
import type { DealLot, ListingFacts } from './find-listings.ts';

/** As the API returns it: amounts are decimals in USD. */
export type AdviceRecord = {
  text: string;
  like_listings: number;
  like_advantage: number | null;
  valuation_counts: boolean;
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

type Valuation = { lowCents: bigint; highCents: bigint; meanCents: bigint };

/** If the listing's and the parcel's acreages differ by more than this share, they aren't the same land. */
const MAX_ACREAGE_DIFFERENCE = 0.25;

/** The parcel's valuation, if the listing and the parcel are the same land. */
function valuationOf({ facts, lot }: AdviceSubject): Valuation | null {
  if (!lot?.supported || lot.low === null || lot.high === null || lot.adjusted === null) return null;
  if (!isSameLand(facts, lot)) return null;
  return { lowCents: BigInt(lot.low), highCents: BigInt(lot.high), meanCents: BigInt(lot.adjusted) };
}

const isSameLand = ({ acreage }: ListingFacts, { acres }: DealLot): boolean =>
  acreage !== null && acres !== null && Math.abs(acreage - acres) <= MAX_ACREAGE_DIFFERENCE * acres;

/** The advice, its reasons, and its effect on the profit. */
export function adviceOf(deal: AdviceSubject, market: Market): { advice: Advice; record: AdviceRecord } {
  const { facts, cents, expectedCents, spendCents, like } = deal;
  const { acreage: acres, days } = facts;
  const valuation = valuationOf(deal);
  const { medianDays } = market.timeToSell(acres);
  const advice = suggestedAction({
    days,
    medianDays,
    cents,
    acres,
    like: like.others,
    valuation,
    spendCents,
  });
  const soldFor = expectedCents ?? cents ?? 0n;
  const now = soldFor - spendCents;
  // A lot does not sell for more than its asking price.
  const then = advice.cents !== null && advice.cents < soldFor ? advice.cents - spendCents : now;
  const ppa = cents === null || acres === null ? null : perAcre(cents, acres);
  const sentences = [
    reasonOf(advice, deal, ppa, medianDays, valuation),
    estimateOf(advice, deal, valuation),
    profitSentence(now, then),
  ];
  return {
    advice,
    record: {
      text: sentences.filter(Boolean).join(' '),
      like_listings: countPeers(like.others),
      like_advantage: ppa === null ? null : priceAdvantage(ppa, like.others),
      valuation_counts: valuation !== null,
      profit_now: fromCents(now),
      profit_then: fromCents(then),
    },
  };
}

function reasonOf(
  { cents: price, reason }: Advice,
  { facts: { acreage, days }, spendCents, like }: AdviceSubject,
  ppa: number | null,
  medianDays: number,
  valuation: Valuation | null,
): string {
  const share = ppa === null ? '' : pricedHigher(countPricedHigher(ppa, like.others), like, acreage);
  const drop = price === null ? '' : `Drop the price to ${dollars(price)}`;
  switch (reason) {
    case 'dearer_than_others':
      return `${drop}: only ${share}, and it has been listed for ${days} days, over half of the usual ${medianDays}.`;
    case 'above_value':
      return `${drop}: the list price is above ${wholeDollars(valuation!.highCents)}, the high end of its estimated range.`;
    case 'long_and_cheap':
      return `Relist at the same price: it has been listed for ${days} days, over twice the usual ${medianDays}, although ${share}.`;
    case 'no_lower_price': {
      const low = valuation?.lowCents ?? 0n;
      const floor =
        low > spendCents
          ? `${wholeDollars(low)}, the low end of its estimated range`
          : `the ${dollars(spendCents)} that you have spent`;
      return `Hold the price: ${share}, but a price low enough to help would be below ${floor}.`;
    }
    case 'no_like_listings':
      return 'Hold the price: no other active listing in the county reports its price and acreage.';
    case 'no_price':
      return 'Hold: the deal needs a price and an acreage to be compared with others.';
    case 'no_reason':
      return `Hold the price: ${share}${days === null ? '' : `, and it has been listed for ${days} of the usual ${medianDays} days`}.`;
  }
}

/** How the price compares with the estimate, or why the estimate isn't used. */
function estimateOf(
  { reason }: Advice,
  { facts, cents, lot }: AdviceSubject,
  valuation: Valuation | null,
): string {
  if (lot === undefined || lot.adjusted === null || cents === null) return '';
  if (!isSameLand(facts, lot))
    return facts.acreage === null || lot.acres === null
      ? ''
      : `The estimated value isn't used, because the listing has ${acresOf(facts.acreage)} and the parcel ${acresOf(lot.acres)}.`;
  if (valuation === null) return "The estimated value isn't used, because few similar sales are nearby.";
  if (reason === 'above_value' || valuation.meanCents <= 0n || cents >= valuation.meanCents) return '';
  const below = Math.round(100 * (1 - Number(cents) / Number(valuation.meanCents)));
  return `The list price is ${below}% below the estimated value of ${wholeDollars(valuation.meanCents)}.`;
}

/** Rounded, because estimates are not precise to the cent. */
const wholeDollars = (cents: bigint): string => dollars(((cents + 50n) / 100n) * 100n);

const acresOf = (acres: number): string => `${Number(acres.toFixed(2))} ${acres === 1 ? 'acre' : 'acres'}`;

/** "1 of 14 similar-size listings is priced higher per acre". */
function pricedHigher(higher: number, like: PeerListings, acres: number | null): string {
  return `${higher} of ${listingsOf(like, acres)} ${higher === 1 ? 'is' : 'are'} priced higher per acre`;
}

function listingsOf({ of, others }: PeerListings, acres: number | null): string {
  const count = countPeers(others).toLocaleString('en-US');
  if (of === 'county') return `${count} other listings in the county`;
  if (of === 'size') return `${count} similar-size listings`;
  return `${count} other listings of ${sizes(narrowestBucket(acres!)!.label)}`;
}
