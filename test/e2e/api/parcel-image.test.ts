import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MultiPolygon, Position } from '../../../shared/geo/types.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { type Handler, serve, type TestServer } from '../../support/http-server.ts';
import { feedOf, ingest } from '../../support/ingest.ts';
import { sampleFeed } from '../../support/layers.ts';
import { boxRing, insertParcels, square } from '../../support/parcels.ts';
import { commandsOn } from '../../support/plat.ts';

type Image = {
  property_id: number;
  image_url: string;
  mime_type: string;
  expires_at: string;
  imagery: string;
  attribution: string;
  captured: string | null;
};

const db = await createTestDatabase();
const { pool } = db;
const { plat } = commandsOn(db);
const folder = testFolder();
let now = new Date('2026-07-01T12:00:00Z');
const env = { PLAT_DIR: folder, REQUEST_TIMEOUT_MS: '4000' };
const api = await startTestApi(db, { env, now: () => now });
const { key, accountId } = await newCaller(db);

/** In Stutsman County, on the sample's photograph. */
const FIELD = 3809300000001;
const MANY_PARTS = 3809300000002;
const NO_BOUNDARY = 3809300000003;
const ELSEWHERE = 3809300000004;
const SHORELINE = 3809300000005;
const LOT = 3809300000006;
/** In Bangor, where a relief is declared, and by the tile server. */
const CITY_LOT = 2301900000001;
const TILED = 4100100000001;
const EXPORTED = 4100100000002;
const BY_REDIRECT = 4100100000003;

const at = (lon: number, lat: number, side: number) => square(lon, lat, side);
const path = (id: number) => `/api/public/v1/properties/${id}/parcel-image/`;
const ask = (id: number) => api.call(path(id), { key });
const image = async (id: number): Promise<Image> => {
  const reply = await ask(id);
  expect(reply.text).toMatch(/image_url/);
  return reply.json as Image;
};
const pixels = async (url: string) => {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  return sharp(bytes).raw().toBuffer({ resolveWithObject: true });
};
const tokens = async () => (await usageOf(db, accountId)).tokens;
const kept = () => readdirSync(join(folder, 'images')).filter(name => name.endsWith('.picture'));

/** What the servers of tiles and images do at the time. */
let serving: Handler = (_request, response) => response.writeHead(500).end();
let server: TestServer;
let behind: TestServer;

/** A JPEG of one colour. */
const plain = (width: number, height: number, colour: string) =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();
const green = await plain(256, 256, '#208020');
const red = await plain(1024, 768, '#a02020');
const sending =
  (bytes: Buffer, headers: Record<string, string> = {}, status = 200): Handler =>
  (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'image/jpeg', 'content-length': bytes.length, ...headers })
      .end(bytes);
  };

beforeAll(async () => {
  server = await serve((...call) => serving(...call));
  behind = await serve(sending(green));
  await ingest(pool, await sampleFeed('naip-north-dakota'));
  const imagery = (name: string, coverage: number[], section: object) =>
    ingest(
      pool,
      feedOf(folder, { name, kind: 'imagery', attribution: `${name}'s`, coverage, imagery: section }),
    );
  await imagery('relief', [-68.9, 44.7, -68.7, 44.9], { type: 'relief' });
  const tiles = { type: 'xyz', template: `${server.origin}/{z}/{x}/{y}.jpg`, max_zoom: 19 };
  await imagery('tiles', [-120.1, 44, -120, 44.1], { ...tiles, headers: { 'X-Key': 'TEST_TILE_KEY' } });
  await imagery('redirected', [-120.1, 44.2, -120, 44.3], {
    ...tiles,
    template: `${server.origin}/away/{z}/{x}/{y}.jpg`,
  });
  serving = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        extent: {
          xmin: -13_370_000,
          ymin: 5_490_000,
          xmax: -13_340_000,
          ymax: 5_520_000,
          spatialReference: { wkid: 102_100, latestWkid: 3857 },
        },
        ...{ pixelSizeX: 1, pixelSizeY: 1 },
      }),
    );
  await ingest(
    pool,
    feedOf(folder, {
      ...{ name: 'exports', kind: 'imagery', title: 'A server of images' },
      imagery: {
        type: 'arcgis_image',
        source: `${server.origin}/arcgis/rest/services/X/ImageServer`,
        captured: '2024-05-06',
      },
    }),
  );
  const rows = await pool.query(
    "select extent::text, pixel_m from imagery_sources where type = 'arcgis_image'",
  );
  expect(rows.rows[0].pixel_m).toBeCloseTo(Math.cos((44.28 * Math.PI) / 180), 2);

  const patches: MultiPolygon = Array.from({ length: 40 }, (_, i) => {
    const [lon, lat] = [-99.162 + 0.001 * (i % 8), 47.019 + 0.001 * Math.floor(i / 8)];
    return [boxRing(lon, lat, lon + 0.0006, lat + 0.0006)];
  });
  const hole = boxRing(-99.1575, 47.0217, -99.1565, 47.0227).reverse();
  const shore = Array.from({ length: 50_001 }, (_, i): Position => {
    const [angle, radius] = [(2 * Math.PI * i) / 50_001, 0.002 + 1e-5 * (i % 3)];
    return [-99.157 + radius * Math.cos(angle), 47.0222 + radius * Math.sin(angle)];
  });
  await insertParcels(pool, [
    { property_id: FIELD, boundary: [[...at(-99.157, 47.0222, 0.005)[0]!, hole]] },
    { property_id: MANY_PARTS, boundary: patches },
    { property_id: NO_BOUNDARY },
    { property_id: ELSEWHERE, boundary: at(-98, 47.5, 0.002) },
    { property_id: LOT, boundary: at(-99.157, 47.0222, 0.00006) },
    { property_id: CITY_LOT, boundary: at(-68.78, 44.8, 0.002) },
    { property_id: TILED, boundary: at(-120.05, 44.05, 0.002) },
    { property_id: EXPORTED, boundary: at(-119.95, 44.27, 0.002) },
    { property_id: BY_REDIRECT, boundary: at(-120.05, 44.25, 0.002) },
    { property_id: SHORELINE, boundary: [[[...shore, shore[0]!]]] },
  ]);
});
afterAll(async () => {
  await server.close();
  await behind.close();
});

describe('a picture on a photograph', () => {
  test('is a JPEG of 1024 x 768, behind an address that needs no key and lives 15 minutes', async () => {
    const before = await tokens();
    const answer = await image(FIELD);
    expect(answer).toEqual({
      property_id: FIELD,
      image_url: expect.stringMatching(new RegExp(`^${api.url}/images/[\\w-]+\\.jpg$`)),
      mime_type: 'image/jpeg',
      expires_at: '2026-07-01T12:15:00.000Z',
      imagery: 'aerial',
      attribution: 'USDA National Agriculture Imagery Program',
      captured: '2020-08-31',
    });
    expect((await tokens()) - before).toBe(30);
    now = new Date('2026-07-01T12:01:00Z');
    const response = await fetch(answer.image_url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('cache-control')).toBe('private, max-age=840');
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({
      format: 'jpeg',
      width: 1024,
      height: 768,
    });
  });

  test('shows the boundary with its hole, all of 40 parts, and the surroundings of a lot of 0.01 acres', async () => {
    const blue = async (id: number) => {
      const { data, info } = await pixels((await image(id)).image_url);
      return (x: number, y: number) => {
        const from = info.channels * (y * info.width + x);
        return data[from + 2]! - data[from]! > 100;
      };
    };
    const field = await blue(FIELD);
    const across = (isBlue: (x: number, y: number) => boolean) => {
      const runs: number[] = [];
      for (let x = 0; x < 1024; x++) if (isBlue(x, 384) && !isBlue(x - 1, 384)) runs.push(x);
      return runs;
    };
    // Both sides of the parcel, and of its hole.
    expect(across(field)).toHaveLength(4);
    // The middle of the picture lies between rows of patches: through the third of five rows there are eight with two sides each.
    const patches = await blue(MANY_PARTS);
    const sides = Array.from({ length: 768 }, (_, y) => {
      let count = 0;
      for (let x = 1; x < 1024; x++) if (patches(x, y) && !patches(x - 1, y)) count++;
      return count;
    });
    expect(sides.filter(count => count === 16).length).toBeGreaterThan(100);
    expect(across(await blue(LOT))[0]).toBeGreaterThan(400);
  });

  test('is made once for all who ask at once, and anew when the boundary changes', async () => {
    await pool.query('update parcels set boundary = boundary where property_id = $1', [LOT]);
    const before = kept().length;
    const [a, b] = await Promise.all([ask(ELSEWHERE), ask(ELSEWHERE)]);
    expect([a.status, b.status]).toEqual([503, 503]);
    await insertParcels(pool, [{ property_id: 3809300000007, boundary: at(-99.158, 47.022, 0.003) }]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => image(3809300000007)));
    expect(new Set(answers.map(answer => answer.attribution)).size).toBe(1);
    expect(kept().length).toBe(before + 1);
    await pool.query(
      'update parcels p set boundary = q.boundary from parcels q where p.property_id = 3809300000007 and q.property_id = $1',
      [FIELD],
    );
    await image(3809300000007);
    expect(kept().length).toBe(before + 2);
  });
});

describe('what is refused costs nothing', () => {
  test.each([
    ['no such parcel', 3809300099999, 404, 'not_found'],
    ['a parcel without a boundary', NO_BOUNDARY, 404, 'not_found'],
    ['50,001 vertices', SHORELINE, 422, 'unprocessable'],
    ['no imagery there', ELSEWHERE, 503, 'internal_error'],
  ])('%s', async (_what, id, status, code) => {
    const before = await tokens();
    const reply = await ask(id);
    expect([reply.status, (reply.json as { error: { code: string } }).error.code]).toEqual([status, code]);
    expect(reply.headers.get('retry-after')).toBe(status === 503 ? '30' : null);
    expect(await tokens()).toBe(before);
  });
});

describe('addresses', () => {
  test('forged, altered and expired ones are not found, with the envelope', async () => {
    now = new Date('2026-07-01T13:00:00Z');
    const { image_url: url } = await image(FIELD);
    const token = /images\/(.+)\.jpg/.exec(url)![1]!;
    const altered = Buffer.from(token, 'base64url');
    altered[20]! ^= 1;
    const other = (text: string) => url.replace(token, text);
    for (const address of [
      other(altered.toString('base64url')),
      other('AAAA'),
      other(`${token}A`),
      url.replace('.jpg', '.png'),
    ]) {
      const response = await fetch(address);
      expect([address, response.status]).toEqual([address, 404]);
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toMatch(/^\d{5,}$/);
    now = new Date('2026-07-01T13:15:00Z');
    expect((await fetch(url)).status).toBe(404);
    now = new Date('2026-07-01T13:14:59Z');
    expect((await fetch(url)).status).toBe(200);
  });

  test('another process answers them, which makes the picture again, also after the secret was rotated once', async () => {
    const { image_url: url } = await image(FIELD);
    const other = await startTestApi(db, { env: { ...env, PLAT_DIR: testFolder() }, now: () => now });
    const there = url.replace(api.url, other.url);
    expect((await fetch(there)).status).toBe(200);
    await plat('key', 'rotate-images');
    expect((await fetch(there)).status).toBe(200);
    const rotated = await startTestApi(db, { env: { ...env, PLAT_DIR: testFolder() }, now: () => now });
    const { key: again } = await newCaller(db);
    const fresh = (await rotated.call(path(FIELD), { key: again })).json as Image;
    // A process that has not looked since takes the new secret's address up at once.
    await new Promise(resolve => setTimeout(resolve, 1_001));
    expect((await fetch(fresh.image_url.replace(rotated.url, api.url))).status).toBe(200);
    await pool.query('insert into image_secrets default values');
    await pool.query('insert into image_secrets default values');
    const later = await startTestApi(db, { env: { ...env, PLAT_DIR: testFolder() }, now: () => now });
    expect((await fetch(url.replace(api.url, later.url))).status).toBe(404);
  });
});

test('a relief is drawn where one is declared, and not where imagery covers the parcel and fails', async () => {
  const before = await tokens();
  expect(await image(CITY_LOT)).toMatchObject({
    ...{ imagery: 'relief', captured: null },
    attribution: 'relief drawn from roads and parcels; no elevation is known here',
  });
  expect((await tokens()) - before).toBe(30);
  const missing = feedOf(folder, {
    ...{ name: 'gone', kind: 'imagery', coverage: [-68.9, 44.7, -68.7, 44.9] },
    imagery: { type: 'xyz', template: 'http://127.0.0.1:9/{z}/{x}/{y}.jpg' },
  });
  await ingest(pool, missing);
  const reply = await ask(CITY_LOT);
  expect(reply.status).toBe(503);
  expect((await tokens()) - before).toBe(30);
});

describe('servers of tiles', () => {
  test('are asked for the tiles of the frame, 6 at a time, by our name and with the key of the environment', async () => {
    process.env.TEST_TILE_KEY = 'secret';
    let [open, most] = [0, 0];
    serving = (request, response, count) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        sending(green, { 'cache-control': 'max-age=600' })(request, response, count);
      }, 20);
    };
    const from = server.requests.length;
    const answer = await image(TILED);
    expect(answer).toMatchObject({ imagery: 'aerial', attribution: "tiles's", captured: null });
    const asked = server.requests.slice(from);
    expect(asked.length).toBeGreaterThan(6);
    expect(most).toBe(6);
    expect(asked[0]!.url).toMatch(/^\/\d+\/\d+\/\d+\.jpg$/);
    expect(asked[0]!.headers).toMatchObject({
      'x-key': 'secret',
      'user-agent': expect.stringContaining('plat'),
    });
    const { data } = await pixels(answer.image_url);
    expect([...data.subarray(0, 3)].map(value => Math.round(value / 32))).toEqual([1, 4, 1]);
    // A parcel beside it has the same tiles, which may be kept for ten minutes.
    await insertParcels(pool, [{ property_id: TILED + 10, boundary: at(-120.05, 44.05, 0.0021) }]);
    const then = server.requests.length;
    await image(TILED + 10);
    expect(server.requests.length).toBe(then);
  });

  test.each<[string, Handler]>([
    ['refuses', (_request, response) => response.writeHead(403).end()],
    ['fails', (_request, response) => response.writeHead(502).end()],
    [
      'sends HTML',
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in'),
    ],
    ['sends what is no image', sending(Buffer.from('not a JPEG at all'))],
    [
      'sends half a tile',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': green.length });
        response.write(green.subarray(0, green.length / 2));
        response.destroy();
      },
    ],
    ['sends tiles cut off', sending(green.subarray(0, green.length / 2))],
    ['says nothing', () => {}],
  ])('one that %s costs nothing, and its parcel is had again later', async (_what, handler) => {
    const id = TILED + 100 + Math.floor(Math.random() * 1e6);
    await insertParcels(pool, [{ property_id: id, boundary: at(-120.02, 44.02, 0.002) }]);
    const before = await tokens();
    serving = handler;
    const fresh = await startTestApi(db, {
      env: { ...env, PLAT_DIR: testFolder(), REQUEST_TIMEOUT_MS: '1500' },
      now: () => now,
    });
    const reply = await fresh.call(path(id), { key });
    expect([reply.status, reply.headers.has('retry-after')]).toEqual([503, true]);
    expect(await tokens()).toBe(before);
    expect(reply.text).not.toContain(server.origin);
    await fresh.stop();
    serving = sending(green);
    expect((await ask(id)).status).toBe(200);
  });

  test('redirects to a private network are followed only where the feed allows it', async () => {
    serving = (request, response) =>
      response.writeHead(302, { location: `${behind.origin}${request.url}` }).end();
    expect((await ask(BY_REDIRECT)).status).toBe(503);
    expect(behind.requests).toHaveLength(0);
    const template = `${server.origin}/away2/{z}/{x}/{y}.jpg`;
    const allowed = { type: 'xyz', template, private_network: true };
    await ingest(
      pool,
      feedOf(folder, {
        name: 'allowed',
        kind: 'imagery',
        coverage: [-120.1, 44.2, -120, 44.3],
        imagery: allowed,
      }),
    );
    expect(await image(BY_REDIRECT)).toMatchObject({ attribution: 'allowed' });
    expect(behind.requests.length).toBeGreaterThan(0);
  });
});

test('an ImageServer is asked once for the whole frame', async () => {
  serving = sending(red);
  const from = server.requests.length;
  const answer = await image(EXPORTED);
  expect(answer).toMatchObject({ attribution: 'A server of images', captured: '2024-05-06' });
  const asked = server.requests.slice(from).map(request => new URL(request.url!, server.origin));
  expect(asked).toHaveLength(1);
  expect(asked[0]!.pathname).toBe('/arcgis/rest/services/X/ImageServer/exportImage');
  expect(Object.fromEntries(asked[0]!.searchParams)).toMatchObject({
    bboxSR: '3857',
    imageSR: '3857',
    size: '1024,768',
    f: 'image',
  });
  const box = asked[0]!.searchParams.get('bbox')!.split(',').map(Number);
  expect((box[2]! - box[0]!) / (box[3]! - box[1]!)).toBeCloseTo(4 / 3, 6);
});

test('the pictures that are kept stay within their bound', async () => {
  const small = testFolder();
  const bounded = await startTestApi(db, {
    env: { ...env, PLAT_DIR: small, IMAGE_CACHE_MB: '1' },
    now: () => now,
  });
  const ids = Array.from({ length: 9 }, (_, i) => 3809300001000 + i);
  await insertParcels(
    pool,
    ids.map((id, i) => ({ property_id: id, boundary: at(-99.16 + 0.0005 * i, 47.022, 0.004) })),
  );
  for (const id of ids) {
    expect((await bounded.call(path(id), { key })).status).toBe(200);
    const files = readdirSync(join(small, 'images')).map(name => statSync(join(small, 'images', name)).size);
    expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2 ** 20);
  }
});
