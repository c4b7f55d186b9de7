import { availableParallelism } from 'node:os';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Handler, serve, type TestServer } from '../../support/http-server.ts';
import { imagePath, pixelsOf, startImages } from '../../support/images.ts';
import { insertParcels, square } from '../../support/parcels.ts';

/** In place of the internet. */
const PUBLIC = '127.0.0.2';
vi.mock('../../../shared/platform/http/addresses.ts', () => ({
  isPublicAddress: (address: string) => address === '127.0.0.2',
}));

const { db, key, start, ask, image, tokens, declare } = await startImages();
const { pool } = db;

const TILED = 4100100000001;
const EXPORTED = 4100100000002;
const BY_REDIRECT = 4100100000003;

/** What the servers of tiles and images do at the time. */
let serving: Handler = (_request, response) => response.writeHead(500).end();
let server: TestServer;
let behind: TestServer;

/** A JPEG of one color. */
const plain = (width: number, height: number, color: string) =>
  sharp({ create: { width, height, channels: 3, background: color } })
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
  server = await serve((...call) => serving(...call), PUBLIC);
  behind = await serve(sending(green));
  const tiles = { type: 'xyz', template: `${server.origin}/{z}/{x}/{y}.jpg`, max_zoom: 19 };
  const secret = { ...tiles, headers: { 'X-Key': 'TEST_TILE_KEY' } };
  await declare('tiles', secret, { attribution: "tiles's", coverage: [-120.1, 44, -120, 44.1] });
  const away = { ...tiles, template: `${server.origin}/away/{z}/{x}/{y}.jpg` };
  await declare('redirected', away, { coverage: [-120.1, 44.2, -120, 44.3] });
  const spatialReference = { wkid: 102_100, latestWkid: 3857 };
  const extent = { xmin: -13_370_000, ymin: 5_490_000, xmax: -13_340_000, ymax: 5_520_000, spatialReference };
  const description = JSON.stringify({ extent, pixelSizeX: 1, pixelSizeY: 1 });
  serving = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(description);
  const exports = { type: 'arcgis_image', source: `${server.origin}/arcgis/rest/services/X/ImageServer` };
  await declare('exports', { ...exports, captured: '2024-05-06' }, { title: 'A server of images' });
  const { rows } = await pool.query("select pixel_m from imagery_sources where type = 'arcgis_image'");
  expect(rows[0].pixel_m).toBeCloseTo(Math.cos((44.28 * Math.PI) / 180), 2);
  await insertParcels(pool, [
    { property_id: TILED, boundary: square(-120.05, 44.05, 0.002) },
    { property_id: EXPORTED, boundary: square(-119.95, 44.27, 0.002) },
    { property_id: BY_REDIRECT, boundary: square(-120.05, 44.25, 0.002) },
  ]);
});
afterAll(async () => {
  await server.close();
  await behind.close();
});

describe('tile servers', () => {
  test('are asked for the tiles of the frame, 6 at a time, with our user agent and the configured key', async () => {
    process.env.TEST_TILE_KEY = 'secret';
    let [open, most] = [0, 0];
    // Nothing is answered before six are open; a seventh would have come until then.
    let goOn = () => {};
    const six = new Promise<void>(resolve => {
      goOn = resolve;
    });
    serving = async (request, response, count) => {
      most = Math.max(most, ++open);
      if (open === 6) setTimeout(goOn, 50);
      await six;
      open--;
      sending(green, { 'cache-control': 'max-age=600' })(request, response, count);
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
    const { data } = await pixelsOf(answer.image_url);
    expect([...data.subarray(0, 3)].map(value => Math.round(value / 32))).toEqual([1, 4, 1]);
    // A parcel beside it has the same tiles, which may be kept for ten minutes.
    await insertParcels(pool, [{ property_id: TILED + 10, boundary: square(-120.05, 44.05, 0.0021) }]);
    const then = server.requests.length;
    await image(TILED + 10);
    expect(server.requests.length).toBe(then);
  });

  test('may send WebP, and tiles that may not be cached are requested again', async () => {
    await insertParcels(
      pool,
      [20, 21].map(more => ({
        property_id: TILED + more,
        boundary: square(-120.07, 44.07, 0.002 + more * 1e-6),
      })),
    );
    serving = sending(await sharp(green).webp().toBuffer(), {
      'content-type': 'image/webp',
      'cache-control': 'no-store',
    });
    const from = server.requests.length;
    const { data } = await pixelsOf((await image(TILED + 20)).image_url);
    expect([...data.subarray(0, 3)].map(value => Math.round(value / 32))).toEqual([1, 4, 1]);
    const asked = server.requests.length - from;
    await image(TILED + 21);
    expect(server.requests.length - from).toBe(2 * asked);
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
  ])('one that %s costs nothing, and its parcel is had again later', async (what, handler) => {
    const id = TILED + 100 + Math.floor(Math.random() * 1e6);
    await insertParcels(pool, [{ property_id: id, boundary: square(-120.02, 44.02, 0.002) }]);
    const before = await tokens();
    serving = handler;
    const fresh = await start(what === 'says nothing' ? { REQUEST_TIMEOUT_MS: '1500' } : {});
    const reply = await fresh.call(imagePath(id), { key });
    expect([reply.status, reply.headers.has('retry-after')]).toEqual([503, true]);
    expect(await tokens()).toBe(before);
    expect(reply.text).not.toContain(server.origin);
    await fresh.stop();
    serving = sending(green);
    expect((await ask(id)).status).toBe(200);
  });

  test('redirects to a private network are followed only if the feed allows it', async () => {
    serving = (request, response) =>
      response.writeHead(302, { location: `${behind.origin}${request.url}` }).end();
    expect((await ask(BY_REDIRECT)).status).toBe(503);
    expect(behind.requests).toHaveLength(0);
    const template = `${server.origin}/away2/{z}/{x}/{y}.jpg`;
    const allowed = { type: 'xyz', template, private_network: true };
    await declare('allowed', allowed, { coverage: [-120.1, 44.2, -120, 44.3] });
    expect(await image(BY_REDIRECT)).toMatchObject({ attribution: 'allowed' });
    expect(behind.requests.length).toBeGreaterThan(0);
  });
});

test('an ImageServer gets one request for the whole frame', async () => {
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

test('only as many pictures are made at once as there are cores, and concurrent calls for the same one share it', async () => {
  const ids = Array.from({ length: 8 }, (_, i) => EXPORTED + 10 + i);
  await insertParcels(
    pool,
    ids.map((property_id, i) => ({ property_id, boundary: square(-119.95 + 0.005 * i, 44.26, 0.002) })),
  );
  let [open, most] = [0, 0];
  serving = (request, response, count) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      sending(red)(request, response, count);
    }, 50);
  };
  const from = server.requests.length;
  const replies = await Promise.all([...ids, ...ids].map(ask));
  expect(new Set(replies.map(reply => reply.status))).toEqual(new Set([200]));
  expect(server.requests.length - from).toBe(ids.length);
  expect(most).toBeLessThanOrEqual(availableParallelism());
});
