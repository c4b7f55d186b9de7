import { median } from 'simple-statistics';
import { expect, test } from 'vitest';
import type { CountyQuality } from '../../../api/v1/feeds/get-county-quality.ts';
import { NARROW_BUCKETS } from '../../../shared/model/buckets.ts';
import { allJobs } from '../../../workers/all-jobs.ts';
import { recomputeStats } from '../../../workers/market/recompute-stats.ts';
import { recordCounty } from '../../../workers/valuation/record-county.ts';
import { enqueueDueRecord } from '../../../workers/valuation/record-county-job.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels } from '../../support/parcels.ts';
import { newUser, visitor } from '../../support/visitor.ts';
import { jobContext } from '../../support/workers.ts';

const db = await createTestDatabase({}, { sample: true });
const { pool } = db;
const NOW = new Date('2026-01-01T12:00:00Z');
const api = await startTestApi(db, { pages: true, now: () => NOW });
const { key } = await newCaller(db);
const SULLIVAN = 33_019;
const PENOBSCOT = 23_019;
const ACRE_SIZES = new Set<string>(NARROW_BUCKETS);

async function qualityOf(fips: string): Promise<CountyQuality> {
  const { status, json, text, headers } = await api.call(`/api/public/v1/coverage/${fips}/quality/`, { key });
  expect(status, text).toBe(200);
  expect(headers.get('x-tokens-used')).toBe('0');
  return json as CountyQuality;
}

test("the sample's quality record matches its roll and its sales", async () => {
  const quality = await qualityOf('33019');
  const { rows } = await pool.query(
    `select count(*)::int as parcels, avg((year_built is not null)::int)::float8 as year_built,
       avg((boundary is not null)::int)::float8 as boundaries,
       avg((greatest(acres / calculated_acres, calculated_acres / acres) <= 1.5)::int) filter (where acres > 0)::float8 as agree
     from parcels where fips = 33019 and retired_at is null`,
  );
  const { parcels, year_built, boundaries, agree } = rows[0]!;
  expect(quality.parcels).toBe(parcels);
  expect(quality.filled.year_built).toBeCloseTo(year_built, 4);
  expect(quality.filled.subdivision).toBe(0);
  expect(quality.boundaries).toBeCloseTo(boundaries, 4);
  expect(quality.acreage_agrees).toBeCloseTo(agree, 4);
  // Loaded once: nothing was there whose id could have been kept.
  expect(quality.ids_kept).toBeNull();
  expect(quality.history).toMatchObject([{ feed: 'washington-nh', status: 'merged', ids_kept: null }]);
  expect(quality.rows).toEqual(quality.history[0]!.rows);
  expect(quality.sources[0]).toMatchObject({ kind: 'assessor', as_of: '2025-09-28', age_days: 95 });
  // A file that does not say of which day it is: that it was loaded today does not make it of today.
  const roads = quality.sources.find(({ kind }) => kind === 'roads');
  expect(roads).toMatchObject({ as_of: null, age_days: null, merged_at: expect.any(String) });

  // The assessor's values by a plain reading: the land value on the roll over the price.
  const { rows: ratios } = await pool.query<{ ratio: number; acres: number }>(
    `select f.assessed_land_value / l.price::float8 as ratio, l.lot_acres as acres
     from listings l
     join comp_land c on c.listing_id = l.id
     join parcel_filters f on f.fips = 33019 and f.property_id = c.property_id and f.assessed_land_value > 0
     where l.fips = 33019 and l.status = 'SOLD' and l.location is not null and l.sold_date > date '2020-09-28'`,
  );
  const studyOf = (of: 'assessor' | 'plat', by: string) =>
    quality.ratio_studies.find(study => study.of === of && study.by === by)!;
  const assessor = studyOf('assessor', 'all');
  expect(assessor.n + assessor.outliers).toBe(ratios.length);
  expect(assessor.outliers).toBe(0);
  expect(assessor.median_ratio).toBeCloseTo(median(ratios.map(({ ratio }) => ratio)), 4);
  const small = ratios.filter(({ acres }) => 0.25 <= acres && acres < 1).map(({ ratio }) => ratio);
  expect(studyOf('assessor', '0.25 acre-1 acre').median_ratio).toBeCloseTo(median(small), 4);

  const plat = studyOf('plat', 'all');
  expect(plat.n).toBeGreaterThan(40);
  // Far below 0, but no more than values without bias would show that are off by as much.
  expect(plat.prb!).toBeLessThan(-0.4);
  expect(plat.prb!).toBeGreaterThan(plat.prb_by_chance!.low);
  expect(plat.prb!).toBeLessThan(plat.prb_by_chance!.high);
  const { rows: late } = await pool.query(
    "select count(*)::int as n from listings where fips = 33019 and status = 'SOLD' and sold_date > date '2024-09-28'",
  );
  const lastYear = studyOf('plat', 'last_12_months');
  expect(lastYear.n + lastYear.outliers).toBe(late[0].n);
  for (const { n, vei, median_ratio, intervals } of quality.ratio_studies) {
    expect(median_ratio === null).toBe(n < 5);
    expect(vei === null).toBe(n < 20);
    if (median_ratio === null) continue;
    expect(intervals.median_ratio!.low).toBeLessThanOrEqual(median_ratio);
    expect(intervals.median_ratio!.high).toBeGreaterThanOrEqual(median_ratio);
  }
  const { ranks, sales, points, low, high } = quality.confidence;
  expect(sales).toBe(plat.n + plat.outliers);
  expect(low!).toBeLessThan(points!);
  expect(points!).toBeLessThan(high!);
  expect(ranks).toBe(low! > 0);
  for (const of of ['assessor', 'plat'] as const) {
    const bySize = quality.ratio_studies.filter(study => study.of === of && ACRE_SIZES.has(study.by));
    const all = studyOf(of, 'all');
    expect(bySize.reduce((sum, { n, outliers }) => sum + n + outliers, 0)).toBe(all.n + all.outliers);
  }
});

test('a county without sales, boundaries, or a record says so, and so does its page', async () => {
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const unknown = await api.call('/api/public/v1/coverage/23019/quality/', { key });
  expect(unknown.status).toBe(404);
  const unloaded = await ana.open('/coverage/23019');
  expect([unloaded.status, unloaded.text]).toEqual([200, expect.stringContaining('Penobscot, ME')]);
  expect((await ana.open('/coverage/99999')).status).toBe(404);
  await insertParcels(pool, [
    { property_id: PENOBSCOT * 1e8 + 1, feed_id: 99, owner_name: 'A' },
    { property_id: PENOBSCOT * 1e8 + 2, feed_id: 99 },
  ]);
  const nothing = { ids_kept: null, rows: null, ratio_studies: [], history: [], acreage_agrees: null };
  expect(await qualityOf('23019')).toMatchObject({
    ...nothing,
    computed_at: null,
    filled: {},
    boundaries: null,
  });
  expect((await ana.open('/coverage/23019')).status).toBe(200);

  const { signal } = new AbortController();
  expect(await recordCounty(pool, PENOBSCOT, { signal })).toEqual({ parcels: 2, sales: 0 });
  const quality = await qualityOf('23019');
  expect(quality).toMatchObject({
    ...nothing,
    parcels: 2,
    boundaries: 0,
    no_comps: { reason: expect.any(String) },
  });
  expect(quality.filled).toMatchObject({ owner_name: 0.5, acres: 0 });
  const page = (await ana.open('/coverage/23019')).text;
  expect(page).toContain(quality.no_comps!.message);
  expect(page).toMatch(/<b>[^<]*roll<\/b>: [^<]*Acres/);
});

test("a record is computed with a county's valuation: after a new merge, many new sales, or a week", async () => {
  const isDue = async () => (await enqueueDueRecord(pool, SULLIVAN)).length > 0;
  const made = () => pool.query("delete from jobs where name = 'valuation.record'");
  const job = allJobs.get('valuation.county')!;
  await job.run(jobContext(pool, db.config), { fips: SULLIVAN });
  expect(await isDue()).toBe(false);
  const changes = [
    "update county_records set computed_at = now() - interval '8 days' where fips = 33019",
    'update county_records set computed_at = now(), seen_run = 0 where fips = 33019',
    'update county_records set seen_run = 1000000, seen_sales = seen_sales / 2 where fips = 33019',
  ];
  for (const change of changes) {
    await pool.query(change);
    expect([change, await isDue()]).toEqual([change, true]);
    await made();
  }
  await job.run(jobContext(pool, db.config), { fips: SULLIVAN });
  const { rows } = await pool.query("select payload from jobs where name = 'valuation.record'");
  expect(rows).toEqual([{ payload: { fips: SULLIVAN } }]);
  const record = allJobs.get('valuation.record')!;
  expect(await record.run(jobContext(pool, db.config), rows[0]!.payload)).toMatchObject({ rows: 54 });
  await made();
  await pool.query('update county_records set seen_run = 1000000');
  expect(await isDue()).toBe(false);
});

test('statistics use the price index of an added county, and of all counties once they are valued', async () => {
  const context = jobContext(pool, db.config);
  const statistics = allJobs.get('market.recompute')!;
  const indexOf = async () => {
    const { rows } = await pool.query<{ index: number | null }>(
      "select convert_from(body, 'UTF8')::jsonb #> '{stats,-1,more,price_index}' as index from region_stats where code = '33019'",
    );
    return rows[0]!.index;
  };
  const after = async (job: string, payload: object) => {
    await pool.query('truncate jobs');
    await allJobs.get(job)!.run(context, payload);
    const { rows } = await pool.query("select payload from jobs where name like 'market%'");
    for (const { payload: scope } of rows) await statistics.run(context, scope);
    // They lead to nothing else: valuations do not depend on statistics.
    const { rows: rest } = await pool.query(
      "select from jobs where name like 'valuation.%' and payload = '{}'",
    );
    return { asked: rows.length, rest: rest.length, index: await indexOf() };
  };
  const known = await indexOf();
  expect(known).toBeGreaterThan(0);
  await pool.query('delete from valuation_counties');
  await recomputeStats(pool, { fips: SULLIVAN }, {});
  expect(await indexOf()).toBeNull();
  expect(await after('valuation.county', { fips: SULLIVAN })).toEqual({ asked: 1, rest: 0, index: known });
  expect(await after('valuation.county', { fips: SULLIVAN })).toEqual({ asked: 0, rest: 0, index: known });
  expect(await after('valuation.all', {})).toEqual({ asked: 1, rest: 0, index: known });
});

test("runs report what they read and kept; a blocked run is reported, but isn't counted", async () => {
  const counts = (rows: number) =>
    JSON.stringify({
      read: { roll: 100 },
      rejected: { missing_key: 3 },
      rows,
      new: 2,
      changed: 10,
      unchanged: 80,
      retired: 10,
      filled: { acres: 46, apn: 92, 'shape.apn': 92 },
    });
  await pool.query(
    `insert into runs (feed_id, status, counts, requested_by, finished_at)
     select r.feed_id, ran.status, ran.counts, 'test', now()
     from runs r, unnest(array['merged', 'blocked', 'failed', 'unchanged'], $1::jsonb[]) as ran (status, counts)
     where r.id = (select min(id) from runs)`,
    [[counts(92), counts(40), counts(0), counts(92)]],
  );
  const { ids_kept, rows, history } = await qualityOf('33019');
  expect(ids_kept).toBe(0.9);
  expect(rows).toEqual({ read: 100, rejected: 3, reasons: { missing_key: 3 } });
  expect(history.map(({ status, parcels }) => [status, parcels])).toEqual([
    ['blocked', 40],
    ['merged', 92],
    ['merged', 2028],
  ]);
  expect(history[1]!.filled).toEqual({ apn: 1, acres: 0.5 });
});
