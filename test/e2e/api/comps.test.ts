import geographiclib from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { COMPS, compsCaller, daysAgo } from '../../support/comps.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ring } from '../../support/rings.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId, seed, list, ids } = await compsCaller(db, api);

describe('fields', () => {
  test('a sale with all fields', async () => {
    const [id] = await seed('10001', {
      source: 'Test MLS',
      status: 'SOLD',
      address: '12 Pond Road',
      city: 'Washington',
      state: 'NH',
      county: 'SULLIVAN CTY',
      apn: '10-12',
      location: [-721018193, 431364950],
      lotAcres: 5.25,
      price: 68_300.5,
      listedDate: '2025-01-01',
      statusDate: '2025-03-02',
      soldDate: '2025-03-01',
      saleType: 'Vacant land',
      url: 'https://listings.example/1',
      photos: ['https://listings.example/1/a,b".jpg', 'https://listings.example/1/2.jpg'],
    });
    expect((await list('zip=10001')).results).toEqual([
      {
        id,
        source: 'Test MLS',
        status: 'SOLD',
        address: '12 Pond Road',
        city: 'Washington',
        state: 'NH',
        zip: '10001',
        county: 'SULLIVAN CTY',
        apn: '10-12',
        latitude: '43.1364950',
        longitude: '-72.1018193',
        lot_size: 5.25,
        price: 68_300.5,
        sold_date: '2025-03-01T00:00:00Z',
        days_on_market: 60,
        sale_type: 'Vacant land',
        url: 'https://listings.example/1',
        photos: ['https://listings.example/1/a,b".jpg', 'https://listings.example/1/2.jpg'],
      },
    ]);
  });

  test('a listing without any details: empty texts, null numbers, price 0', async () => {
    const [id] = await seed('10002', { lotAcres: 0 });
    expect((await list('zip=10002')).results).toEqual([
      {
        id,
        source: 'test',
        status: 'ACTIVE',
        address: '',
        city: '',
        state: '',
        zip: '10002',
        county: '',
        apn: '',
        latitude: '',
        longitude: '',
        lot_size: null,
        price: 0,
        sold_date: null,
        days_on_market: null,
        sale_type: '',
        url: '',
        photos: [],
      },
    ]);
  });

  test('addresses that are not web URLs are not shown, however they were stored', async () => {
    await seed('10007', {
      url: 'javascript:alert(1)',
      photos: ['data:text/html,x', 'https://listings.example/1.jpg', 'x'],
    });
    expect((await list('zip=10007')).results).toMatchObject([
      { url: '', photos: ['https://listings.example/1.jpg'] },
    ]);
  });

  test('small and negative coordinates keep their seven decimals and their sign', async () => {
    await seed('10003', { location: [-5, 7] });
    expect((await list('zip=10003')).results).toMatchObject([
      { longitude: '-0.0000005', latitude: '0.0000007' },
    ]);
  });

  test("days on market: the source's figure, else up to the status change, up to today if ACTIVE, never negative", async () => {
    await seed(
      '10004',
      { status: 'ACTIVE', listedDate: daysAgo(12), statusDate: daysAgo(12) },
      { status: 'ACTIVE', listedDate: daysAgo(12), daysOnMarket: 3 },
      { status: 'PENDING', listedDate: daysAgo(40), statusDate: daysAgo(10) },
      { status: 'SOLD', listedDate: daysAgo(40), soldDate: daysAgo(15) },
      { status: 'SOLD', listedDate: daysAgo(5), soldDate: daysAgo(15) },
      { status: 'PENDING', statusDate: daysAgo(10) },
    );
    const { results } = await list('zip=10004');
    expect(results.map(comp => comp.days_on_market)).toEqual([12, 3, 30, 25, null, null]);
  });

  test('a listing that was sold once and is for sale again has no sold_date', async () => {
    await seed('10005', { status: 'ACTIVE', soldDate: '2020-01-01' });
    expect((await list('zip=10005')).results).toMatchObject([{ status: 'ACTIVE', sold_date: null }]);
    expect(await ids('zip=10005&age=100000')).toEqual([]);
  });

  test('off-market listings are not shown', async () => {
    const [active] = await seed('10006', { status: 'ACTIVE' }, { status: 'OFF_MARKET' });
    expect(await ids('zip=10006')).toEqual([active]);
  });
});

describe('paging', () => {
  test('paging skips and repeats nothing while comps come and go, and keeps its count', async () => {
    const all = await seed('10041', ...Array.from({ length: 6 }, (_, n) => ({ price: 1_000 * (n + 1) })));
    const first = await list('zip=10041&order=price&page_size=2');
    await seed('10041', { price: 500 }, { price: 550 });
    await db.pool.query("update listings set status = 'OFF_MARKET' where id = $1", [all[0]]);
    const second = await list(new URL(first.next!).search.slice(1));
    expect(second.results.map(comp => comp.id)).toEqual(all.slice(2, 4));
    expect(second.count).toBe(6);
    expect(await ids(new URL(second.next!).search.slice(1))).toEqual(all.slice(4));
  });

  test('a page has 100 comps by default, and 500 at most', async () => {
    await seed('10042', ...Array.from({ length: 101 }, () => ({})));
    expect((await list('zip=10042')).results).toHaveLength(100);
    expect((await list('zip=10042&page_size=500')).results).toHaveLength(101);
  });
});

test('a comp costs a token, an empty page costs nothing', async () => {
  await seed('10020', {}, {}, {}, {});
  const before = await usageOf(db, accountId);
  await list('zip=10020');
  await list('zip=99999');
  await api.call(`${COMPS}?zip=10020`, { key, method: 'HEAD' });
  const after = await usageOf(db, accountId);
  expect(after.tokens - before.tokens).toBe(4);
  const { rows } = await db.pool.query('select distinct endpoint from usage_daily where account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ endpoint: 'public_comps' }]);
});

test('an account with fewer tokens than comps gets none of them', async () => {
  const poor = await newCaller(db, { tokensIncluded: 3 });
  const reply = await api.call(`${COMPS}?zip=10020`, { key: poor.key });
  expect([reply.status, reply.json]).toMatchObject([402, { error: { code: 'usage_limit_exceeded' } }]);
  // Nor does it learn how many there are.
  expect(reply.text).not.toContain('4 tokens');
  expect((await api.call(`${COMPS}?zip=10020&page_size=3`, { key: poor.key })).status).toBe(200);
});

describe('scopes', () => {
  test('a county by its FIPS code, with or without the leading zero', async () => {
    const [, there] = await seed('10010', { fips: 33_005 }, { fips: 6_001 });
    expect(await ids('fips=06001')).toEqual([there]);
    expect(await ids('fips=6001')).toEqual([there]);
    expect(await ids('fips=06001&zip=10010')).toEqual([there]);
    expect(await ids('fips=06001&zip=10001')).toEqual([]);
  });

  test('a circle is a polygon of 256 vertices on the geodesic, and the default radius is 1000 m', async () => {
    const center = { lon: -100.5, lat: 40.25 };
    const at = (meters: number, azimuth: number): [number, number] => {
      const { lon2, lat2 } = geographiclib.Geodesic.WGS84.Direct(center.lat, center.lon, azimuth, meters);
      return [Math.round(lon2! * 1e7), Math.round(lat2! * 1e7)];
    };
    const [near, far] = await seed(
      '10011',
      { location: at(999.98, 90) },
      { location: at(1_000.05, 90) },
      { location: at(49_000, 200) },
      // Half way between two vertices the polygon is 0.0075 % narrower.
      { location: at(49_999, 90 + 360 / 512) },
      { location: null },
    );
    const point = `point=${center.lon}&point=${center.lat}`;
    expect(await ids(point)).toEqual([near]);
    expect(await ids(`${point}&dist=1001`)).toEqual([near, far]);
    expect(await ids(`${point}&dist=50000`)).toHaveLength(3);
    expect(await ids(`${point}&dist=50010`)).toHaveLength(4);
    expect(await ids(`${point}&dist=48990`)).toHaveLength(2);
    expect(await ids(`${point}&dist=0`)).toEqual([]);
  });

  test('a circle across the antimeridian, and one around a pole', async () => {
    const [east, west, polar] = await seed(
      '10013',
      { location: [1_799_990_000, 520_000_000] },
      { location: [-1_799_990_000, 520_000_000] },
      { location: [1_230_000_000, 899_990_000] },
    );
    expect(await ids('point=179.9999&point=52&dist=500')).toEqual([east, west]);
    expect(await ids('point=-60&point=90&dist=500')).toEqual([polar]);
  });

  test('dist without a point does nothing', async () => {
    expect(await ids('zip=10010&dist=5')).toHaveLength(2);
  });

  test('a polygon includes its boundary and excludes its hole; a multipolygon; a polygon and a circle together', async () => {
    const [corner, edge, inside, rim, hole] = await seed(
      '10014',
      { location: [100_000_000, 100_000_000] },
      { location: [100_000_000, 105_000_000] },
      { location: [101_000_000, 101_000_000] },
      { location: [104_000_000, 105_000_000] },
      { location: [105_000_000, 105_000_000] },
      { location: [120_000_000, 105_000_000] },
    );
    const square = (west: number, south: number, size: number) => [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ];
    const ask = (geometry: object) => `polygon=${encodeURIComponent(JSON.stringify(geometry))}`;
    const holed = ask({ type: 'Polygon', coordinates: [square(10, 10, 1), square(10.4, 10.4, 0.2)] });
    expect(await ids(holed)).toEqual([corner, edge, inside, rim]);
    expect(await ids(`${holed}&point=10&point=10&dist=20000`)).toEqual([corner, inside]);
    const two = ask({
      type: 'MultiPolygon',
      coordinates: [[square(10.45, 10.45, 0.1)], [square(12, 10, 1)]],
    });
    expect(await ids(two)).toEqual([hole, expect.any(String)]);
    expect(await ids(ask({ type: 'MultiPolygon', coordinates: [] }))).toEqual([]);
  });

  test('a polygon of 10,000 vertices is searched, one of 10,001 is a 422 at no charge', async () => {
    const [there] = await seed('10015', { location: [-300_000_000, -300_000_000] });
    const ring = (vertices: number) => {
      const points = Array.from({ length: vertices }, (_, i) => {
        const angle = (i / vertices) * 2 * Math.PI;
        return [-30 + Number(Math.cos(angle).toFixed(7)), -30 + Number(Math.sin(angle).toFixed(7))].map(x =>
          Number(x.toFixed(7)),
        );
      });
      return encodeURIComponent(JSON.stringify({ type: 'Polygon', coordinates: [[...points, points[0]]] }));
    };
    expect(await ids(`polygon=${ring(10_000)}`)).toEqual([there]);
    const reply = await api.call(`${COMPS}?polygon=${ring(10_001)}`, { key });
    expect([reply.status, reply.headers.get('x-tokens-used')]).toEqual([422, '0']);
    expect(reply.json).toMatchObject({
      error: { code: 'unprocessable', message: expect.stringContaining('10000 vertices') },
    });
  });
});

test("an outline that winds around too many comps is a 422; one that passes them in a straight line isn't", async () => {
  await seed('10050', {});
  await db.pool.query(
    `insert into listings (id, feed_id, source, source_id, status, zip, location, price, row_hash, created_run, changed_run)
     select gen_random_uuid(), feed_id, source, n::text, 'ACTIVE', '10050',
       point(600000000 + n * 1500, 105000000 + n % 7 * 100000), 1, id, 1, 1
     from listings, generate_series(1, 6000) as n where zip = '10050'`,
  );
  const comb = Array.from({ length: 9_990 }, (_, i) => [
    Number((60 + Math.floor(i / 2) * 0.0002).toFixed(4)),
    i % 4 === 1 || i % 4 === 2 ? 11 : 10.1,
  ]);
  const ask = (ring: unknown[]) =>
    api.call(
      `${COMPS}?page_size=1&polygon=${encodeURIComponent(JSON.stringify({ type: 'Polygon', coordinates: [ring] }))}`,
      { key },
    );
  const wound = await ask([...comb, [62, 10], [59, 10], comb[0]]);
  expect([wound.status, wound.headers.get('x-tokens-used')]).toEqual([422, '0']);
  expect(wound.json).toMatchObject({ error: { code: 'unprocessable' } });
  const straight = await ask(ring('60 10, 61 10, 61 11, 60 11, 60 10'));
  expect(straight.json).toMatchObject({ count: 6_000 });
});
