import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../../shared/platform/statements.ts';
import { deleteOldRecordsJob } from '../../../workers/housekeeping/delete-old-records-job.ts';
import type { RunResult } from '../../../workers/ingest/engine/locked-run.ts';
import type { JobContext } from '../../../workers/queue/job.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { all, type Feature, ingestRoll, insertRegions, lot, one, undo } from '../../support/ingest.ts';
import type { TestDb } from '../../support/test-db.ts';

/** A run that is undone leaves nothing behind that a user sees. */

const db = await createTestDatabase();
/** What never had the run. */
const other = await createTestDatabase();
const { pool } = db;

const COLUMNS = {
  apn: 'APN',
  owner_name: 'OWNER',
  mail_address: 'MAIL',
  mail_city: 'TOWN',
  mail_state: 'STATE',
  mail_zip: 'ZIP',
  situs_address: 'SITUS',
  acres: 'ACRES',
  assessed_land_value: 'LAND',
  market_total_value: 'TOTAL',
  last_sale_date: 'SOLD',
  last_sale_price: 'PRICE',
};

const parcel = (n: number, more: Record<string, unknown> = {}, at = n): Feature => ({
  properties: {
    PIN: `P${n}`,
    APN: `10-${n}`,
    OWNER: `OWNER "${n}" \\ 4`,
    MAIL: `${n} Main St`,
    TOWN: n % 2 ? 'Keene' : 'Boston',
    STATE: n % 2 ? 'NH' : 'MA',
    ZIP: n % 2 ? '03431' : '02108',
    SITUS: `${n} Pond Rd`,
    ACRES: n % 3 ? 1.2345678 * n : null,
    LAND: 1_000 * n,
    TOTAL: 9_007_199_254_740_991 - n,
    SOLD: n % 4 ? `2025-0${1 + (n % 6)}-1${n % 10}` : null,
    PRICE: n % 4 ? 10_000 + n : null,
    ...more,
  },
  geometry: n % 7 === 0 ? { type: 'Point', coordinates: [-72.1 - n / 1e4, 43.21] } : lot(at),
});
const parcels = (from: number, to: number, more: Record<string, unknown> = {}): Feature[] =>
  Array.from({ length: to - from }, (_, i) => parcel(from + i, more));

const load = (
  { pool: on, folder }: TestDatabase,
  name: string,
  features: Feature[],
  more: Record<string, unknown> = {},
): Promise<RunResult> =>
  ingestRoll(on, folder, name, features, {
    columns: COLUMNS,
    sales: { label: name, min_price: 1_000, sale_type: 'Land' },
    overlap: 'update',
    gates: {
      max_key_drop_percent: 100,
      max_row_drop_percent: 100,
      max_acreage_off_percent: 100,
      empty_columns: false,
    },
    ...more,
  });

const merged = async (run: Promise<RunResult>): Promise<number> => {
  const { status, runId } = await run;
  expect(status).toBe('merged');
  return runId;
};

/** Everything that is shown of parcels and sales, without the numbers of runs. */
const SHOWN: Record<string, string> = {
  parcels: `select f.name as feed,
      to_jsonb(p) - '{feed_id,created_run,changed_run,row_version,retired_run,retired_at}'::text[] as row
    from parcels p join feeds f on f.id = p.feed_id where p.retired_at is null order by p.property_id`,
  filters: "select to_jsonb(f) - 'row_version' as row from parcel_filters f order by property_id",
  owners: 'select to_jsonb(o) as row from owner_parcels o order by owner_key, property_id',
  coverage: `select to_jsonb(c) - 'feed_ids' as row,
      array(select name from feeds where id = any (c.feed_ids) order by name) as feeds
    from county_coverage c order by fips`,
  assessed: `select to_jsonb(a) as row from assessed_land_values a join parcels p using (fips, property_id)
    where p.retired_at is null order by property_id, as_of`,
  listings: `select f.name as feed, to_jsonb(l) - '{feed_id,created_run,changed_run}'::text[] as row
    from listings l join feeds f on f.id = l.feed_id where l.status <> 'OFF_MARKET' order by l.id`,
  events: `select e.listing_id, e.status, e.price, e.status_date from listing_events e order by 1, 2, 3, 4`,
};

async function shown(on: TestDb): Promise<Record<string, unknown>> {
  const tables = Object.entries(SHOWN).map(async ([name, text]) => [name, await all(on, text)] as const);
  const words = ['owner_words', 'situs_words'].map(async table => {
    const rows = await all<{ fips: number; word: string; serials: Buffer }>(
      on,
      `select fips, word, serials from ${table} order by word, fips`,
    );
    const sorted = rows.map(({ serials, ...row }) => ({
      ...row,
      serials: Array.from({ length: serials.length / 4 }, (_, i) => serials.readInt32BE(4 * i)).sort(
        (a, b) => a - b,
      ),
    }));
    return [table, sorted] as const;
  });
  return Object.fromEntries(await Promise.all([...tables, ...words]));
}

const statusOf = async (run: number) =>
  (await one<{ status: string }>(pool, 'select status from runs where id = $1', [run])).status;

beforeAll(async () => {
  for (const { pool: on } of [db, other])
    await insertRegions(on, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
});

const loadGood = async (on: TestDatabase) => {
  await merged(load(on, 'first', parcels(1, 31)));
  await merged(load(on, 'second', parcels(41, 63)));
  await merged(load(on, 'second', parcels(41, 61)));
};

beforeEach(async () => {
  await pool.query(
    `truncate parcels, parcel_filters, owner_parcels, owner_words, situs_words, county_coverage, county_serials,
       assessed_land_values, changes, listings, listing_events, undo_parcels, undo_listings, runs cascade;
     delete from feeds`,
  );
  await loadGood(db);
});

/** Takes parcels over, changes, moves and removes some, brings some back, and adds others. */
const BAD: Feature[] = [
  ...parcels(21, 26, { OWNER: 'WRONG', LAND: 7, PRICE: 99_000, MAIL: null }),
  ...parcels(26, 31),
  ...parcels(41, 46, { OWNER: 'WRONG', SITUS: null, SOLD: '2025-09-09', PRICE: 5_000 }),
  parcel(46, {}, 900),
  ...parcels(47, 55),
  parcel(61),
  ...parcels(71, 81),
];

describe('an undone run', () => {
  test('leaves the county as if it had never happened', async () => {
    await loadGood(other);
    const before = await shown(other.pool);
    expect(await shown(pool)).toEqual(before);
    const bad = await load(db, 'second', BAD);
    expect(bad).toMatchObject({
      status: 'merged',
      counts: { new: 10, returned: 1, retired: 6, taken_over: 10 },
    });
    expect(await shown(pool)).not.toEqual(before);

    const undone = await undo(pool, bad.runId);
    expect(undone).toMatchObject({
      status: 'merged',
      counts: { new: 0, retired: 11, returned: 6, given_back: 10, rows: 20 },
    });
    expect(await shown(pool)).toEqual(before);
    expect(await statusOf(bad.runId)).toBe('undone');
    expect(
      await one(pool, 'select undoes, forced, requested_by from runs where id = $1', [undone.runId]),
    ).toEqual({ undoes: bad.runId, forced: true, requested_by: 'test' });
    expect(
      await all(pool, 'select distinct run_id from undo_parcels where run_id = $1', [bad.runId]),
    ).toEqual([]);

    // The next files have the same result in both.
    for (const on of [db, other]) {
      await load(on, 'first', parcels(1, 31));
      await merged(load(on, 'second', [...parcels(41, 60), parcel(90)]));
    }
    const [now, then] = [await shown(pool), await shown(other.pool)];
    const places = ({ parcels: rows }: Record<string, unknown>) =>
      (rows as { row: { source_key: string } }[]).map(({ row }) => row.source_key);
    expect(places(now)).toEqual(places(then));
    expect(now.listings).toHaveLength((then.listings as unknown[]).length);
  });

  test('is listed as changes: parcels are updated, retired, and back', async () => {
    const bad = await load(db, 'second', BAD);
    const { runId } = await undo(pool, bad.runId);
    const types = await all(
      pool,
      `select type, count(*)::int as n from changes where run_id = $1 and type like 'parcel.%' group by 1 order by 1`,
      [runId],
    );
    expect(types).toEqual([
      { type: 'parcel.changed', n: 11 },
      { type: 'parcel.retired', n: 11 },
      { type: 'parcel.returned', n: 6 },
    ]);
    const changed = await all<{ fields: { owner_name?: [string, string] } }>(
      pool,
      `select fields from changes where run_id = $1 and type = 'parcel.changed' and fields ? 'owner_name'`,
      [runId],
    );
    expect(changed.map(({ fields }) => fields.owner_name![0])).toEqual(Array(10).fill('WRONG'));
  });

  test("and its undo don't count as updates of the feed", async () => {
    const since = async () =>
      (
        await pool.query<{ feed: string; since: number }>(
          statement('feeds/list_last_good_runs', { scheduled: [] }),
        )
      ).rows;
    const before = await since();
    const bad = await load(db, 'second', BAD);
    expect(await since()).not.toEqual(before);
    await undo(pool, bad.runId);
    expect(await since()).toEqual(before);
  });

  test('is unchanged if its undo is cut off, and can be undone then', async () => {
    const before = await shown(pool);
    const bad = await load(db, 'second', BAD);
    const after = await shown(pool);
    const onStep = (step: string) => {
      if (step === 'commit') throw new Error('cut off');
    };
    await expect(undo(pool, bad.runId, { onStep })).rejects.toThrow('cut off');
    expect(await shown(pool)).toEqual(after);
    expect(await statusOf(bad.runId)).toBe('merged');
    await undo(pool, bad.runId);
    expect(await shown(pool)).toEqual(before);
  });

  test('may be the first of its feed', async () => {
    const before = await shown(pool);
    const run = await merged(load(db, 'third', parcels(21, 101), { overlap: 'replace' }));
    await undo(pool, run);
    expect(await shown(pool)).toEqual(before);
  });

  test('returns keys that parcels had to give up on the way', async () => {
    const one_ = parcels(1, 46);
    await merged(load(db, 'first', one_, { overlap: 'add' }));
    await merged(load(db, 'second', parcels(51, 61)));
    await merged(load(db, 'first', one_, { overlap: 'add' }));
    const keys = () => all(pool, 'select property_id, feed_id, source_key from parcels order by 1');
    const before = await keys();
    const run = await merged(load(db, 'second', parcels(41, 61)));
    expect(await keys()).not.toEqual(before);
    await undo(pool, run);
    expect(await keys()).toEqual(before);
  });
});

describe('the same data', () => {
  test('is not loaded again automatically, but if the run is forced', async () => {
    const bad = await load(db, 'second', BAD);
    const after = await shown(pool);
    await undo(pool, bad.runId);
    const again = await load(db, 'second', BAD);
    expect([again.status, again.blocked.map(({ gate }) => gate)]).toEqual(['blocked', ['undone']]);
    // A row more is no other file.
    const more = await load(db, 'second', [...BAD, parcel(99)]);
    expect(more.blocked.map(({ gate }) => gate)).toEqual(['undone']);
    // What is right in between changes nothing of that.
    expect((await load(db, 'second', parcels(41, 61))).status).toBe('unchanged');
    expect((await load(db, 'second', BAD)).blocked.map(({ gate }) => gate)).toEqual(['undone']);
    expect((await load(db, 'second', BAD, { force: true })).status).toBe('merged');
    expect(((await shown(pool)).parcels as unknown[]).length).toBe((after.parcels as unknown[]).length);
  });

  test('is recognized even after 30 days, until another run is merged', async () => {
    const bad = await load(db, 'second', BAD);
    await undo(pool, bad.runId);
    await pool.query(`update runs set finished_at = finished_at - interval '40 days'`);
    await deleteOldRecordsJob.run({ db: pool } as unknown as JobContext, {});
    expect((await load(db, 'second', BAD)).status).toBe('blocked');
    await merged(load(db, 'second', parcels(41, 60)));
    await merged(load(db, 'second', BAD));
  });
});

describe('an undo is refused', () => {
  const refused = async (run: number, words: string) =>
    expect(undo(pool, run)).rejects.toMatchObject({
      code: 'undo_refused',
      message: expect.stringContaining(words),
    });

  test('if a later run of the feed was merged', async () => {
    const run = await merged(load(db, 'second', BAD));
    const later = await merged(load(db, 'second', parcels(41, 61)));
    await refused(run, `Run ${later} of second`);
    await undo(pool, later);
  });

  test.each([
    ['as they were', parcels(27, 29)],
    ['with other values', parcels(41, 43)],
  ])('when another feed has taken parcels over since, %s', async (_how, taken) => {
    const run = await merged(load(db, 'second', BAD));
    const later = await merged(load(db, 'third', taken));
    const before = await shown(pool);
    await refused(run, `Run ${later} of third`);
    expect(await shown(pool)).toEqual(before);
    expect(await statusOf(run)).toBe('merged');
    await undo(pool, later);
  });

  test('if a key to be returned is taken', async () => {
    const run = await merged(load(db, 'second', BAD));
    const later = await merged(load(db, 'first', parcels(1, 31), { overlap: 'separate' }));
    await refused(run, `Run ${later} of first`);
  });

  test('for a run that changed nothing, that was undone, or that is an undo', async () => {
    const same = await load(db, 'second', parcels(41, 61));
    await refused(same.runId, 'changed nothing');
    const run = await merged(load(db, 'second', BAD));
    const { runId } = await undo(pool, run);
    await refused(run, `by run ${runId}`);
    await refused(runId, `undid run ${run}`);
    await expect(undo(pool, 999_999)).rejects.toMatchObject({ code: 'not_found' });
  });

  test("after 30 days, when the run's changes are deleted", async () => {
    const run = await merged(load(db, 'second', BAD));
    await pool.query(`update runs set finished_at = finished_at - interval '29 days'`);
    await deleteOldRecordsJob.run({ db: pool } as unknown as JobContext, {});
    const kept = () => all<{ run_id: number }>(pool, 'select distinct run_id from undo_parcels');
    expect(await kept()).toEqual([{ run_id: run }]);
    await pool.query(`update runs set finished_at = finished_at - interval '2 days'`);
    await deleteOldRecordsJob.run({ db: pool } as unknown as JobContext, {});
    expect(await kept()).toEqual([]);
    expect(await all(pool, 'select from undo_listings')).toEqual([]);
    await refused(run, '30 days');
  });
});
