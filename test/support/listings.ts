import type { PlainListing } from './plain-comps.ts';
import type { TestDb } from './test-db.ts';

export type ListingRow = PlainListing & {
  source: string;
  address: string;
  city: string;
  state: string;
  county: string;
  apn: string;
  saleType: string;
  url: string;
};

const NOTHING: Omit<ListingRow, 'id'> = {
  status: 'ACTIVE',
  fips: 33019,
  zip: '03280',
  location: null,
  lotAcres: null,
  price: 0,
  listedDate: null,
  statusDate: null,
  soldDate: null,
  daysOnMarket: null,
  photos: [],
  source: 'test',
  address: '',
  city: '',
  state: '',
  county: '',
  apn: '',
  saleType: '',
  url: '',
};

/** Writes listings as an ingestion stores them. Columns that are not set are unknown. */
export async function insertListings(
  pool: TestDb,
  listings: readonly (Partial<ListingRow> & { id: string })[],
): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into feeds (name, kind, definition) values ('test', 'listings', '{}')
     on conflict (name) do update set kind = excluded.kind returning id`,
  );
  for (const given of listings) {
    const listing = { ...NOTHING, ...given };
    await pool.query(
      `insert into listings (
         id, feed_id, source, source_id, status, address, city, state, zip, county, apn, location, fips, lot_acres, price,
         listed_date, status_date, sold_date, days_on_market, sale_type, url, photos, row_hash, created_run, changed_run
       ) values ($1, $2, $3, $1::uuid::text, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $1, 1, 1)`,
      [
        listing.id,
        rows[0]!.id,
        listing.source,
        listing.status,
        listing.address,
        listing.city,
        listing.state,
        listing.zip,
        listing.county,
        listing.apn,
        listing.location && `(${listing.location.join(',')})`,
        listing.fips,
        listing.lotAcres,
        listing.price,
        listing.listedDate,
        listing.statusDate,
        listing.soldDate,
        listing.daysOnMarket,
        listing.saleType,
        listing.url,
        listing.photos,
      ],
    );
  }
}
