import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { SLOPE_GRADES } from '../../shared/model/land-layers.ts';
import { type OpenElevation, openElevation } from '../../shared/raster/elevation-grid.ts';
import { readTileHeader } from '../../shared/raster/tiff-header.ts';
import { fabric, shapeOf } from '../bench/generate/fabric.ts';
import { signal, slopesOf } from '../support/elevation.ts';
import { testFolder } from '../support/folder.ts';
import { STEEP, steepExtent, toUtm, writeGeographic, writeProjected } from '../support/steep.ts';

const CELL_M = 10;
const folder = testFolder();
const utm = join(folder, 'utm.tif');
const degrees = join(folder, 'degrees.tif');

type Parcel = { shape: MultiPolygon; cells: number };
let parcels: Parcel[];
let onUtm: OpenElevation;
let onDegrees: OpenElevation;

beforeAll(async () => {
  writeProjected(utm, CELL_M, { tile: 128, deflate: true });
  writeGeographic(degrees, 1 / 10_800, { tile: 128, deflate: true });
  const [west, south, east, north] = steepExtent();
  const extent: [number, number, number, number] = [west + 1e-3, south + 1e-3, east - 1e-3, north - 1e-3];
  parcels = [...fabric({ count: 1200, seed: 11, extent })].flatMap(section =>
    section.parcels.map(({ polygons, areaSqM }) => ({
      shape: shapeOf(polygons),
      cells: areaSqM / CELL_M ** 2,
    })),
  );
  const open = async (file: string) =>
    openElevation([await readTileHeader(file, {}, { signal })], { signal });
  onUtm = await open(utm);
  onDegrees = await open(degrees);
});

test('shares of parcels of 4 cells and more agree with 10 x 10 sample points a cell to 0.5 points for 99 %', async () => {
  const slopes = await slopesOf(utm);
  const width = STEEP.sizeM / CELL_M;
  let compared = 0;
  let agreeing = 0;
  // One in six, without the largest, on which points would be counted by the million.
  const chosen = parcels.filter(({ cells }, i) => i % 6 === 0 && cells >= 4 && cells < 1000);
  for (const { shape } of chosen) {
    const terrain = await onUtm.terrainOf(shape);
    const sampled = sampledShares(shape, slopes, width);
    const worst = Math.max(...sampled.map((share, i) => Math.abs(share - terrain!.steeperPercent[i]!)));
    compared++;
    if (worst <= 0.5) agreeing++;
  }
  expect(compared).toBeGreaterThan(170);
  expect(agreeing / compared).toBeGreaterThanOrEqual(0.99);
});

/** Shares of the points of a lattice of 1 m that lie in the parcel, each with the slope of its cell. */
function sampledShares(shape: MultiPolygon, slopes: Float32Array, width: number): number[] {
  const rings = shape.flat().map(ring => ring.map(([lon, lat]) => toUtm(lon, lat)));
  const norths = rings.flatMap(ring => ring.map(([, y]) => y));
  // Points by the number of grades that their slope is over.
  const counts = [0, ...SLOPE_GRADES.map(() => 0)];
  const top = Math.max(...norths);
  for (let y = Math.floor(Math.min(...norths)) + 0.5; y < top; y++) {
    const row = Math.floor((STEEP.y + STEEP.sizeM - y) / CELL_M);
    // Even-odd: inside between the first and the second crossing of the line, the third and the fourth …
    const crossings = rings.flatMap(ring => crossingsAt(ring, y)).sort((a, b) => a - b);
    for (let i = 0; i < crossings.length; i += 2) {
      for (let x = Math.ceil(crossings[i]! - 0.5) + 0.5; x < crossings[i + 1]!; x++) {
        const slope = slopes[row * width + Math.floor((x - STEEP.x) / CELL_M)]!;
        let over = 0;
        while (over < SLOPE_GRADES.length && slope > SLOPE_GRADES[over]!) over++;
        counts[over]!++;
      }
    }
  }
  const points = (from: number) => counts.slice(from).reduce((sum, count) => sum + count, 0);
  return SLOPE_GRADES.map((_, i) => (100 * points(i + 1)) / points(0));
}

function crossingsAt(ring: readonly [number, number][], y: number): number[] {
  return ring.slice(1).flatMap(([x1, y1], i) => {
    const [x0, y0] = ring[i]!;
    return y0 > y === y1 > y ? [] : [x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)];
  });
}

test('95 % of parcels with 16 cells or more have the same shares on both grids, within 3 points', async () => {
  let compared = 0;
  let agreeing = 0;
  for (const { shape, cells } of parcels) {
    if (cells < 16) continue;
    const [a, b] = [await onUtm.terrainOf(shape), await onDegrees.terrainOf(shape)];
    compared++;
    const off = a!.steeperPercent.map((share, i) => Math.abs(share - b!.steeperPercent[i]!));
    if (Math.max(...off) <= 3) agreeing++;
  }
  expect(compared).toBeGreaterThan(900);
  expect(agreeing / compared).toBeGreaterThanOrEqual(0.95);
});
