import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countyStats, zipStats } from '../../api/v1/market-stats.ts';
import { sql } from '../../shared/db.ts';
import { enqueue, waitForJob } from '../../shared/jobs.ts';
import { createLogger } from '../../shared/log.ts';
import { deliverFromHere } from '../../workers/cli/common/session.ts';
import { ingestJob } from '../../workers/ingest/job.ts';
import { registry } from '../../workers/jobs.ts';
import { startWorker } from '../../workers/start.ts';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { plainStats } from '../support/plain-stats.ts';
import { geodesicAcres, type RawComp, readComps, readMap } from '../support/raw-sample.ts';
import { SULLIVAN, ZIP_03280 } from '../support/regions.ts';

// The bundled feeds go through the queue and a worker, and their figures come over HTTP, as for whoever runs `npm start`.
const noFeeds = mkdtempSync(join(tmpdir(), 'plat-no-feeds-'));
const db = await createTestDatabase({ FEEDS_DIR: noFeeds }, { regions: true });
const api = await startTestApi(db);
afterAll(() => rmdirSync(noFeeds));

const SAMPLE = ['washington-nh', 'washington-nh-listings', 'bangor-me'];

beforeAll(async () => {
  const jobs: string[] = [];
  for (const feed of SAMPLE)
    jobs.push((await enqueue(db.pool, ingestJob, ingestJob.payload.parse({ feed }))).id);
  const log = createLogger(db.config, 'test');
  const worker = await startWorker(db.config, log, registry);
  try {
    await deliverFromHere({ config: { ...db.config, DATABASE_URL: db.url }, pool: db.pool, log }, jobs);
    for (const id of jobs) {
      const { status, result, error } = await waitForJob(db.pool, id);
      expect({ status, result, error }).toMatchObject({
        status: 'done',
        result: { status: 'merged' },
        error: null,
      });
    }
    await statisticsAreDone();
  } finally {
    await worker.stop();
  }
});

/** What `stats` must be for these comps as of the day of the roll. */
function rawStats(comps: RawComp[]) {
  const listings = comps.map(({ status, price, acres, soldOn, daysOnMarket }) => ({
    ...{ status: status as 'ACTIVE' | 'PENDING' | 'SOLD', price: Number(price), acres: Number(acres) },
    ...{ soldDate: soldOn, daysOnMarket },
  }));
  return plainStats(listings, '2025-09-28');
}

async function statisticsAreDone(): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ due: boolean; open: boolean }>(sql('market/get_dirty_state'));
    if (!rows[0]!.due) return;
    if (!rows[0]!.open) throw new Error('Statistics are due, and no job computes them.');
    await sleep(100);
  }
}

async function marketStats(place: string) {
  const { key, accountId } = await newCaller(db);
  const { status, headers, json } = await api.call(`/api/public/v1/markets-stats/${place}/stats/`, { key });
  return { status, tokens: headers.get('x-tokens-used'), json, used: await usageOf(db, accountId) };
}

describe('the statistics of Washington NH equal those of a plain computation from the raw files', () => {
  const comps = readComps();

  test('which finds what the files hold', () => {
    const count = (status: string) => comps.filter(comp => comp.status === status).length;
    expect({ active: count('ACTIVE'), pending: count('PENDING'), sold: count('SOLD') }).toEqual({
      active: 38,
      pending: 9,
      // 122 qualified sales of vacant land; 14-392 went with two others for one price.
      sold: 121,
    });
    expect(comps.filter(comp => comp.soldOn !== null && comp.soldOn > '2024-09-28')).toHaveLength(13);
  });

  // Most sales are older than the windows, and show in no statistic.
  test('sale for sale and listing for listing', async () => {
    const { rows } = await db.pool.query(
      `select status, zip, price::float8 as price, lot_acres as acres, sold_date::text as "soldOn" from listings
       where fips = 33019 and status <> 'OFF_MARKET'`,
    );
    const found = rows.map(row => JSON.stringify(row));
    const wanted = comps.map(({ status, zip, price, acres, soldOn }) =>
      JSON.stringify({ status, zip, price: Number(price), acres: Number(acres), soldOn }),
    );
    expect(found.sort()).toEqual(wanted.sort());
    const off = await db.pool.query("select apn from listings where fips = 33019 and status = 'OFF_MARKET'");
    expect(off.rows).toEqual([{ apn: expect.stringMatching(/14.*392/) }]);
  });

  test.each([
    ['33019', SULLIVAN, comps],
    ['zip/03280', ZIP_03280, comps.filter(comp => comp.zip === '03280')],
  ] as const)('its region %s', async (place, region, inside) => {
    const { status, tokens, json, used } = await marketStats(place);
    expect({ status, tokens, used: used.tokens }).toEqual({ status: 200, tokens: '10', used: 10 });
    expect(json).toEqual({ ...region, as_of: '2025-09-28', stats: rawStats([...inside]) });
  });
});

test('Bangor, whose roll has no sales, answers with what there is', async () => {
  const { status, tokens, json } = await marketStats('23019');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    type: 'county',
    name: 'Penobscot',
    state: 'ME',
    fips: '23019',
    as_of: null,
    stats: [],
  });
  expect(tokens).toBe('10');
});

test.each([
  ['33019', countyStats],
  ['zip/04401', zipStats],
])('the example of the documentation is what %s answers', async (place, { response: { examples } }) => {
  const { json } = await marketStats(place);
  expect(json).toEqual(examples.sample!.value);
});

test.each(['99999', 'zip/99999'])('there is no %s: the envelope of a 404, for nothing', async place => {
  const { status, tokens, json, used } = await marketStats(place);
  expect(status).toBe(404);
  expect(json).toEqual({
    error: { code: 'not_found', message: expect.any(String), request_id: expect.any(String) },
  });
  expect(tokens).toBe('0');
  expect(used).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('every parcel on the map of Washington has the area that GeographicLib gives its raw boundary', async () => {
  const { rows } = await db.pool.query<{ key: string; acres: number }>(
    'select source_key as key, calculated_acres as acres from parcels where fips = 33019 and calculated_acres is not null',
  );
  const map = readMap();
  expect(rows.map(row => row.key).sort()).toEqual([...map.keys()].sort());

  const differing = rows
    .map(({ key, acres }) => ({ key, error: Math.abs(acres / geodesicAcres(map.get(key)![0]!) - 1) }))
    .filter(({ error }) => error > 1e-6);
  // Two parts of 23-1-1 overlap and are united; the ring of 24-116 crosses itself and is split.
  expect(differing.map(({ key }) => key).sort()).toEqual(['23-1-1', '24-116']);
  expect(Math.max(...differing.map(({ error }) => error))).toBeLessThan(1e-4);
});
