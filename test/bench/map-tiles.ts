import { join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { type Shown, shownOfTile } from '../../api/images/image-frame.ts';
import { openImages } from '../../api/images/images.ts';
import { COLORS } from '../../api/pages/map/map-colors.ts';
import { listTileHits } from '../../api/pages/map/tile-hits.ts';
import { SESSION_SETTINGS } from '../../api/start-api.ts';
import { type FindHits, makeParcelTile } from '../../api/tiles/parcel-tiles.ts';
import type { Tile } from '../../api/tiles/tile-geometry.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { placeImage, readImageryHeader } from '../../shared/raster/imagery-file.ts';
import { countyAt } from '../../shared/regions/county-polygons.ts';
import { feedOf, ingest } from '../support/ingest.ts';
import { openTestDb, type TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { seedCounties } from './filter-county.ts';
import { writeImage } from './image.ts';
import { compareKeys } from './map-tile-keys.ts';
import { openPostgis, tilesAround } from './postgis-tiles.ts';

const PARCELS = 200_000;
const WEST = -936_000_000;
/** Matches 1 in 25 parcels: one lot in five is vacant, and one in five of these is large enough. */
const HITS = { vacant_only: true, acres_min: 14.4 };

/**
 * Renders tiles at zoom 14 of a county of 200,000 parcels. Compares tiles that highlight the 8,000 hits of a
 * filter with the same tiles without highlighting, and tiles colored by value with ST_AsMVT of the same
 * columns (POSTGIS_URL). Also compares an aerial tile with sharp alone, and tiles by map key with tiles by
 * session.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const marked = await withBenchDatabase(options, async (url, pool) => {
    const parcels = options.quick ? 2_000 : PARCELS;
    const half = 0.155 * Math.sqrt(parcels / PARCELS);
    const middle = [WEST / 1e7 + half, 41.5 + half] as const;
    const fips = countyAt(...middle)!;
    options.note(`  writing a county of ${parcels} parcels`);
    await seedCounties(pool, [{ fips, parcels, west: WEST }]);
    await pool.query(`insert into valuations (fips, property_id, mean_price, mean_ppa, mean_adjusted_price,
        mean_adjusted_ppa, gini_index, confidence_score, low_price, high_price, out_of_support, comps, as_of, model_version)
      select fips, property_id, 1, 1, 1, 500 + property_id % 997 * 20, 0, 50, 1, 1, false, '', '2026-01-01', 'bench'
      from parcels where fips = ${fips}`);
    await pool.query('vacuum analyze valuations');
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
    const asServed = openTestDb(config, {
      applicationName: 'plat bench',
      settings: SESSION_SETTINGS,
    });
    try {
      return await compareMarks(options, asServed, fips, tilesAround(middle));
    } finally {
      await asServed.end();
    }
  });
  const aerial = await withBenchDatabase(options, (url, pool) => compareAerial(options, url, pool));
  return [...marked, ...aerial, ...(await compareKeys(options))];
}

async function compareMarks(
  { note, quick }: BenchOptions,
  pool: TestDb,
  fips: number,
  tiles: readonly Tile[],
): Promise<BenchResult[]> {
  const hitsOf =
    (filters: object, color?: string): FindHits =>
    inTile =>
      listTileHits(
        pool,
        {
          key: '',
          body: filterSchema.parse({ county: String(fips), ...filters }),
          asking: { asOf: new Date(), work: COMPUTE_HERE },
          color: COLORS.find(({ name }) => name === color),
        },
        inTile,
      );
  const marking = hitsOf(HITS);
  const coloring = hitsOf({}, 'value_per_acre');
  const reference = process.env.POSTGIS_URL
    ? await openPostgis(process.env.POSTGIS_URL, pool, ['worth as hit'])
    : undefined;
  const times = {
    plain: [] as number[],
    marked: [] as number[],
    colored: [] as number[],
    postgis: [] as number[],
  };
  let bytes = 0;
  for (let round = 0; round <= (quick ? 2 : 20); round++) {
    for (const tile of tiles) {
      const plain = await timed(() => makeParcelTile(pool, tile));
      const marked = await timed(() => makeParcelTile(pool, tile, marking));
      const colored = await timed(async () => {
        bytes = (await makeParcelTile(pool, tile, coloring)).length;
      });
      const postgis = reference ? await timed(() => reference.tile(tile)) : 0;
      // The first round warms up both sides.
      if (round === 0) continue;
      times.plain.push(plain);
      times.marked.push(marked);
      times.colored.push(colored);
      times.postgis.push(postgis);
    }
  }
  await reference?.close();
  const ms = (of: number[]) => median(of).toFixed(1);
  const details = { tiles: times.plain.length, 'ms without': ms(times.plain), 'ms marked': ms(times.marked) };
  const results = [
    judged(
      {
        name: 'map-tiles: the hits of a filter of 8,000 marked',
        reference: 'the same tile without',
        value: median(times.marked) / median(times.plain),
        unit: 'x',
        details,
      },
      { most: 1.3 },
    ),
  ];
  if (reference === undefined) note('  POSTGIS_URL is not set: the colored tile has no reference');
  else
    results.push(
      judged(
        {
          name: 'map-tiles: colored by worth',
          reference: 'ST_AsMVT of the same tile and columns',
          value: median(times.colored) / median(times.postgis),
          unit: 'x',
          details: { ms: ms(times.colored), 'ms of ST_AsMVT': ms(times.postgis), 'bytes a tile': bytes },
        },
        { most: 1.5 },
      ),
    );
  return results;
}

const AERIAL_ZOOM = 17;
const AERIAL_PX = 256;

/**
 * Compares with sharp alone: reads the part of the file that the tile shows, resizes it to 256 pixels and
 * encodes it.
 */
async function compareAerial(options: BenchOptions, url: string, pool: TestDb): Promise<BenchResult[]> {
  const side = options.quick ? 2048 : 4096;
  const path = join(options.folder, 'naip.tif');
  options.note(`  writing an image of ${side} x ${side} pixels`);
  await writeImage(path, side);
  await ingest(
    pool,
    feedOf(options.folder, { name: 'naip', kind: 'imagery', imagery: { type: 'cog', source: 'naip.tif' } }),
  );
  const config = loadConfig({ DATABASE_URL: url, PLAT_DIR: options.folder, LOG_LEVEL: 'silent' });
  const { pictures } = openImages(pool.forApi(), config, pino({ level: 'silent' }));
  const n = 2 ** AERIAL_ZOOM;
  const sine = Math.sin((47.0165 * Math.PI) / 180);
  const x = Math.floor((-99.171 / 360 + 0.5) * n);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n);
  const window = await windowOf(path, shownOfTile(AERIAL_ZOOM, x, y, AERIAL_PX));
  const alone = () =>
    sharp(path).extract(window).removeAlpha().resize(AERIAL_PX, AERIAL_PX).jpeg({ quality: 85 }).toBuffer();
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= (options.quick ? 2 : 40); round++) {
    const made = await timed(async () => {
      bytes = (await pictures.ofTile(AERIAL_ZOOM, x, y))?.bytes.length ?? 0;
    });
    const there = await timed(alone);
    if (round === 0) continue;
    ours.push(made);
    theirs.push(there);
  }
  return [
    judged(
      {
        name: 'map-tiles: aerial tile of 256 pixels from a COG, made anew',
        reference: 'sharp reading, sizing and encoding the same window',
        value: median(ours) / median(theirs),
        unit: 'x',
        details: {
          ms: median(ours).toFixed(1),
          'ms of sharp': median(theirs).toFixed(1),
          'bytes a tile': bytes,
        },
      },
      { most: 1.5 },
    ),
  ];
}

/** The pixel window of a file that covers a tile. The tile is rotated relative to the file's grid. */
async function windowOf(path: string, { toPlace }: Shown) {
  const { forward } = placeImage(await readImageryHeader(path, {}, new AbortController()), path);
  const corners = [0, AERIAL_PX].flatMap(px => [0, AERIAL_PX].map(py => forward(toPlace(px, py))));
  const columns = corners.map(([column]) => Math.round(column));
  const rows = corners.map(([, row]) => Math.round(row));
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  return { left, top, width: Math.max(...columns) - left, height: Math.max(...rows) - top };
}
