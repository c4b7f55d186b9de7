import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, insertRegions, one, writeObjects } from '../../support/ingest.ts';
import { COLUMNS, listingFeed, row } from './listing-support.ts';

const { folder, pool } = await createTestDatabase();
const SULLIVAN = { type: 'county', code: '33019', state: 'NH', fips: 33019 } as const;
const REGIONS = [
  SULLIVAN,
  { type: 'county', code: '33013', state: 'NH', fips: 33013 },
  { type: 'county', code: '33001', state: 'NH', fips: 33001 },
  { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
  { type: 'zip', code: '03743', state: 'NH', fips: 33019 },
  { type: 'zip', code: '03301', state: 'NH', fips: 33013 },
] as const;
beforeAll(() => insertRegions(pool, [...REGIONS]));
beforeEach(() => pool.query('delete from stats_dirty; delete from jobs'));

const listings = (options = {}) => listingFeed(pool, folder, options);

test('a listing is identified by its source and its id there, in every feed and installation', async () => {
  const [one_, two] = [listings(), listings()];
  await one_.run([row('A')]);
  await two.run([row('A')]);
  const [a, b] = [await one_.stored('A'), await two.stored('A')];
  expect(a.id).not.toBe(b.id);
  expect((await one_.run([row('A')])).status).toBe('unchanged');
  expect((await one_.run([row('A', { list_price: 1 })])).counts).toMatchObject({ new: 0, changed: 1 });
  expect((await one_.stored('A')).id).toBe(a.id);
});

test('every field of a comp is stored', async () => {
  const { run, stored } = listings();
  const photos = ['https://example.com/a,b.jpg', 'https://example.com/"c".jpg'];
  const full = {
    ...row('A', {
      status: 'SOLD',
      sold_price: '45,000.50',
      sold_date: '2025-03-02',
      days_on_market: 12,
      listed_date: '2025-01-01',
    }),
    address: '1 Half Moon Pond Road',
    city: 'Washington',
    county: 'Sullivan',
    apn: '10-12',
    latitude: 43.18,
    longitude: -72.09,
    sale_type: 'Land',
    url: 'https://example.com/1',
    photos,
  };
  await run([full]);
  expect(await stored('A')).toMatchObject({
    status: 'SOLD',
    price: '45000.50',
    sold_date: '2025-03-02',
    listed_date: '2025-01-01',
    days_on_market: 12,
    lot_acres: 2,
    address: '1 Half Moon Pond Road',
    city: 'Washington',
    state: 'NH',
    zip: '03280',
    county: 'Sullivan',
    apn: '10-12',
    fips: 33019,
    location: { x: -720_900_000, y: 431_800_000 },
    sale_type: 'Land',
    url: 'https://example.com/1',
    photos: [photos[0], expect.stringContaining('c')],
  });
});

test('changes of status and price are history with their dates; other changes are not', async () => {
  const { run, history } = listings();
  await run([row('A')]);
  await run([row('A', { list_price: 45_000, status_date: '2025-02-01' })]);
  await run([row('A', { list_price: 45_000, status_date: '2025-02-01', address: 'Elsewhere' })]);
  await run([row('A', { list_price: 45_000, status: 'PENDING', status_date: '2025-03-01' })]);
  await run([
    row('A', { status: 'SOLD', sold_price: 44_000, sold_date: '2025-04-01', status_date: '2025-04-03' }),
  ]);
  expect(await history('A')).toEqual([
    { status: 'ACTIVE', price: 50_000, status_date: '2025-01-01' },
    { status: 'ACTIVE', price: 45_000, status_date: '2025-02-01' },
    { status: 'PENDING', price: 45_000, status_date: '2025-03-01' },
    { status: 'SOLD', price: 44_000, status_date: '2025-04-01' },
  ]);
});

test('a word that the feed maps to OFF_MARKET leaves the inventory and stays in the history', async () => {
  const status = { column: 'status', values: { withdrawn: 'OFF_MARKET' } };
  const columns = { source_id: 'source_id', list_price: 'list_price', status };
  const feed = feedOf(folder, {
    name: 'words',
    kind: 'listings',
    listings: { source: 'words.ndjson', format: 'ndjson', columns },
  });
  for (const now of ['ACTIVE', 'withdrawn']) {
    writeObjects(join(folder, 'words.ndjson'), [{ source_id: 'A', status: now, list_price: 1 }]);
    await ingest(pool, feed);
  }
  const events = await all(
    pool,
    "select e.status from listing_events e join listings l on l.id = e.listing_id where l.source = 'words' order by run_id",
  );
  expect(events.map(event => event.status)).toEqual(['ACTIVE', 'OFF_MARKET']);
});

test('a feed with complete files retires what is gone, except sales, and restores what returns', async () => {
  const { run, inventory, history, stored } = listings();
  await run([row('A'), row('B'), row('C', { status: 'SOLD', sold_price: 1_000, sold_date: '2025-01-05' })]);
  const gone = await run([row('A')]);
  expect(gone).toMatchObject({ status: 'merged', counts: { retired: 1, unchanged: 1, rows: 1 } });
  expect(await inventory()).toEqual(['A']);
  expect((await stored('C')).status).toBe('SOLD');
  expect(await history('B')).toEqual([
    { status: 'ACTIVE', price: 50_000, status_date: '2025-01-01' },
    { status: 'OFF_MARKET', price: 50_000, status_date: null },
  ]);
  expect((await run([row('A')])).status).toBe('unchanged');
  expect((await run([row('A'), row('B')])).counts).toMatchObject({ changed: 1, new: 0 });
  expect(await inventory()).toEqual(['A', 'B']);
  expect((await history('B')).map(event => event.status)).toEqual(['ACTIVE', 'OFF_MARKET', 'ACTIVE']);
});

test('an incremental feed retires nothing, and an empty increment is not an error', async () => {
  const { run, inventory } = listings({ snapshot: false });
  await run([row('A'), row('B')]);
  expect((await run([row('C')])).counts).toMatchObject({ new: 1, retired: 0 });
  expect(await run([])).toMatchObject({ status: 'unchanged', blocked: [] });
  expect(await inventory()).toEqual(['A', 'B', 'C']);
});

test("the county is the feed's FIPS code, else its name and state, else the polygon that contains the point, else unknown", async () => {
  const { run, stored } = listings();
  const place = { county: null, fips: null, latitude: null, longitude: null };
  const concord = { latitude: 43.2, longitude: -71.54 };
  const result = await run([
    row('fips', { ...place, fips: 33019, county: 'Merrimack', ...concord }),
    row('name', { ...place, county: 'Merrimack County', latitude: 43.18, longitude: -72.09 }),
    row('point', { ...place, county: 'No Such', ...concord }),
    row('nowhere', place),
  ]);
  const found = await Promise.all(
    ['fips', 'name', 'point', 'nowhere'].map(async id => (await stored(id)).fips),
  );
  expect(found).toEqual([33019, 33013, 33013, null]);
  expect(result.counts.unplaced).toEqual({ county: 1 });
});

test("a county without a name gets its own; Connecticut's former counties become planning regions by town or point", async () => {
  const { run, stored } = listings();
  const none = { county: null, fips: null, zip: null, latitude: null, longitude: null };
  const place = { ...none, state: 'CT' };
  const result = await run([
    row('unnamed'),
    row('code', { ...place, fips: '09001', city: 'Shelton' }),
    row('name', { ...place, county: 'Windham County', city: 'Plainfield' }),
    row('point', { ...place, fips: '09013', city: 'Storrs', latitude: 41.81, longitude: -72.25 }),
    row('neither', { ...place, fips: '09005', city: 'Bantam' }),
  ]);
  const found = await Promise.all(
    ['unnamed', 'code', 'name', 'point', 'neither'].map(async id => {
      const { fips, county } = await stored(id);
      return [fips, county];
    }),
  );
  expect(found).toEqual([
    [33019, 'Sullivan'],
    [9140, 'Naugatuck Valley'],
    [9150, 'Windham County'],
    [9110, 'Capitol'],
    [null, ''],
  ]);
  expect(result.counts).toMatchObject({ dropped: { fips: 1 }, unplaced: { county: 1 } });
});

test('several states of one listing in a file: the newest is kept, older ones are rejected with their rows', async () => {
  const { run, stored, history } = listings();
  const [old, newest, older] = [
    row('A', { status_date: '2025-02-01', list_price: 2 }),
    row('A', { status_date: '2025-03-01', list_price: 3 }),
    row('A', { status_date: '2025-01-01', list_price: 1 }),
  ];
  const result = await run([old, newest, older, newest, row('B'), row('B')]);
  expect(result.counts).toMatchObject({
    read: { listings: 6 },
    identical: 2,
    rejected: { superseded: 2 },
    new: 2,
  });
  expect((await stored('A')).price).toBe('3.00');
  expect(await history('A')).toHaveLength(1);
  const rejects = await all(
    pool,
    'select row_no, field, reason, message, raw from run_rejects where run_id = $1 order by row_no',
    [result.runId],
  );
  expect(
    rejects.map(({ row_no, field, reason, raw }) => [row_no, field, reason, JSON.parse(String(raw))]),
  ).toEqual([
    [1, 'source_id', 'superseded', old],
    [3, 'source_id', 'superseded', older],
  ]);
  expect(rejects[0]!.message).toMatch(/^Row [24] .*\bA\b/);
});

test('the last row of a date wins, and a dated row wins over an undated one', async () => {
  const { run, stored } = listings();
  const DAY = '2025-02-01';
  const states = ['A', DAY, 'A', DAY, 'B', DAY, 'B', '', 'C', '', 'C', DAY];
  const list_price = (n: number) => ({ status_date: states[2 * n + 1], list_price: n + 1 });
  await run([0, 1, 2, 3, 4, 5].map(n => row(states[2 * n]!, list_price(n))));
  const prices = await Promise.all(['A', 'B', 'C'].map(async id => (await stored(id)).price));
  expect(prices).toEqual(['2.00', '3.00', '6.00']);
});

test('a source that omits empty values: a column that first appears after a thousand rows is read', async () => {
  const { run, stored } = listings();
  const rows = Array.from({ length: 1_050 }, (_, n) => row(`L${n}`, n === 3 ? { address: 'Pond Road' } : {}));
  await run([...rows, row('SOLD', { status: 'SOLD', sold_price: 4_000, sold_date: '2025-02-02' })]);
  expect(await stored('SOLD')).toMatchObject({ price: '4000.00', sold_date: '2025-02-02' });
});

test('unusable rows are rejected with reason, field, and row; a withheld price is kept', async () => {
  const { run, stored } = listings();
  const rows = [
    row(''),
    row('A', { status: 'Sort of' }),
    row('B', { list_price: 'ask' }),
    row('C', { list_price: 1e12 }),
    row('withheld', { list_price: null }),
    row('free', { list_price: 0 }),
    row('D', { lot_acres: -1, latitude: 99 }),
    row('E'.repeat(300)),
  ];
  const result = await run(rows);
  expect(result.counts).toMatchObject({
    rejected: { missing_source_id: 1, unknown_status: 1, not_a_number: 1, out_of_range: 1, too_long: 1 },
    dropped: { lot_acres: 1, latitude: 1 },
    new: 3,
  });
  expect([(await stored('withheld')).price, (await stored('free')).price]).toEqual(['0.00', '0.00']);
  const rejects = await all(pool, 'select row_no, raw, message from run_rejects where run_id = $1', [
    result.runId,
  ]);
  expect(rejects).toHaveLength(7);
  for (const { row_no, raw } of rejects) expect(JSON.parse(String(raw))).toEqual(rows[Number(row_no) - 1]);
});

/** Jobs of statistics; a merge may make valuations due as well. */
const recomputes = () =>
  all(pool, "select id, name, payload, status from jobs where name = 'market.recompute'");
const dirty = async () =>
  (await all<{ code: string }>(pool, 'select code from stats_dirty order by code')).map(({ code }) => code);

test('only the regions where a listing is, was, or left are marked; the recompute is enqueued with the merge', async () => {
  const { run } = listings();
  const first = await run([
    row('stays', { fips: 33001, zip: '' }),
    row('moves'),
    row('goes', { zip: '03743' }),
  ]);
  expect(await dirty()).toEqual(['03280', '03743', '33001', '33019']);
  expect(await recomputes()).toEqual([
    { id: first.follow[0], name: 'market.recompute', payload: { scope: { dirty: true } }, status: 'queued' },
  ]);
  await pool.query('delete from stats_dirty');
  await run([row('stays', { fips: 33001, zip: '' }), row('moves', { fips: 33013, zip: '03301' })]);
  expect(await dirty()).toEqual(['03280', '03301', '03743', '33013', '33019']);
  expect(await recomputes()).toHaveLength(1);
  await pool.query('delete from stats_dirty; delete from jobs');
  expect(
    (await run([row('stays', { fips: 33001, zip: '' }), row('moves', { fips: 33013, zip: '03301' })])).follow,
  ).toEqual([]);
  expect([await dirty(), await all(pool, 'select id from jobs')]).toEqual([[], []]);
});

/** A feed of listings that has one. */
function feedOfOne(name: string) {
  writeObjects(join(folder, `${name}.ndjson`), [row('A')]);
  const listings = { source: `${name}.ndjson`, format: 'ndjson', columns: COLUMNS };
  return feedOf(folder, { name, kind: 'listings', listings });
}

test('a merge that fails leaves no mark, job, history, or listing', async () => {
  const feed = feedOfOne('failing');
  const jobId = randomUUID();
  const onStep = (step: string) => {
    if (step === 'commit') throw new Error('the line is down');
  };
  const failing = ingest(pool, feed, { jobId }, { onStep });
  await expect(failing).rejects.toThrow('the line is down');
  expect([
    await dirty(),
    await all(pool, 'select id from jobs'),
    await all(pool, "select id from listings where source = 'failing'"),
  ]).toEqual([[], [], []]);
  expect(await one(pool, 'select status, error from runs where job_id = $1', [jobId])).toEqual({
    status: 'failed',
    error: 'the line is down',
  });
  expect((await ingest(pool, feed, { jobId })).status).toBe('merged');
  expect(await one(pool, 'select status, attempts, error from runs where job_id = $1', [jobId])).toEqual({
    status: 'merged',
    attempts: 2,
    error: null,
  });
});

test('a job that runs again after its run was merged leaves the run as it was', async () => {
  const feed = feedOfOne('twice');
  const jobId = randomUUID();
  const first = await ingest(pool, feed, { jobId });
  const steps: string[] = [];
  const second = await ingest(pool, feed, { jobId }, { onStep: step => void steps.push(step) });
  expect(steps).toEqual([]);
  expect(second).toMatchObject({ runId: first.runId, status: 'merged', counts: { new: 1, unchanged: 0 } });
  expect(await one(pool, 'select status, attempts from runs where job_id = $1', [jobId])).toEqual({
    status: 'merged',
    attempts: 1,
  });
});

test('a worker that is told to stop ends its run so that the job is retried', async () => {
  const name = 'stopping';
  const columns = { source_id: 'ID', status: { value: 'ACTIVE' }, list_price: 'PRICE' };
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    listings: { source: 'stopping.csv', format: 'csv', columns },
  });
  writeFileSync(
    join(folder, 'stopping.csv'),
    `ID,PRICE\n${Array.from({ length: 5_000 }, (_, n) => `${n},1\n`).join('')}`,
  );
  const stop = new AbortController();
  const onStep = (step: string) => {
    if (step === 'stage') stop.abort(new Error('the worker stops'));
  };
  const run = ingest(pool, feed, {}, { signal: stop.signal, onStep });
  await expect(run).rejects.toThrow('the worker stops');
  expect(await all(pool, "select nspname from pg_namespace where nspname like 'stage%'")).toEqual([]);
});
