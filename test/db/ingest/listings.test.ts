import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { all, feedOf, ingest, writeObjects } from '../../support/ingest.ts';
import { listingFeed, row } from './listing-support.ts';

const { pool } = await createTestDatabase();
const folder = testFolder();
const listings = (options = {}) => listingFeed(pool, folder, options);

test('a listing is its source and its id there, in every feed and installation', async () => {
  const [one_, two] = [listings(), listings()];
  await one_.run([row('A')]);
  await two.run([row('A')]);
  const [a, b] = [await one_.stored('A'), await two.stored('A')];
  expect(a.id).not.toBe(b.id);
  expect((await one_.run([row('A')])).status).toBe('unchanged');
  expect((await one_.run([row('A', { list_price: 1 })])).counts).toMatchObject({ new: 0, changed: 1 });
  expect((await one_.stored('A')).id).toBe(a.id);
});

test('every field of a comp is kept', async () => {
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
    ...{
      address: '1 Half Moon Pond Road',
      city: 'Washington',
      county: 'Sullivan',
      apn: '10-12',
      latitude: 43.18,
      longitude: -72.09,
    },
    ...{ sale_type: 'Land', url: 'https://example.com/1', photos },
  };
  await run([full]);
  expect(await stored('A')).toMatchObject({
    ...{
      status: 'SOLD',
      price: '45000.50',
      sold_date: '2025-03-02',
      listed_date: '2025-01-01',
      days_on_market: 12,
      lot_acres: 2,
    },
    ...{
      address: '1 Half Moon Pond Road',
      city: 'Washington',
      state: 'NH',
      zip: '03280',
      county: 'Sullivan',
      apn: '10-12',
      fips: 33019,
    },
    ...{
      location: { x: -720_900_000, y: 431_800_000 },
      sale_type: 'Land',
      url: 'https://example.com/1',
      photos: [photos[0], expect.stringContaining('c')],
    },
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

test.each(['withdrawn', 'expired', 'cancelled'])(
  '%s: leaves the inventory and stays in the history',
  async word => {
    const name = `words-${word}`;
    const status = {
      column: 'status',
      values: { withdrawn: 'OFF_MARKET', expired: 'OFF_MARKET', cancelled: 'OFF_MARKET' },
    };
    const columns = { source_id: 'source_id', list_price: 'list_price', status };
    const feed = feedOf(folder, {
      name,
      kind: 'listings',
      listings: { source: `${name}.ndjson`, format: 'ndjson', columns },
    });
    for (const now of ['ACTIVE', word]) {
      writeObjects(join(folder, `${name}.ndjson`), [{ source_id: 'A', status: now, list_price: 1 }]);
      await ingest(pool, feed);
    }
    const events = await all(
      pool,
      'select e.status from listing_events e join listings l on l.id = e.listing_id where l.source = $1 order by run_id',
      [name],
    );
    expect(events.map(event => event.status)).toEqual(['ACTIVE', 'OFF_MARKET']);
  },
);

test('a feed that lists everything retires what is gone, sales aside, and takes it back when it returns', async () => {
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

test('an incremental feed retires nothing, and an empty increment is no fault', async () => {
  const { run, inventory } = listings({ snapshot: false });
  await run([row('A'), row('B')]);
  expect((await run([row('C')])).counts).toMatchObject({ new: 1, retired: 0 });
  expect(await run([])).toMatchObject({ status: 'unchanged', blocked: [] });
  expect(await inventory()).toEqual(['A', 'B', 'C']);
});

test("the county is the feed's FIPS, else its name and state, else the polygon that holds the point, else unknown", async () => {
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

test('several states of one listing in a file: the newest is kept, older ones are rejects with their rows', async () => {
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
  expect(rejects[0]!.message).toMatch(/Listing A is given again by row [24], whose state is newer/);
});

test('a source that leaves empty values out: a column that first comes after a thousand rows is read', async () => {
  const { run, stored } = listings();
  const rows = Array.from({ length: 1_050 }, (_, n) => row(`L${n}`, n === 3 ? { address: 'Pond Road' } : {}));
  await run([...rows, row('SOLD', { status: 'SOLD', sold_price: 4_000, sold_date: '2025-02-02' })]);
  expect(await stored('SOLD')).toMatchObject({ price: '4000.00', sold_date: '2025-02-02' });
});

test('unusable rows are rejects with reason, field and row; a withheld price is kept', async () => {
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
