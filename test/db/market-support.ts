import { uuidV5 } from '../../shared/model/uuid.ts';
import type { TestDb } from '../support/test-db.ts';

export type TestListing = {
  status: 'ACTIVE' | 'PENDING' | 'SOLD' | 'OFF_MARKET';
  acres: number | null;
  price: number;
  fips?: number | null;
  zip?: string;
  listed?: string;
  changed?: string;
  sold?: string;
  dom?: number;
  feed?: number;
};

/**
 * Keeps the regions of these tests alone: reading 44,000 for each recompute of everything takes
 * most of their time.
 */
export async function keepFewRegions(pool: TestDb): Promise<void> {
  for (const table of ['region_stats', 'regions']) {
    await pool.query(
      `delete from ${table} where not ((type = 'county' and code in ('33019', '33005', '23019')) or (type = 'zip' and code = '03280'))`,
    );
  }
}

/** A feed of listings; `asOf` for a snapshot. Returns its id. */
export async function addFeed(pool: TestDb, name: string, asOf: string | null): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    "insert into feeds (name, kind, definition, as_of) values ($1, 'listings', '{}', $2) returning id",
    [name, asOf],
  );
  return rows[0]!.id;
}

let serial = 0;

/** Adds listings, as an ingestion leaves them: in county 33019 and ZIP 03280 unless they say otherwise. */
export async function addListings(
  pool: TestDb,
  feed: number,
  listings: readonly TestListing[],
): Promise<void> {
  for (const { status, acres, price, fips = 33_019, zip = '03280', ...more } of listings) {
    const sourceId = String(++serial);
    await pool.query(
      `insert into listings (id, feed_id, source, source_id, status, zip, fips, lot_acres, price, listed_date, status_date,
         sold_date, days_on_market, row_hash, created_run, changed_run)
       values ($1, $2, 'test', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $1, 1, 1)`,
      [
        uuidV5(`listing:test\u0000${sourceId}`),
        more.feed ?? feed,
        sourceId,
        status,
        zip,
        fips,
        acres,
        price,
        more.listed ?? null,
        more.changed ?? null,
        more.sold ?? null,
        more.dom ?? null,
      ],
    );
  }
}

export async function mark(pool: TestDb, ...regions: [type: string, code: string][]): Promise<void> {
  for (const region of regions) {
    await pool.query(
      `insert into stats_dirty (type, code) values ($1, $2)
       on conflict (type, code) do update set marked_at = excluded.marked_at`,
      region,
    );
  }
}

/** The regions that are marked, as 'county 33019'. */
export async function marks(pool: TestDb): Promise<string[]> {
  const { rows } = await pool.query<{ mark: string }>(
    "select type || ' ' || code as mark from stats_dirty order by 1",
  );
  return rows.map(row => row.mark);
}

export type Stored = {
  body: Buffer;
  etag: string;
  as_of: string | null;
  listings: number;
  computed_at: Date | null;
};

export async function storedStats(pool: TestDb, type: string, code: string): Promise<Stored> {
  const { rows } = await pool.query<Stored>(
    'select body, etag, as_of, listings, computed_at from region_stats where type = $1 and code = $2',
    [type, code],
  );
  return rows[0]!;
}

type Stats = { type: string; data: Record<string, number | null> }[];

/** The `stats` of a stored response. */
export async function statsOf(pool: TestDb, type: string, code: string): Promise<Stats> {
  return JSON.parse((await storedStats(pool, type, code)).body.toString()).stats;
}
