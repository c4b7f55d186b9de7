import { join } from 'node:path';
import { fromFile } from 'geotiff';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { resolveCrs } from '../../shared/geo/projection.ts';
import { openElevation } from '../../shared/raster/elevation-grid.ts';
import { placeGrid } from '../../shared/raster/raster-place.ts';
import { readTileHeader } from '../../shared/raster/tiff-header.ts';
import { projectedKeys, writeTiff } from '../support/geotiff.ts';
import { type Bench, judged, timed } from './bench.ts';
import { type FlatRing, fabric, shapeOf } from './generate/fabric.ts';

const PARCELS = 100_000;
const QUICK_PARCELS = 2_000;
const ROUNDS = 3;
const CELL_M = 10;
/** The tile size of USGS and of GDAL's COG driver. */
const TILE = 512;
const UTM_19N = 26919;

/** A rectangle in Penobscot County, Maine. The generated parcels fill its middle. */
export const EXTENT: Box = [-69.35, 44.7, -68.2, 45.5];

/**
 * Measures computing the slope shares of a county's parcels on a 10 m grid, compared with reading and
 * decoding every block of that grid once with unmodified geotiff.js. The grid is a deflated file in tiles of
 * 512 x 512 cells, and it ends where the parcels end.
 */
export const bench: Bench = async ({ quick, folder, note }) => {
  const signal = new AbortController().signal;
  const count = quick ? QUICK_PARCELS : PARCELS;
  note(`generating ${count} parcels and their grid`);
  const parcels = [...fabric({ count, seed: 5, extent: EXTENT })].flatMap(section =>
    section.parcels.map(parcel => parcel.polygons),
  );
  const path = join(folder, 'grid.tif');
  writeGrid(path, parcels);
  const tile = await readTileHeader(path, {}, { signal });

  const ours: Times[] = [];
  const reading: Times[] = [];
  let known = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    reading.push(await measure(() => readBlocks(path)));
    known = 0;
    const elevation = openElevation([tile], { signal });
    ours.push(
      await measure(async () => {
        // Builds each shape inside the loop, because in production, stored boundaries have to be decoded too.
        for (const parcel of parcels) if ((await elevation.terrainOf(shapeOf(parcel))) !== null) known++;
      }),
    );
    await elevation.close();
    note(
      `round ${round}: ${ours.at(-1)!.ms.toFixed(0)} ms, reading alone ${reading.at(-1)!.ms.toFixed(0)} ms`,
    );
  }
  if (known !== parcels.length) throw new Error(`only ${known} of ${parcels.length} parcels have slopes`);
  return judged(
    {
      name: `slope shares of ${count} parcels on a 10 m grid`,
      reference: 'reading and decoding the same blocks with geotiff.js alone',
      value: shortest(ours).ms / shortest(reading).ms,
      unit: 'x',
      details: {
        slope_ms: Math.round(shortest(ours).ms),
        reading_ms: Math.round(shortest(reading).ms),
        slope_cpu_ms: Math.round(shortest(ours).cpuMs),
        reading_cpu_ms: Math.round(shortest(reading).cpuMs),
        million_cells: Math.round((tile.width * tile.height) / 1e5) / 10,
        parcels_per_second: Math.round((1000 * count) / shortest(ours).ms),
      },
    },
    { most: 2.0 },
  );
};

export type Times = { ms: number; cpuMs: number };

export async function measure(work: () => Promise<unknown>): Promise<Times> {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** The fastest round, which was least disturbed by other programs on the machine. */
function shortest(rounds: readonly Times[]): Times {
  return rounds.reduce((best, round) => (round.ms < best.ms ? round : best));
}

/** Writes a UTM grid that covers the parcels with a margin of two cells. */
export function writeGrid(path: string, parcels: readonly FlatRing[][][]): void {
  const unit = { originX: 0, originY: 0, stepX: 1, stepY: 1 };
  const { forward } = placeGrid(resolveCrs(`EPSG:${UTM_19N}`, path), unit);
  const at = new Float64Array(2);
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const polygon of parcels.flatMap(shapeOf)) {
    for (const position of polygon[0]!) {
      forward(position, at, 0);
      minX = Math.min(minX, at[0]!);
      maxX = Math.max(maxX, at[0]!);
      minY = Math.min(minY, at[1]!);
      maxY = Math.max(maxY, at[1]!);
    }
  }
  const originX = (Math.floor(minX / CELL_M) - 2) * CELL_M;
  const originY = (Math.ceil(maxY / CELL_M) + 2) * CELL_M;
  writeTiff(path, {
    width: Math.ceil((maxX - originX) / CELL_M) + 2,
    height: Math.ceil((originY - minY) / CELL_M) + 2,
    at: hills,
    tile: TILE,
    deflate: true,
    grid: { originX, originY, stepX: CELL_M, stepY: -CELL_M },
    keys: projectedKeys(UTM_19N),
    nodata: '-9999',
  });
}

/** Ridges of three sizes, with slopes from flat to about 60 %. */
function hills(column: number, row: number): number {
  return (
    300 +
    150 * Math.sin(column / 90) * Math.cos(row / 70) +
    25 * Math.sin((column + row) / 13) +
    4 * Math.sin(column / 5 - row / 3)
  );
}

async function readBlocks(path: string): Promise<void> {
  const tiff = await fromFile(path);
  const image = await tiff.getImage();
  const [width, height] = [image.getWidth(), image.getHeight()];
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const window = [left, top, Math.min(width, left + TILE), Math.min(height, top + TILE)];
      await image.readRasters({ window, samples: [0], interleave: true });
    }
  }
  tiff.close();
}
