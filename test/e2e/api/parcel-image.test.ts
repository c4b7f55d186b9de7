import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { newCaller } from '../../support/api.ts';
import { testFolder } from '../../support/folder.ts';
import { type Image, imagePath, pixelsOf, startImages } from '../../support/images.ts';
import { ingest } from '../../support/ingest.ts';
import { sampleFeed } from '../../support/layers.ts';
import { boxRing, insertParcels, square } from '../../support/parcels.ts';
import { commandsOn } from '../../support/plat.ts';

const { db, api, key, clock, start, ask, image, tokens, kept, declare } = await startImages();
const { pool } = db;
const { plat } = commandsOn(db);

/** In Stutsman County, on the sample's photograph. */
const FIELD = 3809300000001;
const MANY_PARTS = 3809300000002;
const NO_BOUNDARY = 3809300000003;
const ELSEWHERE = 3809300000004;
const SHORELINE = 3809300000005;
const LOT = 3809300000006;
/** In Bangor, where a relief is declared. */
const CITY_LOT = 2301900000001;

beforeAll(async () => {
  await ingest(pool, await sampleFeed('naip-north-dakota'));
  await declare('relief', { type: 'relief' }, { coverage: [-68.9, 44.7, -68.7, 44.9] });
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
    { property_id: FIELD, boundary: [[...square(-99.157, 47.0222, 0.005)[0]!, hole]] },
    { property_id: MANY_PARTS, boundary: patches },
    { property_id: NO_BOUNDARY },
    { property_id: ELSEWHERE, boundary: square(-98, 47.5, 0.002) },
    { property_id: LOT, boundary: square(-99.157, 47.0222, 0.00006) },
    { property_id: CITY_LOT, boundary: square(-68.78, 44.8, 0.002) },
    { property_id: SHORELINE, boundary: [[[...shore, shore[0]!]]] },
  ]);
});

describe('a picture from a photograph', () => {
  test('is a JPEG of 1024 x 768, at a URL that needs no key and works for 15 minutes', async () => {
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
    clock.now = new Date('2026-07-01T12:01:00Z');
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

  test('has a new URL on every call, even within a second', async () => {
    const [first, second] = [await image(FIELD), await image(FIELD)];
    expect(second.expires_at).toBe(first.expires_at);
    expect(second.image_url).not.toBe(first.image_url);
    expect(kept()).toHaveLength(1);
    for (const { image_url } of [first, second]) expect((await fetch(image_url)).status).toBe(200);
  });

  test('shows the boundary with its hole, all 40 parts, and the surroundings of a lot of 0.01 acres', async () => {
    const blue = async (id: number) => {
      const { data, info } = await pixelsOf((await image(id)).image_url);
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
    // The middle of the picture lies between rows of patches: through the third of five rows there are eight
    // with two sides each.
    const patches = await blue(MANY_PARTS);
    const sides = Array.from({ length: 768 }, (_, y) => {
      let count = 0;
      for (let x = 1; x < 1024; x++) if (patches(x, y) && !patches(x - 1, y)) count++;
      return count;
    });
    expect(sides.filter(count => count === 16).length).toBeGreaterThan(100);
    expect(across(await blue(LOT))[0]).toBeGreaterThan(400);
  });

  test('is made once for concurrent calls, and again when the boundary changes', async () => {
    await pool.query('update parcels set boundary = boundary where property_id = $1', [LOT]);
    const before = kept().length;
    const [a, b] = await Promise.all([ask(ELSEWHERE), ask(ELSEWHERE)]);
    expect([a.status, b.status]).toEqual([404, 404]);
    await insertParcels(pool, [{ property_id: 3809300000007, boundary: square(-99.158, 47.022, 0.003) }]);
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

describe('refused calls cost nothing', () => {
  test.each([
    ['no such parcel', 3809300099999, 404, 'not_found'],
    ['a parcel without a boundary', NO_BOUNDARY, 404, 'not_found'],
    ['50,001 vertices', SHORELINE, 422, 'unprocessable'],
    ['no imagery there', ELSEWHERE, 404, 'not_found'],
  ])('%s', async (_what, id, status, code) => {
    const before = await tokens();
    const reply = await ask(id);
    expect([reply.status, (reply.json as { error: { code: string } }).error.code]).toEqual([status, code]);
    expect(reply.headers.get('retry-after')).toBeNull();
    expect(await tokens()).toBe(before);
  });
});

describe('URLs', () => {
  test('forged, altered, and expired ones are a 404 with the standard error', async () => {
    clock.now = new Date('2026-07-01T13:00:00Z');
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
    clock.now = new Date('2026-07-01T13:15:00Z');
    expect((await fetch(url)).status).toBe(404);
    clock.now = new Date('2026-07-01T13:14:59Z');
    expect((await fetch(url)).status).toBe(200);
  });

  test('another process serves them by making the picture again, even after one rotation of the secret', async () => {
    const { image_url: url } = await image(FIELD);
    const other = await start();
    const there = url.replace(api.url, other.url);
    expect((await fetch(there)).status).toBe(200);
    await plat('key', 'rotate-images');
    expect((await fetch(there)).status).toBe(200);
    const rotated = await start();
    const { key: again } = await newCaller(db);
    const fresh = (await rotated.call(imagePath(FIELD), { key: again })).json as Image;
    // A process that has not looked for a second takes the new secret's address up at once.
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 1_001);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    expect((await fetch(fresh.image_url.replace(rotated.url, api.url))).status).toBe(200);
    await pool.query('insert into image_secrets default values');
    await pool.query('insert into image_secrets default values');
    const later = await start();
    expect((await fetch(url.replace(api.url, later.url))).status).toBe(404);
  });
});

test('the source with the smallest pixels is used, and others only fill its gaps', async () => {
  const coarse = { type: 'xyz', template: 'http://127.0.0.1:9/{z}/{x}/{y}.jpg', max_zoom: 10 };
  await declare('coarse', coarse, { coverage: [-99.3, 46.9, -99, 47.1] });
  expect(await image(FIELD)).toMatchObject({ attribution: 'USDA National Agriculture Imagery Program' });
});

test('a relief is free, is used if one is declared, and is not used if imagery covers the parcel but fails', async () => {
  const before = await tokens();
  expect(await image(CITY_LOT)).toMatchObject({
    imagery: 'relief',
    captured: null,
    attribution: expect.stringMatching(/^relief\b.*elevation/),
  });
  const broke = await newCaller(db, { tokensIncluded: 0 });
  expect((await api.call(imagePath(CITY_LOT), { key: broke.key })).status).toBe(200);
  expect((await api.call(imagePath(FIELD), { key: broke.key })).status).toBe(402);
  const unreachable = { type: 'xyz', template: 'http://127.0.0.1:9/{z}/{x}/{y}.jpg' };
  await declare('gone', unreachable, { coverage: [-68.9, 44.7, -68.7, 44.9] });
  const reply = await ask(CITY_LOT);
  expect(reply.status).toBe(503);
  expect((await tokens()) - before).toBe(0);
});

test('the cached pictures stay within their limit', async () => {
  const small = testFolder();
  const bounded = await start({ PLAT_DIR: small, IMAGE_CACHE_MB: '1' });
  const ids = Array.from({ length: 9 }, (_, i) => 3809300001000 + i);
  await insertParcels(
    pool,
    ids.map((id, i) => ({ property_id: id, boundary: square(-99.16 + 0.0005 * i, 47.022, 0.004) })),
  );
  for (const id of ids) {
    expect((await bounded.call(imagePath(id), { key })).status).toBe(200);
    const files = readdirSync(join(small, 'images')).map(name => statSync(join(small, 'images', name)).size);
    expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2 ** 20);
  }
});
