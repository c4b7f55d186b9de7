import { VectorTile } from '@mapbox/vector-tile';
import fc from 'fast-check';
import type { FeatureCollection } from 'geojson';
import { PbfReader } from 'pbf';
import { describe, expect, test } from 'vitest';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runs } from '../../support/runs.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);
const bare = await createTestDatabase();
const withoutParcels = await startTestApi(bare);

const SET = '/ogc/collections/parcels/tiles/WebMercatorQuad';
/** Washington, New Hampshire. */
const PLACE = [-72.1, 43.17] as const;

function tileAt(zoom: number, [lon, lat]: readonly [number, number] = PLACE) {
  const n = 2 ** zoom;
  const sine = Math.sin((lat * Math.PI) / 180);
  const x = Math.floor((lon / 360 + 0.5) * n);
  return { z: zoom, x, y: Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n) };
}

const pathOf = ({ z, x, y }: ReturnType<typeof tileAt>) => `${SET}/${z}/${y}/${x}`;
const TILE = pathOf(tileAt(15));
const EMPTY = pathOf(tileAt(15, [-100, 40]));

async function get(path: string, token = key, headers = {}, method = 'GET') {
  const response = await fetch(api.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const tokens = Number(response.headers.get('x-tokens-used'));
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    tokens,
    json: isJson && bytes.length > 0 ? JSON.parse(Buffer.from(bytes).toString()) : undefined,
  };
}

async function featuresOf(path: string) {
  const { status, bytes } = await get(path);
  expect([200, 204]).toContain(status);
  const { layers } = new VectorTile(new PbfReader(bytes));
  expect(Object.keys(layers)).toEqual(status === 200 ? ['parcels'] : []);
  return Array.from({ length: layers.parcels?.length ?? 0 }, (_, at) => layers.parcels!.feature(at));
}

test('tiles have every parcel, with what its feature says', async () => {
  const { json } = await get('/ogc/collections/parcels/items?limit=1000&bbox=-72.11,43.17,-72.1,43.18');
  const { features } = json as FeatureCollection;
  expect(features.length).toBeGreaterThan(20);
  const { x: west, y: south } = tileAt(15, [-72.11, 43.17]);
  const { x: east, y: north } = tileAt(15, [-72.1, 43.18]);
  const drawn = new Map<number, Record<string, unknown>>();
  for (let x = west; x <= east; x++)
    for (let y = north; y <= south; y++)
      for (const { id, properties } of await featuresOf(pathOf({ z: 15, x, y }))) drawn.set(id!, properties);
  for (const { id, properties } of features)
    expect(drawn.get(id as number), String(id)).toEqual({
      property_id: id,
      ...(properties!.apn !== null && { apn: properties!.apn }),
      ...(properties!.effective_acres !== null && { acres: properties!.effective_acres }),
    });
});

test('exterior rings are clockwise on the screen, as the format requires', async () => {
  for (const zoom of [11, 13, 16])
    for (const feature of await featuresOf(pathOf(tileAt(zoom)))) {
      if (feature.type !== 3) continue;
      const [exterior] = feature.loadGeometry();
      const area = exterior!.reduce((sum, to, at) => {
        const from = exterior!.at(at - 1)!;
        return sum + from.x * to.y - to.x * from.y;
      }, 0);
      expect(area, `parcel ${feature.id} at zoom ${zoom}`).toBeGreaterThanOrEqual(0);
    }
});

test('far away, large parcels are outlines, and the rest are points', async () => {
  const features = await featuresOf(pathOf(tileAt(11)));
  const outlines = features.filter(({ type }) => type === 3);
  expect(outlines.length).toBeGreaterThan(10);
  for (const { id, properties } of outlines) expect(properties.property_id).toBe(id);
  for (const { type, properties } of features) if (type === 1) expect(properties).toEqual({});
});

describe('charges', () => {
  test('20 tiles cost a token, and the first of them pays', async () => {
    const { key: own, accountId } = await newCaller(db);
    const costs = [];
    for (let tile = 0; tile < 41; tile++) costs.push((await get(TILE, own)).tokens);
    expect(costs.flatMap((tokens, at) => (tokens === 0 ? [] : [`${at}: ${tokens}`]))).toEqual([
      '0: 1',
      '20: 1',
      '40: 1',
    ]);
    expect(await usageOf(db, accountId)).toEqual({ tokens: 3, calls: 41, daily: 3 });
    const usage = await api.call('/api/public/v1/usage/breakdown/', { key: own });
    expect(usage.json).toMatchObject({ records: [{ endpoint: 'public_tiles', mode: 'direct', tokens: 3 }] });
  });

  test('tiles at the same time share tokens, and their prices add up', async () => {
    const { key: own, accountId } = await newCaller(db);
    const paths = Array.from({ length: 50 }, (_, at) =>
      pathOf({ ...tileAt(16), x: tileAt(16).x + (at % 3) }),
    );
    const replies = await Promise.all(paths.map(path => get(path, own)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(replies.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(3);
    expect(await usageOf(db, accountId)).toEqual({ tokens: 3, calls: 50, daily: 3 });
  });

  test('unchanged and empty tiles are free', async () => {
    const { key: own, accountId } = await newCaller(db);
    const { headers } = await get(TILE, own);
    const again = await get(TILE, own, { 'If-None-Match': headers.get('etag')! });
    expect([again.status, again.tokens, again.bytes.length]).toEqual([304, 0, 0]);
    expect((await get(TILE, own, { 'If-None-Match': '*' })).status).toBe(200);
    const empty = await get(EMPTY, own);
    expect([empty.status, empty.tokens, empty.bytes.length]).toEqual([204, 0, 0]);
    expect(await usageOf(db, accountId)).toEqual({ tokens: 1, calls: 2, daily: 1 });
  });

  test('without tokens, paid tiles still arrive, and nothing shows where parcels are', async () => {
    const { key: own } = await newCaller(db, { tokensIncluded: 1 });
    for (let tile = 0; tile < 20; tile++) expect((await get(TILE, own)).status).toBe(200);
    for (const path of [TILE, EMPTY]) {
      const reply = await get(path, own);
      expect([reply.status, reply.json.code]).toEqual([402, 'usage_limit_exceeded']);
    }
    const fresh = await newCaller(db, { tokensIncluded: 0 });
    expect([(await get(TILE, fresh.key)).status, (await get(EMPTY, fresh.key)).status]).toEqual([402, 402]);
  });

  test('the remainder ends with the period', async () => {
    const { key: own, accountId } = await newCaller(db);
    expect((await get(TILE, own)).tokens).toBe(1);
    expect((await get(TILE, own)).tokens).toBe(0);
    // A period that has ended is closed by the next charge.
    for (const table of ['accounts', 'usage_periods'])
      await db.pool.query(
        `update ${table} set period_start = period_start - interval '2 months'
         where ${table === 'accounts' ? 'id' : 'account_id'} = $1`,
        [accountId],
      );
    await db.pool.query(
      "update accounts set period_end = now() - interval '1 s', period_anchor = now() - interval '1 month 1 s' where id = $1",
      [accountId],
    );
    expect((await get(TILE, own)).tokens).toBe(1);
  });

  test('a quote is free', async () => {
    const { key: own, accountId } = await newCaller(db);
    expect((await get(`${TILE}?quote=true`, own)).json).toEqual({ tokens: null, at_most: 1 });
    expect((await usageOf(db, accountId)).tokens).toBe(0);
  });
});

test('accounts are limited to 20 tiles for each call, apart from their calls', async () => {
  const { key: own } = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
  expect((await api.call('/api/public/v1/usage/', { key: own })).status).toBe(200);
  const replies = await Promise.all(Array.from({ length: 25 }, () => get(TILE, own)));
  const refused = replies.filter(({ status }) => status === 429);
  // The bucket gains a tile every three seconds.
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(5);
  expect(refused[0]!.json.code).toBe('rate_limited');
  expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"tiles";q=20;w=60');
});

test.each([
  [{ pro: false }, 'subscription_required'],
  [{ tier: 'free' as const }, 'tier_upgrade_required'],
  [{ invoicePaid: false }, 'payment_required'],
])('%j gets 402', async (terms, code) => {
  const { key: own } = await newCaller(db, terms);
  for (const path of [TILE, EMPTY, '/tiles.json', '/ogc/style.json'])
    expect((await get(path, own)).json).toMatchObject({ code });
});

test('a disabled account gets 401', async () => {
  const { key: own, accountId } = await newCaller(db);
  await changeAccount(db.pool, accountId, { disabled: true });
  expect((await get(TILE, own)).status).toBe(401);
});

test('addresses without a tile are 404, whatever they are, and free', async () => {
  const part = fc.oneof(
    fc.nat(2 ** 31).map(String),
    fc.string({ minLength: 1 }),
    fc.constantFrom('-1', '1e3', '00', '15.0', '..', '%00', '0x10', '16 ', '９'),
  );
  await fc.assert(
    fc.asyncProperty(fc.tuple(part, part, part), async parts => {
      const reply = await get(`${SET}/${parts.map(encodeURIComponent).join('/')}`);
      expect([200, 204, 400, 404]).toContain(reply.status);
      if (reply.status >= 400) expect(reply.tokens).toBe(0);
    }),
    { numRuns: runs(100) },
  );
  for (const [z, y, x] of [
    [10, 0, 0],
    [17, 0, 0],
    [15, 2 ** 15, 0],
    [15, 0, 2 ** 15],
  ])
    expect((await get(`${SET}/${z}/${y}/${x}`)).json, `${z}/${y}/${x}`).toMatchObject({ code: 'not_found' });
});

test('HEAD and POST are not allowed', async () => {
  for (const method of ['HEAD', 'POST', 'DELETE'])
    expect((await get(TILE, key, {}, method)).status, method).toBe(405);
});

describe('descriptions', () => {
  test('TileJSON has what clients need', async () => {
    const { status, json, tokens } = await get('/tiles.json');
    expect([status, tokens]).toEqual([200, 0]);
    expect(json).toMatchObject({
      tilejson: '3.0.0',
      scheme: 'xyz',
      minzoom: 11,
      maxzoom: 16,
      attribution: expect.stringContaining('Plat'),
      tiles: [`${api.url}${SET}/{z}/{y}/{x}`],
      vector_layers: [
        {
          id: 'parcels',
          fields: { property_id: expect.any(String), apn: expect.any(String), acres: expect.any(String) },
        },
      ],
    });
    const [west, south, east, north] = json.bounds as number[];
    expect(west).toBeLessThan(PLACE[0]);
    expect(east).toBeGreaterThan(PLACE[0]);
    expect(south).toBeLessThan(PLACE[1]);
    expect(north).toBeGreaterThan(PLACE[1]);
    const { z, x, y } = tileAt(json.minzoom);
    const url = json.tiles[0].replace('{z}', z).replace('{y}', y).replace('{x}', x) as string;
    expect((await get(url.slice(api.url.length))).status).toBe(200);
  });

  test('without parcels, the bounds are the world', async () => {
    const { key: own } = await newCaller(bare);
    const response = await fetch(`${withoutParcels.url}/tiles.json`, {
      headers: { Authorization: `Bearer ${own}` },
    });
    expect(await response.json()).toMatchObject({ bounds: [-180, -85.05, 180, 85.05], attribution: 'Plat' });
  });

  test('the style uses the same tiles', async () => {
    const { json } = await get('/ogc/style.json');
    const { tiles, minzoom, maxzoom, bounds, attribution } = (await get('/tiles.json')).json;
    expect(json).toMatchObject({
      version: 8,
      sources: { parcels: { type: 'vector', tiles, minzoom, maxzoom, bounds, attribution } },
    });
    for (const layer of json.layers)
      if (layer.type !== 'background') expect(layer['source-layer']).toBe('parcels');
  });

  test('the tile set links to its tiles and its matrix set', async () => {
    const linkOf = (page: { links: { rel: string; href: string }[] }, rel: string) =>
      page.links.find(link => link.rel.endsWith(rel))!.href.replace(api.url, '');
    const { json: collection } = await get('/ogc/collections/parcels');
    const { json: list } = await get(linkOf(collection, '/tilesets-vector'));
    const { json: tileset } = await get(linkOf(list.tilesets[0], 'self'));
    expect(tileset).toMatchObject({ dataType: 'vector', layers: [{ id: 'parcels' }] });
    const limits = tileset.tileMatrixSetLimits as { tileMatrix: string; maxTileRow: number }[];
    expect(limits.map(({ tileMatrix }) => tileMatrix)).toEqual(['11', '12', '13', '14', '15', '16']);
    const { json: matrices } = await get(linkOf(tileset, '/tiling-scheme'));
    expect(matrices.tileMatrices[16]).toMatchObject({ id: '16', matrixWidth: limits.at(-1)!.maxTileRow + 1 });
    // As registered for WebMercatorQuad.
    expect(matrices.tileMatrices[0].scaleDenominator).toBeCloseTo(559_082_264.0287, 3);
    expect(matrices.tileMatrices[0].cellSize).toBeCloseTo(156_543.033928041, 8);
    const { z, x, y } = tileAt(15);
    const tile = linkOf(tileset, 'item').replace('{tileMatrix}', String(z)).replace('{tileRow}', String(y));
    expect((await get(tile.replace('{tileCol}', String(x)))).status).toBe(200);
    const classes = (await get('/ogc/conformance')).json.conformsTo as string[];
    for (const name of ['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt'])
      expect(classes).toContain(`http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/${name}`);
    expect((await get('/ogc/collections/comps')).json.links).not.toContainEqual(
      expect.objectContaining({ rel: expect.stringContaining('tilesets') }),
    );
  });
});
