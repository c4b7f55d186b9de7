import type { Db } from '../platform/db.ts';

/** The current version of each board. */
export const readBoardVersions = (
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; version: number }[]> =>
  db.run<{ id: string; version: number }>('deals/read_versions', { ids });

export type LiveListing = {
  id: string;
  address: string;
  city: string;
  state: string;
  county: string;
  apn: string;
  acres: number | null;
  price: string;
};

/** Finds live listings by the start of their address, or by parcel number. */
export const findLiveListings = (
  db: Db,
  values: { pattern: string | null; apn: string; fips: number | null; zip: string | null },
): Promise<LiveListing[]> => db.run<LiveListing>('deals/find_live', values);

export type ListingFacts = { source: string; listed_date: string | null; price: number | null };

/** What the source says about a listing. */
export async function findListingFacts(db: Db, id: string): Promise<ListingFacts | undefined> {
  return (await db.run<ListingFacts>('deals/get_listing', { id }))[0];
}
