import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRetryable } from '../../shared/platform/errors.ts';
import { recomputeMarketDailyJob } from '../../workers/market/recompute-market-daily-job.ts';
import { recomputeMarketJob } from '../../workers/market/recompute-market-job.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { createTestDatabase, lockAsks } from '../support/database.ts';
import { eventually, jobContext } from '../support/workers.ts';
import { addFeed, addListings, keepFewRegions, mark, marks, statsOf, storedStats } from './market-support.ts';

const db = await createTestDatabase({}, { regions: true });
const { pool } = db;
await keepFewRegions(pool);
const feed = await addFeed(pool, 'living', null);

const COUNTY: [string, string] = ['county', '33019'];
const ZIP: [string, string] = ['zip', '03280'];
const BANGOR: [string, string] = ['county', '23019'];

const forSale = (fips: number | null, zip: string, price = 60_000) =>
  addListings(pool, feed, [{ status: 'ACTIVE', acres: 6, price, fips, zip }]);

const activeIn = async (type: string, code: string) => (await statsOf(pool, type, code))[0]?.data.Active ?? 0;

/** Runs `body` before each update of a row of region_stats. */
async function beforeUpdate(body: string): Promise<void> {
  await pool.query(`
    create or replace function test_before_update() returns trigger language plpgsql as
      $$ begin ${body}; return new; end $$;
    create or replace trigger test_before_update before update on region_stats
      for each row execute function test_before_update()`);
}

/** Holds up what a trigger does with HELD. @returns what lets it go on */
async function hold(): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('select pg_advisory_lock(1)');
  return async () => {
    await client.query('select pg_advisory_unlock(1)');
    client.release();
  };
}
const HELD = 'perform pg_advisory_xact_lock_shared(1)';

/** Waits until a recompute is held up; its process id. */
function heldUp(): Promise<number> {
  return eventually(async () => {
    const { rows } = await pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
    );
    return rows[0]?.pid;
  });
}

beforeEach(async () => {
  await pool.query('truncate listings, listing_events, stats_dirty');
  await recomputeStats(pool, { all: true });
});

afterEach(() => pool.query('drop trigger if exists test_before_update on region_stats'));

describe('marked regions', () => {
  test('are the only ones that a drain computes, and their marks are removed', async () => {
    await forSale(33_019, '03280');
    await forSale(23_019, '');
    await mark(pool, COUNTY, ZIP);
    expect(await recomputeStats(pool, { dirty: true })).toMatchObject({
      regions: 2,
      changed: 2,
      listings: 1,
      unknown: 0,
    });
    expect(await marks(pool)).toEqual([]);
    expect([await activeIn(...COUNTY), await activeIn(...ZIP), await activeIn(...BANGOR)]).toEqual([1, 1, 0]);
    expect(await recomputeStats(pool, { dirty: true })).toMatchObject({ regions: 0, listings: 0 });
  });

  test('lose their marks to every scope that covers them', async () => {
    await mark(pool, COUNTY, ZIP, BANGOR);
    // A county takes its ZIPs along.
    await recomputeStats(pool, { fips: 33_019 });
    expect(await marks(pool)).toEqual(['county 23019']);
    await recomputeStats(pool, { all: true });
    expect(await marks(pool)).toEqual([]);
  });

  test("that don't exist are skipped, counted, and unmarked", async () => {
    await forSale(33_019, '03280');
    await mark(pool, COUNTY, ['county', '99999'], ['zip', 'ABC'], ['planet', '00001']);
    expect(await recomputeStats(pool, { dirty: true })).toMatchObject({ regions: 1, changed: 1, unknown: 3 });
    expect(await marks(pool)).toEqual([]);
  });

  test('keep a mark that was set again while they were computed', async () => {
    await forSale(33_019, '03280');
    await mark(pool, COUNTY);
    await beforeUpdate(HELD);
    const release = await hold();
    const running = recomputeStats(pool, { dirty: true });
    await heldUp();
    await forSale(33_019, '03280');
    await mark(pool, COUNTY);
    await release();
    await running;
    expect(await activeIn(...COUNTY)).toBe(1);
    expect(await marks(pool)).toEqual(['county 33019']);
    await recomputeStats(pool, { dirty: true });
    expect(await activeIn(...COUNTY)).toBe(2);
    expect(await marks(pool)).toEqual([]);
  });

  test('keep row and mark when the worker dies between writing and committing; the next run completes', async () => {
    await forSale(33_019, '03280');
    await mark(pool, COUNTY, ZIP);
    const before = await storedStats(pool, ...COUNTY);
    await beforeUpdate(HELD);
    const release = await hold();
    const running = recomputeStats(pool, { dirty: true }).catch((error: unknown) => error);
    await pool.query('select pg_terminate_backend($1)', [await heldUp()]);
    expect(isRetryable(await running)).toBe(true);
    await release();
    expect(await storedStats(pool, ...COUNTY)).toEqual(before);
    expect(await marks(pool)).toEqual(['county 33019', 'zip 03280']);

    await pool.query('drop trigger test_before_update on region_stats');
    expect(await recomputeStats(pool, { dirty: true })).toMatchObject({ changed: 2 });
    expect(await marks(pool)).toEqual([]);
  });

  test('keep row and mark when the worker dies between two batches', async () => {
    await forSale(33_019, '03280');
    await mark(pool, COUNTY, ZIP);
    // The first region is written by itself, for the two together fail; the worker dies over the second.
    await beforeUpdate(`
      if new.type = 'zip' then
        if exists (select from stats_dirty where type = 'county') then raise exception 'not together';
        else ${HELD};
        end if;
      end if`);
    const release = await hold();
    const running = recomputeStats(pool, { dirty: true }).catch((error: unknown) => error);
    await pool.query('select pg_terminate_backend($1)', [await heldUp()]);
    expect(isRetryable(await running)).toBe(true);
    await release();
    expect([await activeIn(...COUNTY), await activeIn(...ZIP)]).toEqual([1, 0]);
    expect(await marks(pool)).toEqual(['zip 03280']);
  });
});

describe('a region that fails', () => {
  beforeEach(async () => {
    await forSale(33_019, '03280');
    await forSale(23_019, '');
    await mark(pool, COUNTY, ZIP, BANGOR);
    await beforeUpdate("if new.code = '23019' then raise exception 'disk of Bangor is full'; end if");
  });

  test('keeps its row and its mark while the others are written', async () => {
    const before = await storedStats(pool, ...BANGOR);
    expect(await recomputeStats(pool, { dirty: true })).toMatchObject({
      regions: 3,
      changed: 2,
      failed: [{ type: 'county', code: '23019', message: 'disk of Bangor is full' }],
    });
    expect(await storedStats(pool, ...BANGOR)).toEqual(before);
    expect([await activeIn(...COUNTY), await activeIn(...ZIP)]).toEqual([1, 1]);
    expect(await marks(pool)).toEqual(['county 23019']);
  });

  test('fails the job, which says which region and may be retried', async () => {
    const context = jobContext(pool, db.config);
    const payload = { scope: { dirty: true as const } };
    await expect(recomputeMarketJob.run(context, payload)).rejects.toMatchObject({
      code: 'market_stats',
      retryable: true,
      message: expect.stringContaining('county 23019: disk of Bangor is full'),
    });
    await pool.query('drop trigger test_before_update on region_stats');
    expect(await recomputeMarketJob.run(context, payload)).toMatchObject({ rows: 1, changed: 1 });
    expect(await recomputeMarketDailyJob.run(context, {})).toMatchObject({
      rows: 3,
      changed: 0,
    });
  });
});

describe('readers', () => {
  test('never wait and see a complete row, the old or the new', async () => {
    await forSale(33_019, '03280');
    const before = await storedStats(pool, ...COUNTY);
    await beforeUpdate(HELD);
    const release = await hold();
    const running = recomputeStats(pool, { fips: 33_019 });
    await heldUp();
    expect(await storedStats(pool, ...COUNTY)).toEqual(before);
    await release();
    await running;
    expect(await storedStats(pool, ...COUNTY)).not.toEqual(before);
  });

  test('never see the etag of other bytes while rows are rewritten repeatedly', async () => {
    await addListings(pool, feed, [{ status: 'SOLD', acres: 6, price: 60_000, sold: '2025-09-01' }]);
    let running = true;
    const bodies = new Map<string, string>();
    const reader = (async () => {
      while (running) {
        const { body, etag } = await storedStats(pool, ...COUNTY);
        expect(body.toString()).toBe(bodies.get(etag) ?? body.toString());
        bodies.set(etag, body.toString());
      }
    })();
    for (let round = 0; round < 20; round++) {
      await recomputeStats(pool, { fips: 33_019 }, { asOf: round % 2 ? '2025-09-28' : '2025-12-28' });
    }
    running = false;
    await reader;
    expect(bodies.size).toBeGreaterThanOrEqual(2);
    expect(new Set(bodies.values()).size).toBe(bodies.size);
  });
});

test('an older reading never overwrites a newer one: recomputes wait for each other', async () => {
  await forSale(33_019, '03280');
  await beforeUpdate(HELD);
  const release = await hold();
  const first = recomputeStats(pool, { all: true });
  await heldUp();
  await forSale(33_019, '03280');
  const asks = await lockAsks(db);
  const second = recomputeStats(pool, { fips: 33_019 });
  await expect.poll(() => lockAsks(db)).toBeGreaterThan(asks);
  await release();
  await Promise.all([first, second]);
  expect(await activeIn(...COUNTY)).toBe(2);
});

test('the key distinguishes jobs that do different work', () => {
  const key = (payload: unknown) => recomputeMarketJob.key(recomputeMarketJob.payload.parse(payload));
  expect(key({ scope: { fips: 1_001 } })).toBe('county:01001');
  expect(key({ scope: { zip: '01001' } })).toBe('zip:01001');
  expect(key({ scope: { all: true }, asOf: '2025-09-28' })).toBe('all@2025-09-28');
  expect(key({ scope: { dirty: true } })).toBe('dirty');
  expect(recomputeMarketDailyJob.key({})).toBe('daily');
});
