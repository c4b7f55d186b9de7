import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LAYER_BITS } from '../../../shared/model/land-layers.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import type { Feed } from '../../../workers/ingest/all-kinds.ts';
import { createTestDatabase } from '../../support/database.ts';
import { geographicKeys, projectedKeys, writeTiff } from '../../support/geotiff.ts';
import { serve, type TestServer } from '../../support/http-server.ts';
import { all, feedOf, ingest, ingestRoll, lot, one } from '../../support/ingest.ts';
import { followed, marks, sampleFeed } from '../../support/layers.ts';

const { folder, pool } = await createTestDatabase();

/** A 1-degree tile of 10 x 10 cells named by its north-west corner. */
function writeTile(name: string, north: number, west: number, lowest = 100): void {
  writeTiff(join(folder, name), {
    width: 10,
    height: 10,
    at: (x, y) => lowest + x + y,
    keys: geographicKeys(4269),
    nodata: '-9999',
    grid: { originX: west, originY: north, stepX: 0.1, stepY: -0.1 },
  });
}

const elevation = (name: string, section: Record<string, unknown>, more = {}): Feed =>
  feedOf(folder, { name, kind: 'elevation', elevation: section, ...more });

const tilesOf = (name: string) =>
  all(
    pool,
    `select source, fingerprint, extent::text, width, height, origin_x, origin_y, step_x, step_y, crs, unit_m, nodata
     from elevation_tiles join feeds on id = feed_id where name = $1 order by source`,
    [name],
  );
const sources = async (name: string) => (await tilesOf(name)).map(tile => tile.source as string);
const coverageOf = (name: string) =>
  one<{ coverage: string; kind: string }>(
    pool,
    'select coverage::text, l.kind from land_layers l join feeds on id = feed_id where name = $1',
    [name],
  );

beforeAll(async () => {
  mkdirSync(join(folder, 'tiles'));
  writeTile('tiles/n44w073.tif', 44, -73);
  writeTile('tiles/n44w072.tif', 44, -72);
  writeFileSync(join(folder, 'tiles/broken.tif'), 'no GeoTIFF');
  // Lots at 72.15 W, 43.2 N: in the tile n44w073.
  await ingestRoll(pool, folder, 'lots', [{ properties: { PIN: 'P0' }, geometry: lot(0) }]);
});
beforeEach(() => pool.query('delete from attributes_dirty'));

test("the sample's elevation: the header of the file is stored, its elevations aren't", async () => {
  const feed = await sampleFeed('bangor-me-elevation');
  expect(await ingest(pool, feed)).toMatchObject({
    status: 'merged',
    counts: { read: { elevation: 1 }, rows: 1, new: 1, absent: 0, rejected: {} },
  });
  expect(await tilesOf(feed.name)).toEqual([
    {
      source: join(rootDir, 'workers/sample/data/bangor_me/dem_10m_feet.tif'),
      fingerprint: expect.stringMatching(/./),
      extent: expect.stringMatching(/^\(-6871\d{5},4488\d{5}\),\(-6886\d{5},4477\d{5}\)$/),
      width: 1118,
      height: 1150,
      origin_x: 511060,
      origin_y: 4969830,
      step_x: 10,
      step_y: -10,
      crs: 'EPSG:26919',
      unit_m: 0.3048,
      nodata: -9999,
    },
  ]);
  const [tile] = await tilesOf(feed.name);
  expect(await coverageOf(feed.name)).toEqual({ coverage: tile!.extent, kind: 'elevation' });
  expect(await ingest(pool, feed)).toMatchObject({ status: 'unchanged', counts: { new: 0, unchanged: 1 } });
});

test("the feed's settings take precedence over the file's", async () => {
  writeTiff(join(folder, 'declared.tif'), {
    width: 4,
    height: 4,
    at: () => 7,
    keys: projectedKeys(26919),
    nodata: '-1',
    grid: { originX: 700_000, originY: 4_800_000, stepX: 30, stepY: -30 },
  });
  const source = 'declared.tif';
  const feed = elevation('declared', {
    source,
    crs: 'EPSG:26918',
    vertical_unit: 'us_survey_feet',
    nodata: 0,
  });
  await ingest(pool, feed);
  expect(await tilesOf('declared')).toMatchObject([{ crs: 'EPSG:26918', unit_m: 1200 / 3937, nodata: 0 }]);
});

test('another file for one run', async () => {
  const feed = elevation('usual', { source: 'tiles/n44w073.tif' });
  const other = join(folder, 'tiles/n44w072.tif');
  await ingest(pool, feed, { sources: { elevation: other } });
  expect(await sources('usual')).toEqual([other]);
});

describe('tiles by source, template and index', () => {
  test('a list of files: each must exist and be readable; one named twice counts once', async () => {
    const files = ['tiles/n44w073.tif', 'tiles/n44w072.tif', 'tiles/n44w073.tif'];
    expect(await ingest(pool, elevation('listed', { source: files }))).toMatchObject({
      status: 'merged',
      counts: { read: { elevation: 3 }, rows: 2, identical: 1, rejected: {} },
    });
    expect(await coverageOf('listed')).toMatchObject({
      coverage: '(-710000000,440000000),(-730000000,430000000)',
    });
    const [first] = files;
    await expect(
      ingest(pool, elevation('gone', { source: [first, 'tiles/gone.tif'] })),
    ).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringContaining('tiles/gone.tif'),
    });
    await expect(ingest(pool, elevation('broken', { source: 'tiles/broken.tif' }))).rejects.toMatchObject({
      code: 'feed_format',
    });
    const whole = readFileSync(join(folder, 'tiles/n44w073.tif'));
    writeFileSync(join(folder, 'tiles/cut.tif'), whole.subarray(0, whole.length - 1));
    await expect(ingest(pool, elevation('cut', { source: 'tiles/cut.tif' }))).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringContaining('tiles/cut.tif'),
    });
  });

  test('a template: tiles named after their northwest corners within bounds; those in the sea are missing', async () => {
    const bounds = [-72.9, 43.1, -70.5, 44];
    const feed = elevation('template', { template: 'tiles/{tile}.tif', bounds });
    const { status, counts } = await ingest(pool, feed);
    expect({ status, counts }).toMatchObject({
      status: 'merged',
      counts: { read: { elevation: 3 }, rows: 2, absent: 1, rejected: {} },
    });
    expect(await sources('template')).toEqual(
      ['n44w072', 'n44w073'].map(tile => join(folder, 'tiles', `${tile}.tif`)),
    );
  });

  test('an index of lines or of GeoJSON: paths are relative to the index; unreadable ones are rejected with their reason', async () => {
    const lines = ['# tiles', 'n44w073.tif', '', 'n44w072.tif', 'broken.tif', 'gone.tif'];
    writeFileSync(join(folder, 'tiles/list.txt'), lines.join('\r\n'));
    const feature = (location: unknown) => ({ type: 'Feature', properties: { location }, geometry: null });
    const features = ['n44w073.tif', 'n44w072.tif', 'broken.tif', 'gone.tif', null].map(feature);
    writeFileSync(
      join(folder, 'tiles/list.geojson'),
      JSON.stringify({ type: 'FeatureCollection', features }),
    );
    for (const [index, rejected] of [
      ['tiles/list.txt', { feed_format: 1, feed_source: 1 }],
      ['tiles/list.geojson', { feed_format: 1, feed_source: 1, missing_location: 1 }],
    ] as const) {
      const name = `index-${index.slice(11)}`;
      const blocked = await ingest(pool, elevation(name, { index }));
      expect(blocked.blocked).toMatchObject([
        { gate: 'rejects', message: expect.stringMatching(/of \d tiles/) },
      ]);
      const feed = elevation(name, { index }, { gates: { max_reject_percent: 70 } });
      const result = await ingest(pool, feed);
      expect(result).toMatchObject({ status: 'merged', counts: { rows: 2, rejected } });
      const rejects = await all<{ row_no: number; reason: string; raw: string }>(
        pool,
        'select row_no, reason, raw from run_rejects where run_id = $1 order by row_no',
        [result.runId],
      );
      expect(rejects.slice(0, 2)).toEqual([
        { row_no: 3, reason: 'feed_format', raw: join(folder, 'tiles/broken.tif') },
        { row_no: 4, reason: 'feed_source', raw: join(folder, 'tiles/gone.tif') },
      ]);
    }
    writeFileSync(join(folder, 'tiles/empty.geojson'), '{"type": "Feature"}');
    await expect(ingest(pool, elevation('no-index', { index: 'tiles/empty.geojson' }))).rejects.toMatchObject(
      {
        code: 'feed_format',
        message: expect.stringContaining('gdaltindex'),
      },
    );
  });

  test('over HTTP, by ranges', async () => {
    const server = await serveRanges(folder);
    const base = `${server.origin}/tiles`;
    try {
      const feed = elevation('remote', { template: `${base}/{tile}.tif`, bounds: [-72.9, 43.1, -70.5, 44] });
      const { counts } = await ingest(pool, feed);
      expect(counts).toMatchObject({ rows: 2, absent: 1, rejected: {} });
      expect(await sources('remote')).toEqual([`${base}/n44w072.tif`, `${base}/n44w073.tif`]);
      expect((await ingest(pool, feed)).status).toBe('unchanged');
      const listed = elevation(
        'remote-index',
        { index: `${base}/list.txt` },
        { gates: { max_reject_percent: 60 } },
      );
      expect((await ingest(pool, listed)).counts).toMatchObject({ rows: 2 });
      expect(await sources('remote-index')).toEqual([`${base}/n44w072.tif`, `${base}/n44w073.tif`]);
    } finally {
      await server.close();
    }
  });
});

test('a new version of a tile is a new version of the layer: its parcels are marked; a missing tile leaves it', async () => {
  writeTile('tiles/changing.tif', 44, -73);
  const path = join(folder, 'tiles/changing.tif');
  const feed = elevation('changing', { source: 'tiles/changing.tif' });
  expect(await followed(pool, await ingest(pool, feed))).toContain('attributes.plan');
  const bits = async () => [...(await marks(pool)).values()];
  expect(await bits()).toEqual([LAYER_BITS.elevation]);
  await pool.query('delete from attributes_dirty');
  expect((await ingest(pool, feed)).status).toBe('unchanged');
  expect(await bits()).toEqual([]);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  expect((await ingest(pool, feed)).status).toBe('unchanged');
  expect(await bits()).toEqual([]);
  writeTile('tiles/changing.tif', 44, -73, 101);
  const changed = await ingest(pool, feed);
  expect(changed).toMatchObject({ status: 'merged', counts: { new: 0, changed: 1, unchanged: 0 } });
  expect(await bits()).toEqual([LAYER_BITS.elevation]);

  const other = elevation('changing', { source: 'tiles/n44w072.tif' });
  const moved = await ingest(pool, other);
  expect(moved.blocked.map(({ gate }) => gate)).toEqual(['coverage']);
  expect(await ingest(pool, other, { force: true })).toMatchObject({ counts: { new: 1, retired: 1 } });
  expect(await sources('changing')).toEqual([join(folder, 'tiles/n44w072.tif')]);
});

/** Files of a folder over http: 206 to a range, 404 for what is not there. */
function serveRanges(root: string): Promise<TestServer> {
  return serve((request, response) => {
    const path = join(root, request.url ?? '');
    if (!existsSync(path)) {
      response.writeHead(404).end();
      return;
    }
    const bytes = readFileSync(path);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range === null) {
      response.writeHead(200).end(bytes);
      return;
    }
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response
      .writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, etag: `"${bytes.length}"` })
      .end(bytes.subarray(from, to + 1));
  });
}
