import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { METRIC_KEYS } from '../../shared/model/market-metrics.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { createTestDatabase } from '../support/database.ts';
import { ZIP_03280 } from '../support/regions.ts';
import {
  addFeed,
  addListings,
  keepFewRegions,
  statsOf,
  storedStats,
  type TestListing,
} from './market-support.ts';

const db = await createTestDatabase({}, { regions: true });
const { pool } = db;
await keepFewRegions(pool);
const living = await addFeed(pool, 'living', null);

beforeEach(async () => {
  await pool.query('truncate listings, listing_events');
  await recomputeStats(pool, { all: true });
});

const D = '2025-09-28';

const MARKET: TestListing[] = [
  { status: 'ACTIVE', acres: 0.2, price: 20_000 },
  { status: 'ACTIVE', acres: 6, price: 60_000 },
  { status: 'PENDING', acres: 6, price: 45_000 },
  // Within the last month: on D itself, 27 days after listing; the feed's own 100 days win over its dates.
  { status: 'SOLD', acres: 6, price: 30_000, listed: '2025-09-01', sold: D },
  { status: 'SOLD', acres: 8, price: 56_000, listed: '2025-01-01', sold: '2025-08-29', dom: 100 },
  // Exactly one month before D is no longer within it. No days on market are known.
  { status: 'SOLD', acres: 9.99, price: 99_900, sold: '2025-08-28' },
  // 10 acres end one bucket and begin the next.
  {
    status: 'SOLD',
    acres: 10,
    price: 50_000,
    listed: '2024-12-01',
    changed: '2025-01-02',
    sold: '2025-01-01',
  },
  // Exactly twelve months before D, and after D: in no window.
  { status: 'SOLD', acres: 5, price: 1_000_000, sold: '2024-09-28' },
  { status: 'SOLD', acres: 5, price: 1_000_000, sold: '2025-09-29' },
  // Of the county alone, and of the ZIP alone.
  { status: 'ACTIVE', acres: 30, price: 90_000, zip: '' },
  { status: 'ACTIVE', acres: 50, price: 90_000, fips: null },
  // Not counted: off the market, without acres, without a price.
  { status: 'OFF_MARKET', acres: 6, price: 60_000 },
  { status: 'ACTIVE', acres: null, price: 60_000 },
  { status: 'ACTIVE', acres: 0, price: 60_000 },
  { status: 'ACTIVE', acres: 6, price: 0 },
];

describe('the definitions, end to end', () => {
  beforeEach(() => addListings(pool, living, MARKET));

  test('every key of a bucket has the figure from the definitions', async () => {
    await recomputeStats(pool, { fips: 33_019 }, { asOf: D });
    const bucket = (await statsOf(pool, 'county', '33019')).find(({ type }) => type === '5 acre-10 acre');
    // Sales per acre: 5,000 and 7,000 in the month, 10,000 before it. Gini of 5, 7: 100 * (38 / 24 - 3
    // / 2); of 5, 7, 10:
    // 100 * (98 / 66 - 4 / 3).
    expect(bucket?.data).toEqual({
      Active: 1,
      Pending: 1,
      'Sold: 1mo': 2,
      'Sold: 3mo': 3,
      'Sold: 6mo': 3,
      'Sold: 1yr': 3,
      'Pending STR': 100,
      '1mo STR': 200,
      '3mo STR': 300,
      '6mo STR': 300,
      '1yr STR': 300,
      'Avg DOM 1mo': 63.5,
      'Avg DOM 3mo': 63.5,
      'Avg DOM 6mo': 63.5,
      'Avg DOM 1yr': 63.5,
      'Median Price 1mo': 43_000,
      'Median Price 3mo': 56_000,
      'Median Price 6mo': 56_000,
      'Median Price 1yr': 56_000,
      'Median Pending Price': 45_000,
      'Median Active Price': 60_000,
      'Median Active Acreage': 6,
      'Median Pending Acreage': 6,
      'Median Sold Acreage': 8,
      'Median Pending PPA': 7_500,
      'Median Active PPA': 10_000,
      'Median Sold PPA': 7_000,
      'Active PPA Min': 10_000,
      'Active PPA Max': 10_000,
      'Pending PPA Min': 7_500,
      'Pending PPA Max': 7_500,
      'PPA Range 1mo Min': 5_000,
      'PPA Range 1mo Max': 7_000,
      'PPA Range 3mo Min': 5_000,
      'PPA Range 3mo Max': 10_000,
      'PPA Range 6mo Min': 5_000,
      'PPA Range 6mo Max': 10_000,
      'PPA Range 1yr Min': 5_000,
      'PPA Range 1yr Max': 10_000,
      'Gini 1mo': 8.33,
      'Gini 3mo': 15.15,
      'Gini 6mo': 15.15,
      'Gini 1yr': 15.15,
    });
    expect(Object.keys(bucket?.data ?? {})).toEqual([...METRIC_KEYS]);
  });

  test('nothing sold and nothing active: counts are 0, the rest is null; the status date ends days on market', async () => {
    await recomputeStats(pool, { fips: 33_019 }, { asOf: D });
    const bucket = (await statsOf(pool, 'county', '33019')).find(({ type }) => type === '10 acre-20 acre');
    expect(bucket?.data).toMatchObject({
      Active: 0,
      'Sold: 6mo': 0,
      'Sold: 1yr': 1,
      '1yr STR': null,
      'Pending STR': null,
      'Median Price 6mo': null,
      'Median Price 1yr': 50_000,
      'Avg DOM 1yr': 32,
      'Gini 1yr': null,
    });
  });

  test('a listing date after the sale leaves days on market unknown, in every scope', async () => {
    await addListings(pool, living, [
      { status: 'SOLD', acres: 15, price: 50_000, listed: '2025-06-10', sold: '2025-06-01' },
      { status: 'SOLD', acres: 15, price: 50_000, listed: '2025-06-03', sold: '2025-06-03' },
    ]);
    for (const scope of [{ fips: 33_019 }, { all: true as const }]) {
      await recomputeStats(pool, scope, { asOf: D });
      const bucket = (await statsOf(pool, 'county', '33019')).find(({ type }) => type === '10 acre-20 acre');
      // 32 days of the sale above and 0 of the second one.
      expect(bucket?.data).toMatchObject({ 'Sold: 1yr': 3, 'Avg DOM 1yr': 16, 'Avg DOM 6mo': 0 });
    }
  });

  test('buckets without any listing are left out; county and ZIP count their own listings', async () => {
    const both = [
      '0-9.5k sqft',
      '0-0.25 acre',
      '0.15 acre-1 acre',
      '0.2 acre-100 acre',
      '2 acre-100 acre',
      '5 acre-10 acre',
      '5 acre-100 acre',
      '5 acre-10000 acre',
      '10 acre-20 acre',
    ];
    await recomputeStats(pool, { all: true }, { asOf: D });
    const types = async (type: string, code: string) =>
      (await statsOf(pool, type, code)).map(bucket => bucket.type);
    expect(await types('county', '33019')).toEqual([...both, '20 acre-40 acre']);
    expect(await types('zip', '03280')).toEqual([
      ...both,
      '40 acre-60 acre',
      '40 acre-100 acre',
      '40 acre-10000 acre',
    ]);
    expect(await storedStats(pool, 'county', '33019')).toMatchObject({ listings: 10, as_of: D });
    expect(await storedStats(pool, 'zip', '03280')).toMatchObject({ listings: 10, as_of: D });
  });

  test('the response keeps the fields of its region; its etag is quoted', async () => {
    await recomputeStats(pool, { zip: '03280' }, { asOf: D });
    const { body, etag } = await storedStats(pool, 'zip', '03280');
    const { stats, ...region } = JSON.parse(body.toString());
    expect(stats).not.toHaveLength(0);
    expect(region).toEqual({ ...ZIP_03280, as_of: D });
    expect(etag).toMatch(/^"[\w-]{22}"$/);
  });

  test('a second recompute writes nothing, a region that lost its listings becomes empty', async () => {
    expect(await recomputeStats(pool, { all: true }, { asOf: D })).toMatchObject({ regions: 2, changed: 2 });
    const before = await storedStats(pool, 'county', '33019');
    expect(await recomputeStats(pool, { all: true }, { asOf: D })).toMatchObject({ regions: 2, changed: 0 });
    expect(await storedStats(pool, 'county', '33019')).toEqual(before);

    await pool.query("update listings set status = 'OFF_MARKET'");
    expect(await recomputeStats(pool, { all: true }, { asOf: D })).toMatchObject({ regions: 2, changed: 2 });
    expect(await statsOf(pool, 'county', '33019')).toEqual([]);
    expect(await storedStats(pool, 'county', '33019')).toMatchObject({ listings: 0, as_of: null });
    expect(await recomputeStats(pool, { all: true }, { asOf: D })).toMatchObject({ regions: 0 });
  });

  test('a county is computed with its ZIPs, a ZIP alone', async () => {
    const other = await storedStats(pool, 'county', '33019');
    expect(await recomputeStats(pool, { zip: '03280' }, { asOf: D })).toMatchObject({
      regions: 1,
      changed: 1,
    });
    expect(await storedStats(pool, 'county', '33019')).toEqual(other);
    expect(await recomputeStats(pool, { fips: 33_019 }, { asOf: D })).toMatchObject({ regions: 2 });
  });

  test('a day without changed figures moves only as_of, in the row and in the response', async () => {
    await pool.query("delete from listings where status = 'SOLD'");
    await recomputeStats(pool, { all: true }, { asOf: '2025-09-28' });
    const before = await storedStats(pool, 'county', '33019');
    await recomputeStats(pool, { all: true }, { asOf: '2025-09-29' });
    const after = await storedStats(pool, 'county', '33019');
    expect(after.as_of).toBe('2025-09-29');
    expect(after.body.toString().replace('2025-09-29', '2025-09-28')).toBe(before.body.toString());
  });
});

test('a price in cents and a tie are rounded as decimals', async () => {
  await addListings(pool, living, [
    { status: 'ACTIVE', acres: 1, price: 1_000.01 },
    { status: 'ACTIVE', acres: 1, price: 1_000.02 },
  ]);
  await recomputeStats(pool, { fips: 33_019 });
  const bucket = (await statsOf(pool, 'county', '33019')).find(({ type }) => type === '1 acre-2 acre');
  expect(bucket?.data['Median Active Price']).toBe(1_000.02);
  expect(bucket?.data['Active PPA Min']).toBe(1_000.01);
});

describe('the as-of date', () => {
  const today = new Date().toISOString().slice(0, 10);
  const active: TestListing = { status: 'ACTIVE', acres: 6, price: 60_000 };
  let older: number;
  let newer: number;

  beforeAll(async () => {
    older = await addFeed(pool, 'roll of 2024', '2024-10-01');
    newer = await addFeed(pool, 'roll of 2025', D);
  });

  const asOf = async (options = {}) => {
    await recomputeStats(pool, { fips: 33_019 }, options);
    return (await storedStats(pool, 'county', '33019')).as_of;
  };

  test('is today for a live feed', async () => {
    await addListings(pool, living, [active]);
    expect(await asOf()).toBe(today);
  });

  test('is that of the latest snapshot if all listings come from snapshots', async () => {
    await addListings(pool, older, [active]);
    expect(await asOf()).toBe('2024-10-01');
    await addListings(pool, newer, [active]);
    expect(await asOf()).toBe(D);
  });

  test('is today if one listing comes from a live feed, though not for another region', async () => {
    await addListings(pool, newer, [active, { ...active, feed: living }, { ...active, fips: 23_019 }]);
    expect(await asOf()).toBe(today);
    await recomputeStats(pool, { fips: 23_019 });
    expect((await storedStats(pool, 'county', '23019')).as_of).toBe(D);
  });

  test("is the caller's date above all", async () => {
    await addListings(pool, newer, [active]);
    expect(await asOf({ asOf: '2025-01-31' })).toBe('2025-01-31');
  });

  test('moves the windows', async () => {
    await addListings(pool, newer, [{ status: 'SOLD', acres: 6, price: 60_000, sold: '2025-09-01' }]);
    await asOf();
    expect((await statsOf(pool, 'county', '33019'))[0]?.data).toMatchObject({ 'Sold: 1mo': 1 });
    await asOf({ asOf: '2025-10-01' });
    expect((await statsOf(pool, 'county', '33019'))[0]?.data).toMatchObject({
      'Sold: 1mo': 0,
      'Sold: 3mo': 1,
    });
  });
});

describe('missing regions', () => {
  test("can't be requested", async () => {
    await expect(recomputeStats(pool, { fips: 78_999 })).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
    await expect(recomputeStats(pool, { zip: '00000' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('are skipped and counted in listings', async () => {
    await addListings(pool, living, [
      { status: 'ACTIVE', acres: 6, price: 60_000, fips: 78_999, zip: '00000' },
      { status: 'ACTIVE', acres: 6, price: 60_000, fips: 33_019, zip: '0328' },
    ]);
    expect(await recomputeStats(pool, { all: true })).toMatchObject({ regions: 1, changed: 1, unknown: 2 });
  });
});

test('progress ends with every region done', async () => {
  await addListings(pool, living, MARKET);
  const seen: [number, number][] = [];
  await recomputeStats(pool, { all: true }, { progress: (done, total) => seen.push([done, total]) });
  expect(seen.at(-1)).toEqual([2, 2]);
});

test('a worker that has to stop quits', async () => {
  await addListings(pool, living, MARKET);
  const signal = AbortSignal.abort(new Error('the worker stops'));
  await expect(recomputeStats(pool, { all: true }, { signal })).rejects.toThrow('the worker stops');
  expect(await recomputeStats(pool, { all: true })).toMatchObject({ changed: 2 });
});
