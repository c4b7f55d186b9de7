import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { openElevation } from '../../../shared/raster/elevation-grid.ts';
import { readTileHeader } from '../../../shared/raster/tiff-header.ts';
import { rectangle, signal, terrainIn } from '../../support/elevation.ts';
import { testFolder } from '../../support/folder.ts';
import { sendRange } from '../../support/http-server.ts';
import { fromUtm, STEEP, writeProjected } from '../../support/steep.ts';

const folder = testFolder();
const path = join(folder, 'hills.tif');
const lot: MultiPolygon = rectangle(fromUtm, [
  STEEP.x + 3000,
  STEEP.y + 3000,
  STEEP.x + 3400,
  STEEP.y + 3300,
]);
const limits = { tries: 3, backoffMs: 1 };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let bytes: Buffer;
let etag: string | undefined = '"1"';
let asked: [number, number][] = [];
/** Answers in place of the file, one a request, until there are none left. */
let instead: Answer[] = [];

const server = createServer((request, response) => {
  const answer = instead.shift();
  if (answer) return answer(request, response);
  const range =
    request.url === '/hills.tif' ? sendRange(request, response, bytes, etag ? { etag } : {}) : undefined;
  if (range === undefined) response.writeHead(404).end();
  else asked.push(range);
});
let url: string;

beforeAll(async () => {
  // Directories in front, tiles packed with deflate, an overview behind: as a cloud-optimized file.
  writeProjected(path, 10, { tile: 64, deflate: true, overview: true });
  bytes = readFileSync(path);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hills.tif`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  etag = '"1"';
  asked = [];
  instead = [];
});

const header = (source = url, idleMs = 20_000) =>
  readTileHeader(source, {}, { signal, limits: { ...limits, downloadIdleMs: idleMs } });

async function terrain() {
  const elevation = openElevation([await header()], { signal, limits });
  return elevation.terrainOf(lot).finally(() => elevation.close());
}

test('a truncated file over HTTP is refused by its header', async () => {
  const whole = bytes;
  bytes = whole.subarray(0, whole.length / 2);
  try {
    await expect(header()).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/hills\.tif .*\b\d+ bytes .*\b\d+/),
    });
  } finally {
    bytes = whole;
  }
});

describe('a grid over HTTP', () => {
  test('returns the same as the file, and only the parts around the parcel are downloaded', async () => {
    const tile = await header();
    expect(asked.reduce((sum, [first, last]) => sum + last - first + 1, 0)).toBeLessThan(40_000);
    asked = [];
    const elevation = openElevation([tile], { signal, limits });
    expect(await elevation.terrainOf(lot)).toEqual(await terrainIn([path], lot));
    const fetched = asked.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    // A chunk of 258 x 258 cells touches at most 36 of the 100 tiles of 64 x 64; the parcel lies in
    // one or two chunks.
    expect(fetched).toBeLessThan(bytes.length * 0.75);
    const requests = asked.length;
    await elevation.terrainOf(lot);
    expect(asked).toHaveLength(requests);
    await elevation.close();
  });

  test('a response that means "later", and one that is cut off, are requested again', async () => {
    instead = [
      (_, response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      (_, response) => {
        response.writeHead(206, { 'content-range': `bytes 0-32767/${bytes.length}`, etag });
        response.write(bytes.subarray(0, 1000), () => response.destroy());
      },
    ];
    expect(await terrain()).toEqual(await terrainIn([path], lot));
  });

  test('a server that keeps failing, or stays silent, is named; the job may be retried', async () => {
    instead = Array.from({ length: 3 }, () => (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(500).end();
    });
    await expect(header()).rejects.toMatchObject({
      code: 'feed_source',
      retryable: true,
      message: expect.stringMatching(/hills\.tif returned 500/),
    });
    instead = Array.from({ length: 3 }, () => () => {});
    await expect(header(url, 200)).rejects.toMatchObject({
      code: 'feed_source',
      retryable: true,
      message: expect.stringMatching(/hills\.tif/),
    });
  });

  test('a wrong URL, shown without its token', async () => {
    await expect(header(`${url.replace('hills', 'none')}?token=secret`)).rejects.toMatchObject({
      code: 'feed_source',
      retryable: false,
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/none\.tif returned 404\./),
    });
  });

  test('a server without range requests', async () => {
    instead = [(_, response) => response.writeHead(200).end(bytes)];
    await expect(header()).rejects.toThrow(/range requests/);
  });

  test('a file that changed since it was loaded, even while it is read', async () => {
    const tile = await header();
    const before = openElevation([tile], { signal, limits });
    etag = '"2"';
    await expect(before.terrainOf(lot)).rejects.toMatchObject({
      code: 'source_changed',
      message: expect.stringMatching(/hills\.tif /),
    });
    await before.close();
    etag = '"1"';
    const elevation = openElevation([tile], { signal, limits });
    expect(await elevation.terrainOf(lot)).not.toBeNull();
    etag = '"2"';
    const far = rectangle(fromUtm, [STEEP.x + 100, STEEP.y + 100, STEEP.x + 300, STEEP.y + 300]);
    await expect(elevation.terrainOf(far)).rejects.toMatchObject({ code: 'source_changed' });
    await elevation.close();
  });
  test('without an ETag or a modification time, the content distinguishes versions', async () => {
    etag = undefined;
    const tile = await header();
    expect((await header()).fingerprint).toBe(tile.fingerprint);
    const [whole, changed] = [bytes, Buffer.from(bytes)];
    changed[changed.length - 1]! ^= 1;
    bytes = changed;
    try {
      const elevation = openElevation([tile], { signal, limits });
      await expect(elevation.terrainOf(lot)).rejects.toMatchObject({ code: 'source_changed' });
      await elevation.close();
    } finally {
      bytes = whole;
    }
  });
});
