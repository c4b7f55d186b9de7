import geographiclib from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../support/api.ts';
import { COMPS, compsCaller } from '../../support/comps.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, seed, ids } = await compsCaller(db, api);

describe('scopes', () => {
  test('a county by its FIPS code, with or without its zero', async () => {
    const [, there] = await seed('10010', { fips: 33_005 }, { fips: 6_001 });
    expect(await ids('fips=06001')).toEqual([there]);
    expect(await ids('fips=6001')).toEqual([there]);
    expect(await ids('fips=06001&zip=10010')).toEqual([there]);
    expect(await ids('fips=06001&zip=10001')).toEqual([]);
  });

  test('a circle is a polygon of 256 vertices on the geodesic rim, and 1000 m is the usual radius', async () => {
    const centre = { lon: -100.5, lat: 40.25 };
    const at = (metres: number, azimuth: number): [number, number] => {
      const { lon2, lat2 } = geographiclib.Geodesic.WGS84.Direct(centre.lat, centre.lon, azimuth, metres);
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
    const point = `point=${centre.lon}&point=${centre.lat}`;
    expect(await ids(point)).toEqual([near]);
    expect(await ids(`${point}&dist=1001`)).toEqual([near, far]);
    expect(await ids(`${point}&dist=50000`)).toHaveLength(3);
    expect(await ids(`${point}&dist=50010`)).toHaveLength(4);
    expect(await ids(`${point}&dist=48990`)).toHaveLength(2);
    expect(await ids(`${point}&dist=0`)).toEqual([]);
  });

  test('a circle over the antimeridian, and one around a pole', async () => {
    const [east, west, polar] = await seed(
      '10013',
      { location: [1_799_990_000, 520_000_000] },
      { location: [-1_799_990_000, 520_000_000] },
      { location: [1_230_000_000, 899_990_000] },
    );
    expect(await ids('point=179.9999&point=52&dist=500')).toEqual([east, west]);
    expect(await ids('point=-60&point=90&dist=500')).toEqual([polar]);
  });

  test('dist without a point means nothing', async () => {
    expect(await ids('zip=10010&dist=5')).toHaveLength(2);
  });

  test('a polygon with its boundary and without its hole; a multipolygon; a polygon and a circle at once', async () => {
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

  test('a polygon of 10,000 vertices is searched, one of 10,001 is a 422 at no cost', async () => {
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

test('an outline that winds around too many comps is a 422; one that passes them straight is not', async () => {
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
  expect(wound.json).toMatchObject({ error: { message: expect.stringContaining('simplify it') } });
  const straight = await ask([
    [60, 10],
    [61, 10],
    [61, 11],
    [60, 11],
    [60, 10],
  ]);
  expect(straight.json).toMatchObject({ count: 6_000 });
});
