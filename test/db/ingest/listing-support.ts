import { join } from 'node:path';
import { all, feedOf, ingest, one, writeObjects } from '../../support/ingest.ts';
import type { TestDb } from '../../support/test-db.ts';

const FIELDS = [
  'source_id',
  'status',
  'address',
  'city',
  'state',
  'zip',
  'county',
  'fips',
  'apn',
  'latitude',
  'longitude',
  'lot_acres',
  'list_price',
  'sold_price',
  'listed_date',
  'status_date',
  'sold_date',
  'days_on_market',
  'sale_type',
  'url',
  'photos',
];
export const COLUMNS = Object.fromEntries(FIELDS.map(field => [field, { column: field, optional: true }]));

let feeds = 0;

/** A listing feed of its own, runs of it over given rows, and what became of them. */
export function listingFeed(
  pool: TestDb,
  folder: string,
  { asOf, ...options }: { snapshot?: boolean; asOf?: string } = {},
) {
  const name = `listings-${++feeds}`;
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    ...(asOf === undefined ? {} : { as_of: asOf }),
    listings: { source: `${name}.ndjson`, format: 'ndjson', columns: COLUMNS, ...options },
    gates: {
      max_row_drop_percent: 100,
      max_key_drop_percent: 100,
      max_reject_percent: 100,
      empty_columns: false,
    },
  });
  return {
    name,
    run(rows: Record<string, unknown>[], day = feed.asOf) {
      writeObjects(join(folder, `${name}.ndjson`), rows);
      return ingest(pool, { ...feed, asOf: day });
    },
    stored: (id: string) =>
      one(pool, 'select * from listings where source = $1 and source_id = $2', [name, id]),
    history: (id: string) =>
      all(
        pool,
        `select e.status, e.price::float8 as price, e.status_date from listing_events e join listings l on l.id = e.listing_id
         where l.source = $1 and l.source_id = $2 order by e.run_id`,
        [name, id],
      ),
    inventory: async () =>
      (
        await all<{ source_id: string }>(
          pool,
          "select source_id from listings where source = $1 and status in ('ACTIVE', 'PENDING') order by 1",
          [name],
        )
      ).map(row => row.source_id),
  };
}

export const row = (id: string, more: Record<string, unknown> = {}) => ({
  source_id: id,
  status: 'ACTIVE',
  list_price: 50_000,
  state: 'NH',
  zip: '03280',
  fips: '33019',
  lot_acres: 2,
  status_date: '2025-01-01',
  ...more,
});
