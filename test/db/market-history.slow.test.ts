import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dayOf, isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { unpackStats } from '../../shared/model/stats-codec.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { HISTORY_MONTHS, restateHistory } from '../../workers/market/restate-history.ts';
import { createRandom } from '../bench/generate/random.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { dateOf } from '../support/listing-columns.ts';
import { type PlainListing, plainStats } from '../support/plain-stats.ts';
import { addFeed, addListings, keepFewRegions, storedStats } from './market-support.ts';

const db = await createTestDatabase({}, { regions: true });
const { pool } = db;
await keepFewRegions(pool);
const TODAY = dayOf('2026-07-01');
const LISTED_FROM = '2024-03-10';
const feed = await addFeed(pool, 'living', null);
await pool.query('update feeds set created_at = $1', [`${LISTED_FROM}T08:00:00Z`]);
const api = await startTestApi(db, { now: () => new Date('2026-07-01T12:00:00Z') });

const random = createRandom(37);
const chance = (of: number) => random() < of;
const dayIn = (from: string, to: string) =>
  dateOf(dayOf(from) + Math.floor(random() * (dayOf(to) - dayOf(from))));

type Event = { run: number; status: string; price: number; since: string };
type World = { listing: PlainListing; off: boolean; events: Event[] }[];

/** Listings with their events, in the database and as they are, in county 33019 and ZIP 03280. */
async function addWorld(count: number): Promise<World> {
  const world: World = [];
  for (let n = 0; n < count; n++) {
    const acres = Math.round(100 * Math.exp(3.5 * random() - 1.2)) / 100;
    const listed = dayIn('2021-01-01', '2026-06-20');
    const price = 1_000 * (1 + Math.floor(90 * random()));
    const states = [{ status: 'ACTIVE', price, day: listed }];
    const next = (status: string, dearer: number) => {
      const last = states.at(-1)!;
      states.push({
        status,
        price: last.price + dearer,
        day: dateOf(dayOf(last.day) + Math.floor(90 * random())),
      });
    };
    if (chance(0.3)) next('ACTIVE', -500);
    if (chance(0.4)) next('PENDING', 0);
    if (chance(0.6)) next(chance(0.8) ? 'SOLD' : 'OFF_MARKET', -250);
    const kept = states.filter(({ day }) => day < '2026-06-25');
    const last = kept.at(-1);
    if (last === undefined) continue;
    const sold = last.status === 'SOLD' ? last.day : undefined;
    const status = last.status as 'ACTIVE' | 'PENDING' | 'SOLD' | 'OFF_MARKET';
    await addListings(pool, feed, [
      { status, acres, price: last.price, listed, changed: last.day, ...(sold && { sold }) },
    ]);
    const events = kept.map(({ day, ...state }, i) => {
      const recorded = dateOf(Math.max(dayOf(LISTED_FROM), dayOf(day) + Math.floor(4 * random())));
      return { run: i + 1, recorded, given: chance(0.8) ? day : null, ...state };
    });
    await pool.query(
      `insert into listing_events (listing_id, run_id, status, price, status_date, recorded_at)
       select l.id, e.run, e.status, e.price, e.given, (e.recorded || 'T23:30:00Z')::timestamptz
       from (select id from listings order by source_id::int desc limit 1) l,
         jsonb_to_recordset($1) as e (run bigint, status text, price numeric, given date, recorded text)`,
      [JSON.stringify(events)],
    );
    world.push({
      listing: {
        status: status as PlainListing['status'],
        acres,
        price: last.price,
        soldDate: sold ?? null,
        daysOnMarket: dayOf(last.day) - dayOf(listed),
      },
      off: status === 'OFF_MARKET',
      events: events.map(({ recorded, given, ...event }) => ({
        ...event,
        since: given !== null && given < recorded ? given : recorded,
      })),
    });
  }
  return world;
}

/** What was on the market and sold on a day, read off the definitions one listing after the other. */
function plainOf(world: World, day: string): PlainListing[] {
  return world.flatMap(({ listing, events }): PlainListing[] => {
    const { soldDate } = listing;
    if (soldDate !== null && soldDate <= day) return [listing];
    const state = events.filter(({ since }) => since <= day).at(-1);
    if (day < LISTED_FROM || state === undefined || !['ACTIVE', 'PENDING'].includes(state.status)) return [];
    const { status, price } = state;
    return [{ ...listing, status: status as 'ACTIVE', price, soldDate: null, daysOnMarket: null }];
  });
}

function expected(world: World, day: string) {
  const known = plainStats(plainOf(world, day), day);
  if (day >= LISTED_FROM) return known;
  return known.map(({ data, more, ...bucket }) => ({
    ...bucket,
    data: { ...data, Active: null, Pending: null },
    more: { ...more, months_of_supply: null },
  }));
}

type Row = { as_of: string; told: string | null; figures: Buffer };

async function monthsOf(type: string, code: string): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    'select as_of, told, figures from market_history where type = $1 and code = $2 order by as_of',
    [type, code],
  );
  return rows;
}

function bucketsOf({ figures, as_of }: Row) {
  return unpackStats(figures, as_of).buckets.flatMap((each, i) =>
    each === null ? [] : [{ type: ACRE_BUCKETS[i]!.label, ...each }],
  );
}

const world = await addWorld(150);

test('every month has the statistics of a simple reading of sales and events; so do other days, even before there was a feed', async () => {
  const restated = await restateHistory(pool, { today: TODAY });
  expect(restated).toEqual({ regions: 2, months: 2 * HISTORY_MONTHS });
  const rows = await monthsOf('county', '33019');
  expect(rows.at(-1)!.as_of).toBe('2026-06-30');
  expect(rows.length).toBeGreaterThan(60);
  for (const row of rows) expect(bucketsOf(row), row.as_of).toEqual(expected(world, row.as_of));
  expect((await monthsOf('zip', '03280')).map(bucketsOf)).toEqual(rows.map(bucketsOf));

  const { key } = await newCaller(db);
  for (let n = 0; n < 5; n++) {
    const day = dayIn('2021-06-01', LISTED_FROM);
    const reply = await api.call(`/api/public/v1/markets-stats/33019/stats/?as_of=${day}`, { key });
    expect(reply.json, day).toMatchObject({ as_of: day, stats: expected(world, day) });
  }
});

test('every figure on 20 random days equals that of plain SQL', async () => {
  const read = (name: string) => readFileSync(join(rootDir, 'test/bench/sql', name), 'utf8');
  const [listingsOf, reference, more] = [
    'listings_of_day.sql',
    'market_reference.sql',
    'more_reference.sql',
  ].map(read);
  const { key } = await newCaller(db);
  const client = await pool.connect();
  let compared = 0;
  for (let n = 0; n < 20; n++) {
    const day = dayIn(LISTED_FROM, '2026-06-30');
    await client.query("select set_config('bench.as_of', $1, false)", [day]);
    // A temporary table hides the stored one: the statements read what was known of the day.
    for (const text of [listingsOf, reference, more]) await client.query(text!);
    const { rows } = await client.query(
      'select * from market_reference join more_reference using (region, bucket)',
    );
    for (const [path, region] of [
      ['33019', 33_019],
      ['zip/03280', 103_280],
    ] as const) {
      const { json } = await api.call(`/api/public/v1/markets-stats/${path}/stats/?as_of=${day}`, { key });
      const { stats } = json as { stats: { type: string; data: object; more: object }[] };
      const plain = rows.filter(row => row.region === region);
      expect(stats.map(({ type }) => type)).toEqual(
        ACRE_BUCKETS.filter((_, i) => plain.some(({ bucket }) => bucket === i)).map(({ label }) => label),
      );
      for (const { type, data, more: further } of stats) {
        const row = plain.find(({ bucket }) => ACRE_BUCKETS[bucket]!.label === type);
        for (const [name, figure] of Object.entries({ ...data, ...further })) {
          if (name.startsWith('price_index')) continue;
          const wanted = row[name] === null ? null : Number(row[name]);
          expect([day, path, type, name, figure]).toEqual([day, path, type, name, wanted]);
          compared++;
        }
      }
    }
  }
  client.release(true);
  expect(compared).toBeGreaterThan(20_000);
});

test('another month computes only that month, a changed listing all of its region, nothing new nothing', async () => {
  await restateHistory(pool, { today: TODAY });
  expect(await restateHistory(pool, { today: TODAY })).toEqual({ regions: 0, months: 0 });
  expect(await restateHistory(pool, { today: dayOf('2026-08-15') })).toEqual({ regions: 2, months: 2 });
  await addListings(pool, feed, [{ status: 'SOLD', acres: 3, price: 9_000, sold: '2026-08-20', zip: '' }]);
  expect(await restateHistory(pool, { today: dayOf('2026-09-01') })).toEqual({ regions: 2, months: 2 });
  await addListings(pool, feed, [{ status: 'SOLD', acres: 3, price: 9_000, sold: '2022-05-05', zip: '' }]);
  const codes = { county: ['33019'], zip: [] };
  expect(await restateHistory(pool, { codes, today: dayOf('2026-09-01') })).toEqual({
    regions: 1,
    months: HISTORY_MONTHS,
  });
  expect((await monthsOf('county', '33019')).at(-1)!.as_of).toBe('2026-08-31');
});

test('the response of stats/ at the end of a month is recorded to the byte, and stays whatever is corrected', async () => {
  const now = utcDay(Date.now());
  await recomputeStats(pool, { all: true });
  const bytes = (await storedStats(pool, 'county', '33019')).body.toString();
  const [end] = monthEnds(now + 40, 1);
  // In the last second of the month.
  await pool.query("update region_stats set computed_at = ($1::date + 1)::timestamptz - interval '1 s'", [
    isoDay(end!),
  ]);
  const later = end! + 3;
  await addListings(pool, feed, [{ status: 'SOLD', acres: 6, price: 77_000, sold: '2026-02-02' }]);
  await recomputeStats(pool, { fips: 33_019 }, { today: later });
  await recomputeStats(pool, { fips: 33_019 }, { today: later + 1 });
  await restateHistory(pool, { today: later });
  expect((await storedStats(pool, 'county', '33019')).body.toString()).not.toBe(bytes);

  const rows = await monthsOf('county', '33019');
  expect(rows.filter(({ told }) => told !== null).map(({ as_of }) => as_of)).toEqual([isoDay(end!)]);
  const after = await startTestApi(db, { now: () => new Date((later + 0.5) * 86_400_000) });
  const { key } = await newCaller(db);
  const reply = await after.call(`/api/public/v1/markets-stats/33019/stats/?as_of=${isoDay(end!)}`, { key });
  expect(reply.text).toBe(bytes);
  expect(reply.headers.get('x-tokens-used')).toBe('10');
});
