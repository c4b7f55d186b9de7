import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { frameOf, HEIGHT, WIDTH } from '../../api/images/image-frame.ts';
import { openImages } from '../../api/images/images.ts';
import { outlineOf } from '../../api/images/outline.ts';
import { createAccount, createKey } from '../../shared/accounts/accounts.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { projectedKeys, writeTiff } from '../support/geotiff.ts';
import { feedOf, ingest } from '../support/ingest.ts';
import { insertParcels, square } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';
import { type Bench, type BenchOptions, judged, median, timed, withBenchDatabase } from './bench.ts';
import { alternate, withServers } from './load.ts';
import { residentMb } from './worker.ts';

const PARCELS = 40;
const AT_ONCE = 16;
/** All from one address, which may have 8 downloads in progress (reader-limits.ts). */
const CONNECTIONS = 6;
const FIRST = 3809300000001;
/** Side of a forty-acre parcel. Most American land was divided into parcels of this size. */
const SIDE_DEG = 0.0045;
const TILE = 256;

/**
 * Measures rendering a picture, sending a stored one, and rendering 16 at once. The pictures show forty-acre
 * parcels on a cloud-optimized image with 0.6 m per pixel, which is tiled from the bundled photograph.
 */
export const bench: Bench = options =>
  withBenchDatabase(options, async (url, pool) => {
    const side = options.quick ? 2048 : 4096;
    options.note(`writing an image of ${side} x ${side} pixels`);
    await writeImage(join(options.folder, 'naip.tif'), side);
    await ingest(
      pool,
      feedOf(options.folder, { name: 'naip', kind: 'imagery', imagery: { type: 'cog', source: 'naip.tif' } }),
    );
    const count = options.quick ? 4 : PARCELS;
    const ids = Array.from({ length: count }, (_, i) => FIRST + i);
    await insertParcels(
      pool,
      ids.map((id, i) => ({
        property_id: id,
        boundary: square(-99.171 + 0.0001 * (i % 8), 47.0165 - 0.0001 * Math.floor(i / 8), SIDE_DEG),
      })),
    );
    return [await compareMaking(options, url, pool, ids), ...(await compareSending(options, url, pool, ids))];
  });

/** Writes a cloud-optimized image with 0.6 m per pixel, in tiles of 512 x 512 pixels. */
export async function writeImage(path: string, side: number): Promise<void> {
  const photograph = join(rootDir, 'workers/sample/data/naip_nd/m_4709963_se_14_1_20200831_part.tif');
  const { data, info } = await sharp(photograph, { page: 0 }).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number, band: number) =>
    data[((y % info.height) * info.width + (x % info.width)) * info.channels + (band % info.channels)]!;
  writeTiff(path, {
    width: side,
    height: side,
    at,
    sample: 'uint8',
    bands: 4,
    tile: 512,
    deflate: true,
    grid: { originX: 487_000 - 0.3 * side, originY: 5_207_000 + 0.3 * side, stepX: 0.6, stepY: -0.6 },
    keys: projectedKeys(26914),
  });
}

/**
 * Compares with sharp alone: it combines twelve tiles in the frame's size and projection, already in memory,
 * with the same overlay, encoded with sharp's defaults.
 */
async function compareMaking(
  options: BenchOptions,
  url: string,
  pool: TestDb,
  ids: number[],
): Promise<ReturnType<typeof judged>> {
  const config = loadConfig({
    DATABASE_URL: url,
    PLAT_DIR: join(options.folder, 'making'),
    LOG_LEVEL: 'silent',
  });
  const { pictures } = openImages(pool.forApi(), config, pino({ level: 'silent' }));
  const shape = square(-99.171, 47.0165, SIDE_DEG);
  const frame = frameOf(shape);
  const [first, ...others] = ids;
  const { picture } = await pictures.ofParcel(first!);
  const tiles = await Promise.all(
    Array.from({ length: (WIDTH / TILE) * (HEIGHT / TILE) }, async (_, i) => {
      const [left, top] = [TILE * (i % (WIDTH / TILE)), TILE * Math.floor(i / (WIDTH / TILE))];
      const input = await sharp(picture.bytes)
        .extract({ left, top, width: TILE, height: TILE })
        .jpeg()
        .toBuffer();
      return { input, left, top };
    }),
  );
  const compose = () =>
    sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#fff' } })
      .composite([...tiles, { input: outlineOf(shape, frame), left: 0, top: 0 }])
      .jpeg({ quality: 85, chromaSubsampling: '4:4:4' })
      .toBuffer();
  await compose();
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const id of others) {
    ours.push(await timed(() => pictures.ofParcel(id)));
    theirs.push(await timed(compose));
  }
  return judged(
    {
      name: 'picture from a local COG, cold',
      reference: 'sharp alone composing ready tiles of 256 pixels and the same overlay',
      value: median(ours) / median(theirs),
      unit: 'x',
      details: {
        ms: median(ours).toFixed(1),
        'reference ms': median(theirs).toFixed(1),
        pictures: ours.length,
        'picture bytes': picture.bytes.length,
      },
    },
    { most: 1.5 },
  );
}

async function compareSending(
  options: BenchOptions,
  url: string,
  pool: TestDb,
  ids: number[],
): Promise<ReturnType<typeof judged>[]> {
  const { id: accountId } = await createAccount(pool, {
    name: 'bench',
    tier: 'scale',
    ratePerMinute: 60_000,
    rateBurst: 60_000,
  });
  const { key } = await createKey(pool, accountId, { name: 'bench' });
  const folder = join(options.folder, 'sending');
  const work = async (
    urls: { plat: string; static: string },
    processes: { plat: { pid?: number | undefined } },
  ) => {
    const ask = async (id: number) => {
      const response = await fetch(`${urls.plat}/api/public/v1/properties/${id}/parcel-image/`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const answer = (await response.json()) as { image_url: string };
      if (response.status !== 200) throw new Error(JSON.stringify(answer));
      return answer.image_url;
    };
    const idle = await residentMb(processes.plat as never);
    const all = await timed(async () => {
      await Promise.all(ids.slice(0, AT_ONCE).map(ask));
    });
    const busy = await residentMb(processes.plat as never);
    const { pathname: path } = new URL(await ask(ids[0]!));
    await mkdir(join(folder, 'static/images'), { recursive: true });
    const bytes = Buffer.from(await (await fetch(urls.plat + path)).arrayBuffer());
    await writeFile(join(folder, 'static', path), bytes);
    const rounds = await alternate(urls, {
      path,
      keys: [key],
      connections: CONNECTIONS,
      seconds: options.quick ? 1 : 3,
      rounds: options.quick ? 1 : 5,
      warmUpSeconds: 2,
    });
    const rate = (name: 'plat' | 'static') => median(rounds[name].map(round => round.requests));
    return [
      judged(
        {
          name: `picture again: time of a request at ${CONNECTIONS} connections`,
          reference: 'express.static sending the same file',
          value: rate('static') / rate('plat'),
          unit: 'x' as const,
          details: {
            'requests/s': rate('plat').toFixed(0),
            'reference requests/s': rate('static').toFixed(0),
            'picture bytes': bytes.length,
            'pictures kept': readdirSync(join(folder, 'images')).length,
          },
        },
        { most: 1.3 },
      ),
      judged(
        {
          name: `${Math.min(AT_ONCE, ids.length)} pictures at once: memory of the API above idle`,
          reference: '',
          value: busy - idle,
          unit: 'MB' as const,
          details: {
            'idle MB': idle.toFixed(0),
            'highest MB': busy.toFixed(0),
            'ms for all': all.toFixed(0),
          },
        },
        { most: 150 },
      ),
    ];
  };
  return withServers(url, ['plat', 'static'], work, { PLAT_DIR: folder });
}
