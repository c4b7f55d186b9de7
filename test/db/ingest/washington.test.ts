import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import type { RunResult } from '../../../workers/ingest/engine/locked-run.ts';
import { loadFeed } from '../../../workers/ingest/load-feeds.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, ingest, insertRegions, one } from '../../support/ingest.ts';

const SAMPLE = join(rootDir, 'workers/sample');
const FIXTURES = join(rootDir, 'test/fixtures/washington_nh');
const YEARS = [2022, 2023, 2024, 2025] as const;

const { pool } = await createTestDatabase();

type Stored = { source_key: string; property_id: number; retired: boolean };
const parcels = () =>
  all<Stored>(
    pool,
    'select source_key, property_id, retired_at is not null as retired from parcels order by property_id',
  );

const runs = new Map<number, RunResult>();
const after = new Map<number, Stored[]>();
let again: RunResult;

beforeAll(async () => {
  await insertRegions(pool, [
    { type: 'county', code: '33019', state: 'NH', fips: 33019 },
    { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
    { type: 'zip', code: '03284', state: 'NH', fips: 33019 },
  ]);
  const feed = await loadFeed(join(SAMPLE, 'feeds/washington-nh.yaml'));
  for (const year of YEARS) {
    const data = year === 2025 ? join(SAMPLE, 'data/washington_nh') : FIXTURES;
    const packed = year === 2025 ? '' : '.gz';
    const sources = {
      roll: join(data, `assessor-${year}.dbf${packed}`),
      shape: join(data, `parcels-${year}.geojson${packed}`),
    };
    runs.set(year, await ingest(pool, feed, { sources }));
    after.set(year, await parcels());
  }
  again = await ingest(pool, feed);
});

const active = (year: number) => after.get(year)!.filter(row => !row.retired);

describe('the four yearly rolls of Washington in order', () => {
  test('every one passes the checks, and every row is accounted for', () => {
    const figures = YEARS.map(year => {
      const { status, counts: c } = runs.get(year)!;
      return [
        year,
        status,
        c.read,
        { new: c.new, changed: c.changed, unchanged: c.unchanged, retired: c.retired, returned: c.returned },
      ];
    });
    // Rows, features, and keys that are new, gone or back were also counted by a plain script over the files.
    expect(figures).toEqual([
      [
        2022,
        'merged',
        { roll: 2042, shape: 2034 },
        { new: 2044, changed: 0, unchanged: 0, retired: 0, returned: 0 },
      ],
      [
        2023,
        'merged',
        { roll: 2035, shape: 2023 },
        { new: 4, changed: 2032, unchanged: 1, retired: 11, returned: 0 },
      ],
      [
        2024,
        'merged',
        { roll: 2031, shape: 2018 },
        { new: 2, changed: 802, unchanged: 1227, retired: 8, returned: 0 },
      ],
      [
        2025,
        'merged',
        { roll: 2027, shape: 2019 },
        { new: 2, changed: 788, unchanged: 1237, retired: 6, returned: 1 },
      ],
    ]);
  });

  test('a parcel keeps its id through all years, whether it stays, leaves, or comes back', () => {
    const ids = new Map<string, number>();
    for (const year of YEARS) {
      for (const { source_key, property_id } of after.get(year)!) {
        expect(ids.get(source_key) ?? property_id).toBe(property_id);
        ids.set(source_key, property_id);
      }
    }
    expect(new Set(ids.values()).size).toBe(ids.size);
    expect([...ids.values()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: ids.size }, (_, i) => 3_301_900_000_001 + i),
    );
    const gone = after
      .get(2024)!
      .filter(row => row.retired)
      .map(row => row.source_key);
    const returned = active(2025).filter(row => gone.includes(row.source_key));
    expect(returned).toHaveLength(1);
    expect(active(2022).map(row => row.property_id)).toContain(returned[0]!.property_id);
  });

  test('the last year again changes nothing', () => {
    expect(again).toMatchObject({
      status: 'unchanged',
      counts: { new: 0, changed: 0, retired: 0, returned: 0, unchanged: 2028 },
    });
  });
});

describe('sales of the Washington sample', () => {
  type Comp = Record<string, unknown>;
  const comps = () =>
    all<Comp>(pool, "select * from listings where source = 'Washington NH assessor' and status = 'SOLD'");

  test('121 rows of 2025 are comps: vacant, qualified, 1,000 USD and more, dated; deeds of several parcels are not', async () => {
    expect(runs.get(2025)!.counts.sales).toEqual({ comps: 121, multi_parcel: 1, disqualified: 1 });
    expect(again.counts.sales).toEqual({ comps: 121, multi_parcel: 1, disqualified: 0 });
    const rows = await all<{ n: number; price: number }>(
      pool,
      `select count(*)::int as n, min(price)::float8 as price from listings l
       join parcels p on p.fips = l.fips and l.source_id = format('33019/%s/%s', p.source_key, p.last_sale_date)
       where l.status = 'SOLD' and p.retired_at is null`,
    );
    expect(rows[0]).toEqual({ n: 121, price: expect.toSatisfy((price: number) => price >= 1_000) });
  });

  test('a comp is kept if its parcel is sold again, and taken off the market if the sale becomes unqualified', async () => {
    const earlier = await all<{ n: number }>(
      pool,
      `select count(*)::int as n from listings l join parcels p on l.source_id like '33019/' || p.source_key || '/%'
       where l.status = 'SOLD' and p.last_sale_date > l.sold_date`,
    );
    expect(earlier[0]!.n).toBeGreaterThan(0);
    const off = await one<{ n: number }>(
      pool,
      "select count(*)::int as n from listings where status = 'OFF_MARKET'",
    );
    expect(off.n).toBeGreaterThan(0);
    const events = await all<{ statuses: string[] }>(
      pool,
      `select array_agg(e.status order by run_id) as statuses from listing_events e join listings l on l.id = e.listing_id
       where l.status = 'OFF_MARKET' and l.sale_type = 'Vacant land, qualified' group by l.id`,
    );
    expect(events.length).toBeGreaterThan(0);
    for (const { statuses } of events) expect(statuses.slice(-2)).toEqual(['SOLD', 'OFF_MARKET']);
  });

  test('a comp has every field of the roll and its location', async () => {
    for (const comp of await comps()) {
      expect(comp).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        fips: 33019,
        county: 'Sullivan',
        state: 'NH',
        zip: '03280',
        city: expect.stringMatching(/./),
        apn: expect.stringMatching(/\d/),
        sold_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        sale_type: 'Vacant land, qualified',
        url: '',
        photos: [],
      });
      expect(comp.lot_acres).toBeGreaterThan(0);
      expect(comp.address).not.toBe('');
    }
    const unplaced = (await comps()).filter(comp => comp.location === null);
    expect(unplaced.length).toBeLessThan(5);
  });

  test('the merge marks the county and the ZIP, and enqueues one recompute', async () => {
    expect(await all(pool, 'select type, code from stats_dirty order by type')).toEqual([
      { type: 'county', code: '33019' },
      { type: 'zip', code: '03280' },
    ]);
    const jobs = await all<{ id: string; payload: unknown }>(
      pool,
      "select id, payload from jobs where name = 'market.recompute'",
    );
    expect(jobs).toEqual([{ id: runs.get(2022)!.follow[0], payload: { scope: { dirty: true } } }]);
    expect(again.follow).toEqual([]);
  });
});
