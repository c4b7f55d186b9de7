import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../api/openapi.ts';
import {
  DETAIL_EXAMPLE,
  EXAMPLE_ID,
  FILTER_EXAMPLE,
  PORTFOLIO_EXAMPLE,
  SEARCH_EXAMPLE,
  STATS_EXAMPLE,
} from '../../api/v1/examples/examples.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { intersects, prepareQuery } from '../../shared/geo/intersects.ts';
import { newCaller, posting, startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { plainStats } from '../support/plain-stats.ts';
import { geodesicAcres, type RawComp, readComps, readMap } from '../support/raw-sample.ts';
import { SULLIVAN, ZIP_03280 } from '../support/regions.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

const V1 = '/api/public/v1/';

type Examples = Record<string, { summary: string; value: unknown }>;
type Operation = { responses: Record<string, { content: Record<string, { examples: Examples }> }> };

test.each(['comps/', 'regions/'])('the example of %s is what the bundled sample answers', async path => {
  const { paths } = openApiDocument() as { paths: Record<string, { get: Operation }> };
  const { summary, value } =
    paths[V1 + path]!.get.responses['200']!.content['application/json']!.examples.sample!;
  expect((await api.call(V1 + path + summary, { key })).json).toEqual(value);
});

test.each([
  [`properties/search/${SEARCH_EXAMPLE.query}`, SEARCH_EXAMPLE.response],
  [`properties/${EXAMPLE_ID}/`, DETAIL_EXAMPLE],
  [`properties/${EXAMPLE_ID}/owner-portfolio/`, PORTFOLIO_EXAMPLE],
  ['markets-stats/33019/stats/', STATS_EXAMPLE],
])('the bundled sample answers to %s as the documentation says', async (path, example) => {
  const { status, json } = await api.call(V1 + path, { key });
  expect(status).toBe(200);
  expect(json).toEqual(example);
});

/** What `stats` must be for these comps as of the day of the roll. */
function rawStats(comps: RawComp[]) {
  const listings = comps.map(({ status, price, acres, soldOn, daysOnMarket }) => ({
    status: status as 'ACTIVE' | 'PENDING' | 'SOLD',
    price: Number(price),
    acres: Number(acres),
    soldDate: soldOn,
    daysOnMarket,
  }));
  return plainStats(listings, '2025-09-28');
}

describe('the statistics of Washington NH equal those of a simple computation from the raw files', () => {
  const comps = readComps();

  test('the computation finds the listings in the files', () => {
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
  test('sale by sale and listing by listing', async () => {
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
    const { key, accountId } = await newCaller(db);
    const { status, headers, json } = await api.call(`${V1}markets-stats/${place}/stats/`, { key });
    const { tokens: used } = await usageOf(db, accountId);
    expect([status, headers.get('x-tokens-used'), used]).toEqual([200, '10', 10]);
    const stats = rawStats([...inside]);
    if (place === '33019') for (const { more } of stats) Object.assign(more, await readIndex());
    expect(json).toEqual({ ...region, as_of: '2025-09-28', stats });
  });

  /** The index is the valuation's; the last of its knots is the day of the roll. */
  async function readIndex() {
    const { rows } = await db.pool.query<{ price_index: [number, number, number][] }>(
      'select price_index from valuation_counties where fips = 33019',
    );
    const [day, log, deviation] = rows[0]!.price_index.at(-1)!;
    expect(new Date(day * 86_400_000).toISOString()).toContain('2025-09-28');
    const index = (z: number) => Math.round(1e4 * Math.exp(log + z * deviation)) / 100;
    return { price_index: index(0), price_index_low: index(-1.2816), price_index_high: index(1.2816) };
  }
});

test('every parcel on the map of Washington has the area that GeographicLib computes from its raw boundary', async () => {
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

test('the sales of the roll and the listings of the feed are comps of one county', async () => {
  type CompPage = { count: number; results: { status: string; sold_date: string | null; source: string }[] };
  const page = (await api.call(`${V1}comps/?fips=33019&page_size=500`, { key })).json as CompPage;
  const { rows } = await db.pool.query<{ count: number }>(
    "select count(*)::int as count from listings where fips = 33019 and status <> 'OFF_MARKET'",
  );
  expect(page.count).toBe(rows[0]!.count);
  expect(page.results).toHaveLength(page.count);
  for (const comp of page.results) {
    expect(comp.sold_date === null).toBe(comp.status !== 'SOLD');
    expect(comp.source).toBe(
      comp.status === 'SOLD' ? 'Washington NH assessor' : 'Generated sample (not real listings)',
    );
  }
});

type Found = { count: number; results: { property_id: number; effective_acres: number | null }[] };

async function filter(body: object): Promise<Found> {
  const reply = await api.call(`${V1}properties/filter/?page_size=500`, posting(key, JSON.stringify(body)));
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json as Found;
}

test('the example of the filter is the response of the bundled sample', async () => {
  expect(await filter(FILTER_EXAMPLE.request)).toEqual(FILTER_EXAMPLE.response);
});

test('a parcel is found by the acreage that it shows', async () => {
  // Those whose acreage is measured first; there are few.
  const { rows } = await db.pool.query<{ property_id: number }>(
    'select property_id from parcels where retired_at is null and effective_acres > 0 order by acres nulls first limit 10',
  );
  for (const { property_id } of rows) {
    const { effective_acres } = (await filter({ property_id, county: '33019' })).results[0]!;
    const body = { county: '33019', acres_min: effective_acres, acres_max: effective_acres, property_id };
    expect((await filter(body)).count, `parcel ${property_id}`).toBe(1);
  }
});

/** Every boundary of the sample. */
async function boundaries(): Promise<{ id: number; boundary: MultiPolygon }[]> {
  const { rows } = await db.pool.query<{ property_id: number; boundary: Buffer }>(
    'select property_id, boundary from parcels where retired_at is null and boundary is not null order by 1',
  );
  return rows.map(row => ({ id: row.property_id, boundary: decodeBoundary(row.boundary) }));
}

function wkt(polygons: MultiPolygon): string {
  const text = polygons.map(
    rings => `(${rings.map(ring => `(${ring.map(([lon, lat]) => `${lon} ${lat}`).join(', ')})`).join(', ')})`,
  );
  return `MULTIPOLYGON (${text.join(', ')})`;
}

test('parcels as query shapes find themselves and their neighbors, as testing every boundary does', async () => {
  const all = await boundaries();
  let neighbors = 0;
  for (let at = 0; at < all.length; at += 101) {
    const { id, boundary } = all[at]!;
    const query = prepareQuery({ points: [], lines: [], polygons: boundary });
    const expected = all.filter(other => intersects(query, other.boundary)).map(other => other.id);
    const found = (await filter({ geom_intersects: wkt(boundary) })).results.map(row => row.property_id);
    expect(found, `parcel ${id}`).toEqual(expected);
    expect(found).toContain(id);
    neighbors += found.length - 1;
  }
  expect(neighbors).toBeGreaterThan(20);
});
