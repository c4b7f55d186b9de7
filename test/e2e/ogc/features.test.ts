import type { FeatureCollection } from 'geojson';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, encodeLines } from '../../../shared/geo/geometry-codec.ts';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { putLayer } from '../../support/land.ts';
import { overlayOf, putOverlays } from '../../support/overlays.ts';
import { boxRing } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db);

type Items = FeatureCollection & { numberReturned: number; links: { rel: string; href: string }[] };
type Fault = { code: string; description: string; request_id: string };

const bearer = (token = key) => ({ Authorization: `Bearer ${token}` });

/** Plain requests, because /ogc has its own OpenAPI document and errors. */
async function get(path: string, init: RequestInit = {}) {
  const url = path.startsWith('http') ? path : `${api.url}/ogc${path}`;
  const response = await fetch(url, { headers: bearer(), ...init });
  const text = await response.text();
  const tokens = Number(response.headers.get('x-tokens-used'));
  const { status, headers } = response;
  return { status, headers, tokens, text, json: text === '' ? undefined : JSON.parse(text) };
}

async function items(query: string) {
  const { json, ...reply } = await get(`/collections/${query}`);
  expect(reply.status, reply.text.slice(0, 500)).toBe(200);
  return { ...reply, ...(json as Items) };
}

async function all(query: string): Promise<Items['features']> {
  const found: Items['features'] = [];
  for (let next: string | undefined = `/collections/${query}`; next; ) {
    const { json } = await get(next);
    found.push(...(json as Items).features);
    next = (json as Items).links.find(({ rel }) => rel === 'next')?.href;
  }
  return found;
}

const idsOf = (features: Items['features']) => features.map(({ id }) => id);

async function filtered(body: object): Promise<number[]> {
  const { json } = await api.call(
    '/api/public/v1/properties/filter/?page_size=500',
    posting(key, JSON.stringify(body)),
  );
  return (json as { results: { property_id: number }[] }).results.map(row => row.property_id);
}

const BOX = [-72.11, 43.17, -72.1, 43.18];
const WKT = 'POLYGON ((-72.11 43.17, -72.1 43.17, -72.1 43.18, -72.11 43.18, -72.11 43.17))';
const cql = (text: string) => `filter=${encodeURIComponent(text)}`;

/** An L whose extent covers the box [-70.5, 44.5, -70.1, 44.9], though the shape doesn't. */
const L_SHAPE: [number, number][] = [
  [-71, 44],
  [-70, 44],
  [-70, 44.1],
  [-70.9, 44.1],
  [-70.9, 45],
  [-71, 45],
  [-71, 44],
];

beforeAll(async () => {
  await putLayer(db.pool, 'flood', {
    coverage: [-71, 44, -69, 45],
    features: [
      { class: 'AE', shape: [[L_SHAPE]] },
      { class: 'A', shape: [[boxRing(-69.9, 44.5, -69.8, 44.6)]] },
    ],
  });
});

describe('parcels', () => {
  test('all pages have every parcel once, in order, with its stored boundary', async () => {
    const { rows } = await db.pool.query<{ property_id: number; boundary: Buffer | null }>(
      'select property_id, boundary from parcels where retired_at is null order by property_id',
    );
    const features = await all('parcels/items?limit=900');
    expect(idsOf(features)).toEqual(rows.map(row => row.property_id));
    for (const [at, { boundary }] of rows.entries()) {
      const { geometry } = features[at]!;
      if (boundary === null) expect(geometry?.type ?? 'Point').toBe('Point');
      else {
        const polygons = decodeBoundary(boundary);
        expect(geometry).toMatchObject({ coordinates: polygons.length === 1 ? polygons[0] : polygons });
      }
    }
  });

  test.each<[parts: number, tokens: number]>([
    [1, 1],
    [10, 1],
    [11, 2],
    [1000, 100],
  ])('a page of %i costs %i', async (limit, tokens) => {
    const page = await items(`parcels/items?limit=${limit}`);
    expect(page).toMatchObject({ numberReturned: limit, tokens });
    expect(page.features).toHaveLength(limit);
    expect(page).not.toHaveProperty('numberMatched');
  });

  test('has 10 features by default, and at most 1,000', async () => {
    expect((await items('parcels/items')).numberReturned).toBe(10);
    expect((await items('parcels/items?limit=5000')).numberReturned).toBe(1000);
  });

  test('a bbox selects what properties/filter/ finds in the same area, in any reference system', async () => {
    const expected = await filtered({ geom_intersects: WKT });
    expect(expected.length).toBeGreaterThan(10);
    const [w, s, e, n] = BOX;
    const x = (lon: number) => (lon / 180) * 20_037_508.342789244;
    const y = (lat: number) => Math.log(Math.tan(((90 + lat) * Math.PI) / 360)) * 6_378_137;
    const epsg = (code: number) => `bbox-crs=http://www.opengis.net/def/crs/EPSG/0/${code}`;
    const queries = [
      `bbox=${BOX}`,
      `bbox=${w},${s},0,${e},${n},100`,
      `bbox=${s},${w},${n},${e}&${epsg(4326)}`,
      `bbox=${[x(w!), y(s!), x(e!), y(n!)]}&${epsg(3857)}`,
    ];
    for (const query of queries)
      expect(idsOf(await all(`parcels/items?limit=500&${query}`)), query).toEqual(expected);
  });

  test('coordinates are in the requested reference system', async () => {
    const one = async (crs: string) => {
      const { headers, features } = await items(`parcels/items?limit=1&bbox=${BOX}&crs=${crs}`);
      expect(headers.get('content-crs')).toBe(`<${crs}>`);
      return (features[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]!;
    };
    const [lon, lat] = await one('http://www.opengis.net/def/crs/OGC/1.3/CRS84');
    expect(await one('http://www.opengis.net/def/crs/EPSG/0/4326')).toEqual([lat, lon]);
    const [x] = await one('http://www.opengis.net/def/crs/EPSG/0/3857');
    expect(x).toBeCloseTo((lon! / 180) * 20_037_508.342789244, 3);
  });

  test.each(['170,40,-170,50', '181,40,190,50', '0,0,0,0'])('nothing is in %s, which is free', async bbox => {
    expect(await items(`parcels/items?bbox=${bbox}`)).toMatchObject({ numberReturned: 0, tokens: 0 });
  });

  test.each<[text: string, body: object]>([
    ["county = '33019' AND acres >= 50", { county: '33019', acres_min: 50 }],
    ["county = '33019' AND acres BETWEEN 5 AND 6", { county: '33019', acres_min: 5, acres_max: 6 }],
    ["(county='33019') and (vacant_only = true)", { county: '33019', vacant_only: true }],
    [
      "counties IN ('33019', '33013') AND year_built > 2000",
      { counties: [33019, 33013], year_built_min: 2001 },
    ],
    [
      "county = '33019' AND last_sale_date >= DATE('2015-01-01')",
      { county: '33019', last_sale_date_min: '20150101' },
    ],
    ['county = \'33019\' AND "acres" IS NOT NULL', { county: '33019', known: ['acres'] }],
    ["county = '33019' AND owner_occupied = 'N'", { county: '33019', owner_occupied: 'N' }],
  ])('%s', async (text, body) => {
    const found = idsOf(await all(`parcels/items?limit=1000&${cql(text)}`));
    const expected = await filtered(body);
    expect(found.slice(0, 500)).toEqual(expected);
  });

  test.each([
    'acres >= 5',
    "county = '33019' OR acres > 5",
    "NOT county = '33019'",
    "county = '33019' AND acres > 5.5",
    "county = '33019' AND acres <> 5",
    "county = '33019' AND nothing = 5",
    "county = '33019' AND acres >= 5 AND acres >= 6",
    "county = '33019' AND acres = 'many'",
    "county = '99999'",
    "list_id = '11111111-1111-1111-1111-111111111111'",
    'county = ',
    "county = '33019",
    '((((((((((((((((((((((((a = 1))))))))))))))))))))))))',
  ])('refuses %s', async text => {
    const { status, json, tokens } = await get(`/collections/parcels/items?${cql(text)}`);
    expect(status, JSON.stringify(json)).toBe(400);
    expect(json).toMatchObject({ code: 'validation_error', details: expect.anything() });
    expect(tokens).toBe(0);
  });
});

describe('other collections', () => {
  test('comps are those of comps/, and datetime selects sales', async () => {
    const features = await all('comps/items?limit=100');
    const { rows } = await db.pool.query<{ id: string; sold: string | null }>(
      `select id, case when status = 'SOLD' then sold_date::text end as sold from listings
       where status <> 'OFF_MARKET' order by id`,
    );
    expect(idsOf(features)).toEqual(rows.map(({ id }) => id));
    const days = rows.flatMap(({ sold }) => sold ?? []).sort();
    const middle = days[days.length >> 1]!;
    const between = (from: string, to: string) =>
      rows.filter(({ sold }) => sold !== null && sold >= from && sold <= to).map(({ id }) => id);
    for (const [interval, from, to] of [
      [middle, middle, middle],
      [`${middle}/..`, middle, '9999'],
      [`../${middle}T23:00:00Z`, '0000', middle],
      [`${days[0]}/${middle}`, days[0]!, middle],
    ] as const)
      expect(idsOf(await all(`comps/items?limit=100&datetime=${interval}`)), interval).toEqual(
        between(from, to),
      );
  });

  test('comps can be filtered', async () => {
    const found = idsOf(
      await all(`comps/items?limit=1000&${cql("fips = '33019' AND status IN ('SOLD') AND lot_size >= 5")}`),
    );
    const { json } = await api.call(
      '/api/public/v1/comps/?fips=33019&status=SOLD&acres_min=5&page_size=500',
      { key },
    );
    expect(found.slice(0, 500)).toEqual((json as { results: { id: string }[] }).results.map(({ id }) => id));
    expect((await get(`/collections/comps/items?${cql('lot_size >= 5')}`)).status).toBe(400);
  });

  test('layers have their features, and a bbox tests the shape rather than its extent', async () => {
    expect((await all('roads/items?limit=40')).length).toBeGreaterThan(50);
    const classesIn = async (bbox: string) =>
      (await all(`flood/items?limit=1&bbox=${bbox}`)).map(({ properties }) => properties!.class);
    expect(await classesIn('-70.5,44.5,-70.1,44.9')).toEqual([]);
    expect(await classesIn('-70.95,44.5,-70.1,44.9')).toEqual(['AE']);
    expect((await classesIn('-70.5,44,-69.85,44.9')).sort()).toEqual(['A', 'AE']);
    // A road that ends inside the box, and one that only passes through it.
    const roads = idsOf(await all(`roads/items?limit=1000&bbox=${BOX}`));
    expect(roads.length).toBeGreaterThan(0);
  });

  test('an overlay has its features, with classes and numbers, whatever their geometry', async () => {
    const soils = {
      ...overlayOf('soils', ['dry', 'wet']),
      numbers: [{ name: 'rock_in', label: 'Rock', unit: 'in' }],
    };
    await putOverlays(db.pool, [soils, overlayOf('wells', ['deep'])], []);
    const shapes: [overlays: object, bytes: Uint8Array, box: string][] = [
      [{ soils: 'wet', rock_in: 40 }, encodeBoundary([[L_SHAPE]]), '(-70,45),(-71,44)'],
      [{ wells: 'deep' }, encodeLines([[[-70.5, 44.5]]]), '(-70.5,44.5),(-70.5,44.5)'],
    ];
    for (const [overlays, bytes, box] of shapes)
      await db.pool.query(
        `insert into layer_features (feed_id, hash, class, overlays, geometry, extent)
         select max(feed_id), gen_random_uuid(), '', $1, $2, $3::box * point(1e7, 0)
         from land_layers where kind = 'overlay'`,
        [JSON.stringify(overlays), Buffer.from(bytes), box],
      );
    const names = ((await get('/collections')).json as { collections: { id: string }[] }).collections;
    expect(names.map(({ id }) => id)).toEqual(expect.arrayContaining(['overlay.soils', 'overlay.wells']));
    expect((await items('overlay.soils/items')).features).toMatchObject([
      { geometry: { type: 'Polygon' }, properties: { class: 'wet', name: null, rock_in: 40 } },
    ]);
    const [well] = (await items('overlay.wells/items?bbox=-70.6,44.4,-70.4,44.6')).features;
    expect(well).toMatchObject({
      geometry: { type: 'Point', coordinates: [-70.5, 44.5] },
      properties: { class: 'deep' },
    });
    const schema = (await get('/collections/overlay.soils/schema')).json;
    expect(schema).toMatchObject({
      properties: { properties: { properties: { rock_in: { type: 'number' } } } },
    });
    expect((await get(`/collections/overlay.wells/items/${well!.id}`)).status).toBe(200);
    expect((await get(`/collections/overlay.soils/items/${well!.id}`)).status).toBe(404);
    expect((await get('/collections/overlay.none/items')).status).toBe(404);
  });

  test('counties by place and by state', async () => {
    expect(idsOf(await all('counties/items?bbox=-72.11,43.17,-72.1,43.18'))).toEqual(['33019']);
    expect((await all(`counties/items?limit=4&${cql("state = 'NH'")}`)).length).toBe(10);
  });

  test('a feature by id is the one on the page, and costs 1 token', async () => {
    for (const name of ['parcels', 'comps', 'counties', 'roads', 'flood']) {
      const [first] = (await items(`${name}/items?limit=1`)).features;
      const { json, tokens, status } = await get(`/collections/${name}/items/${first!.id}`);
      expect({ status, tokens }).toEqual({ status: 200, tokens: 1 });
      expect(json).toMatchObject(first!);
      for (const id of ['0', 'none', '00000000-0000-4000-8000-000000000000', '9'.repeat(15)])
        expect(await get(`/collections/${name}/items/${id}`)).toMatchObject({ status: 404, tokens: 0 });
    }
  });
});

describe('keys and charges', () => {
  test('a key works as a bearer token or as the password of Basic authentication', async () => {
    const basic = { Authorization: `Basic ${Buffer.from(`any one:${key}`).toString('base64')}` };
    expect((await get('/collections/counties/items', { headers: basic })).status).toBe(200);
    const { status, headers, json } = await get('/collections/counties/items', { headers: {} });
    expect({ status, code: (json as Fault).code }).toEqual({ status: 401, code: 'unauthorized' });
    expect(headers.get('www-authenticate')).toMatch(/Bearer.*Basic/);
    const mcp = await newCaller(db, {}, { scopes: ['api:mcp'] });
    expect((await get('/collections/counties/items', { headers: bearer(mcp.key) })).status).toBe(403);
    const free = await newCaller(db, { tier: 'free' });
    expect((await get('/collections/counties/items', { headers: bearer(free.key) })).status).toBe(402);
  });

  test('a call is recorded, and an unchanged page is free', async () => {
    const before = await usageOf(db, accountId);
    const { headers } = await items('parcels/items?limit=20');
    const tag = headers.get('etag')!;
    const again = await get('/collections/parcels/items?limit=20', {
      headers: { ...bearer(), 'If-None-Match': tag },
    });
    expect({ status: again.status, tokens: again.tokens }).toEqual({ status: 304, tokens: 0 });
    expect(await usageOf(db, accountId)).toMatchObject({
      tokens: before.tokens + 2,
      calls: before.calls + 1,
    });
    const { rows } = await db.pool.query('select distinct endpoint from usage_daily where endpoint ~ $1', [
      'ogc',
    ]);
    expect(rows).toEqual([{ endpoint: 'public_ogc_items' }]);
  });

  test('nothing free tells whether a filter matches', async () => {
    const some = `/collections/parcels/items?limit=50&bbox=${BOX}`;
    const none = '/collections/parcels/items?limit=50&bbox=-60,10,-59,11';
    const { key: poor } = await newCaller(db, { tokensIncluded: 4 });
    for (const path of [some, none]) {
      expect((await get(path, { headers: bearer(poor) })).status, path).toBe(402);
      const any = await get(path, { headers: { ...bearer(), 'If-None-Match': '*' } });
      expect(any.status).toBe(200);
      const head = await fetch(`${api.url}/ogc${path}`, { method: 'HEAD', headers: bearer() });
      expect(head.status).toBe(405);
      const quote = await get(`${path}&quote=true`);
      expect(quote.json).toEqual({ tokens: null, at_most: 5 });
    }
    expect((await get(none)).headers.get('etag')).toBeNull();
  });

  test('a cursor is valid only for its own request', async () => {
    const { links } = await items('parcels/items?limit=2');
    const next = links.find(({ rel }) => rel === 'next')!.href;
    expect(next).not.toMatch(/[?&]page=/);
    expect((await get(next)).status).toBe(200);
    expect((await get(next.replace('limit=2', 'limit=3'))).status).toBe(400);
    expect((await get(next.replace('/parcels/', '/comps/'))).status).toBe(400);
  });
});

test.each([
  ['/nothing', 404, 'not_found'],
  ['/collections/nothing', 404, 'not_found'],
  ['/collections/nothing/items', 404, 'not_found'],
  ['/collections/parcels/items?limit=0', 400, 'validation_error'],
  ['/collections/parcels/items?bbox=1,2,3', 400, 'validation_error'],
  ['/collections/parcels/items?bbox=1,4,3,2', 400, 'validation_error'],
  ['/collections/parcels/items?crs=EPSG:2263', 400, 'validation_error'],
  ['/collections/parcels/items?datetime=yesterday', 400, 'validation_error'],
  ['/collections/parcels/items?datetime=2025-02-01/2025-01-01', 400, 'validation_error'],
  ['/collections/parcels/items?datetime=../..', 400, 'validation_error'],
  ['/collections/parcels/items?filter-lang=cql-json', 400, 'validation_error'],
  ['/collections/roads/items?filter=name%20=%20%27A%27', 400, 'validation_error'],
  ['/collections/%E0%A4%A/items', 400, 'validation_error'],
])('%s is %i in the form of the standard', async (path, status, code) => {
  const reply = await get(path);
  expect(reply.status, reply.text).toBe(status);
  expect(reply.json).toMatchObject({ code, description: expect.any(String), request_id: expect.any(String) });
});
