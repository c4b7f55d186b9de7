import { isDeepStrictEqual } from 'node:util';
import { type FetchStatus, fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import { dayOf, isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../shared/platform/db.ts';
import { type Listing, type Market, readMarket } from './deal-market.ts';
import {
  type DealLot,
  factsOf,
  findLots,
  isLive,
  type ListingFacts,
  type ListingQuery,
  readLots,
} from './find-listings.ts';
import { type Costs, type Grade, gradeDeal } from './grade-deals.ts';
import type { ProviderListing } from './listing-provider.ts';

type Row = ListingQuery &
  Costs &
  Omit<Grade, 'figures'> & {
    id: string;
    board_id: string;
    status: string;
    fetch_status: FetchStatus;
    own_price: string | null;
    own_price_over: string | null;
    own_price_since: string | null;
  };

export type RefreshResult = { deals: number; found: number; changed: number };

export type RefreshScope = { deal: string } | { fips: number };

/**
 * Finds the live listings of deals, grades them, and writes advice, in one transaction that locks their
 * boards. It can be repeated after a crash at any point.
 * @param fetched the provider's response for a single deal, or undefined if there was no request
 */
export function refreshDeals(
  db: Db,
  which: RefreshScope,
  fetched?: ProviderListing | FetchStatus,
): Promise<RefreshResult> {
  return db.transaction(async tx => {
    const scope = 'deal' in which ? { deal_id: which.deal, fips: null } : { deal_id: null, fips: which.fips };
    await tx.run('deals/lock_boards', scope);
    const rows = await tx.run<Row>('deals/list_unfinished', scope);
    if (rows.length === 0) return { deals: 0, found: 0, changed: 0 };
    const named = await readNamed(tx, rows);
    const fips = 'fips' in which ? which.fips : countyOf(rows[0]!, named, fetched);
    const market = await readMarket(tx, fips);
    await placeDeals(tx, fips, rows, named);
    const lots = await readLots(
      tx,
      fips,
      rows.flatMap(({ property_id }) => property_id ?? []),
    );
    const stored = rows.map(row => refreshed(row, named, lots, market, fips, fetched));
    const changed = rows.filter((row, at) => hasChanged(row, stored[at]!));
    const cause = 'deal' in which ? 'fetched' : 'market';
    await tx.run('deals/sign_changes', { author: 'plat', cause });
    await tx.run('deals/store_found', { rows: JSON.stringify(stored) });
    const boards = [...new Set(changed.map(({ board_id }) => board_id))];
    if (boards.length > 0) await tx.run('deals/touch_boards', { board_ids: boards });
    const found = stored.filter(({ fetch_status }) => fetch_status === 'found').length;
    return { deals: rows.length, found, changed: changed.length };
  });
}

type ListingIndex = { byId: Map<string, Listing>; byUrl: Map<string, Listing> };

async function readNamed(db: Db, rows: readonly Row[]): Promise<ListingIndex> {
  const ids = rows.flatMap(({ listing_id }) => listing_id ?? []);
  const urls = rows.flatMap(({ listing_url }) => listing_url ?? []);
  const today = isoDay(utcDay(Date.now()));
  const found = await db.run<Listing>('deals/find_listings', { ids, urls, today });
  // Reversed, so that the first listing (live and newest) wins.
  const byUrl = new Map(found.toReversed().map(listing => [listing.url, listing]));
  return { byId: new Map(found.map(listing => [listing.id, listing])), byUrl };
}

const namedBy = ({ listing_id, listing_url }: Row, { byId, byUrl }: ListingIndex): Listing | undefined =>
  (listing_id === null ? undefined : byId.get(listing_id)) ??
  (listing_url === null ? undefined : byUrl.get(listing_url));

function countyOf(
  row: Row,
  named: ListingIndex,
  fetched: ProviderListing | FetchStatus | undefined,
): number | null {
  const fetchedFips = typeof fetched === 'object' ? fetched.fips : null;
  return row.fips ?? namedBy(row, named)?.fips ?? fetchedFips;
}

async function placeDeals(
  db: Db,
  fips: number | null,
  rows: readonly Row[],
  named: ListingIndex,
): Promise<void> {
  const open = rows.filter(row => row.property_id === null);
  const listings = open.flatMap(row => namedBy(row, named) ?? []);
  const lots = await findLots(db, fips, listings);
  for (const row of open) row.property_id = lots.get(namedBy(row, named)?.id ?? '') ?? null;
}

type RefreshedRow = ReturnType<typeof refreshed>;

/** A row of deals/store_found. */
function refreshed(
  row: Row,
  named: ListingIndex,
  lots: ReadonlyMap<number, DealLot>,
  market: Market,
  fips: number | null,
  fetched: ProviderListing | FetchStatus | undefined,
) {
  const lot = row.property_id === null ? undefined : lots.get(row.property_id);
  const other = namedBy(row, named);
  // The listing as of the market's date.
  const own = other && (market.live.get(other.id) ?? other);
  const facts = factsOf(row, own, lot, market, fetched);
  const listed = facts.cents === null ? null : fromCents(facts.cents);
  // The user's own price applies until the listing's price changes.
  const isOwn = row.own_price !== null && isSameAmount(row.own_price_over, listed);
  const price = isOwn ? row.own_price : listed;
  const seen = facts.status === 'found';
  // A price set while the lot was listed ends with the listing. A price set without a listing stands in for
  // one.
  const since = isOwn && !seen ? row.own_price_since : null;
  const graded = seen
    ? facts
    : since !== null && facts.acreage !== null
      ? unlistedFacts(facts, since)
      : undefined;
  const grade = graded
    ? gradeDeal(row, graded, price === null ? null : toCents(price), lot, market)
    : ungraded(row, facts, lot, market);
  return {
    id: row.id,
    fetch_status: facts.status,
    // For a provider's response, this is the time it arrived, which determines when Plat requests it again.
    seen_at: facts.listing !== null || typeof fetched === 'object' ? new Date() : row.seen_at,
    property_id: row.property_id,
    listing_id: facts.listing !== null && isLive(facts.listing) ? facts.listing.id : row.listing_id,
    fips,
    address: facts.address,
    county: facts.county,
    state: facts.state,
    acreage: facts.acreage,
    listed_price: listed,
    own_price: isOwn ? row.own_price : null,
    own_price_over: isOwn ? row.own_price_over : null,
    own_price_since: since,
    days_on_market: (graded ?? facts).days,
    views: facts.views,
    saves: facts.saves,
    ...grade,
  };
}

/** The facts about a lot that is for sale without a listing. It has no views or saves. */
function unlistedFacts(facts: ListingFacts, since: string): ListingFacts {
  return { ...facts, days: utcDay(Date.now()) - dayOf(since), views: null, saves: null };
}

/** A lot that isn't for sale keeps its scores. Its figures are those of the parcel and the market. */
function ungraded(row: Row, facts: ListingFacts, lot: DealLot | undefined, market: Market): Grade {
  const { traction_score, price_advantage, listing_grade } = row;
  const unlisted = { ...facts, days: null, views: null, saves: null };
  return {
    traction_score,
    price_advantage,
    listing_grade,
    suggested_action: '',
    suggested_action_price: null,
    advice: null,
    figures:
      facts.acreage === null ? null : gradeDeal({ ...row, status: '' }, unlisted, null, lot, market).figures,
  };
}

const isSameAmount = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : toCents(a) === toCents(b);

/** Whether the card on the board would look different. */
function hasChanged(row: Row, stored: RefreshedRow): boolean {
  const { id: _id, seen_at: _seen, figures: _figures, ...shown } = stored;
  return Object.entries(shown).some(([name, value]) => !isDeepStrictEqual(row[name as keyof Row], value));
}
