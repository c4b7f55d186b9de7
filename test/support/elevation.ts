import { expect } from 'vitest';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import { openChunks } from '../../shared/raster/chunks.ts';
import { openElevation, type Terrain } from '../../shared/raster/elevation-grid.ts';
import { gridsOf } from '../../shared/raster/grids.ts';
import { CHUNK_SIZE } from '../../shared/raster/limits.ts';
import {
  type DeclaredElevation,
  type ElevationTile,
  readTileHeader,
} from '../../shared/raster/tiff-header.ts';
import { fromUtm, STEEP } from './steep.ts';

export const signal = new AbortController().signal;

export async function terrainIn(
  files: readonly string[],
  shape: MultiPolygon,
  declared: DeclaredElevation = {},
): Promise<Terrain | null> {
  const tiles: ElevationTile[] = [];
  for (const file of files) tiles.push(await readTileHeader(file, declared, { signal }));
  const elevation = openElevation(tiles, { signal });
  try {
    return await elevation.terrainOf(shape);
  } finally {
    await elevation.close();
  }
}

/** The slopes in a whole file, row by row, as the reader computes them. */
export async function slopesOf(file: string, declared: DeclaredElevation = {}): Promise<Float32Array> {
  const tile = await readTileHeader(file, declared, { signal });
  const [grid] = gridsOf([tile]);
  const reader = openChunks({ signal, cacheBytes: 2 ** 24 });
  const slopes = new Float32Array(tile.width * tile.height).fill(Number.NaN);
  for (let y = 0; y * CHUNK_SIZE < tile.height; y++) {
    for (let x = 0; x * CHUNK_SIZE < tile.width; x++) {
      const chunk = await reader.chunk(grid!, x, y);
      if (chunk === null) continue;
      const columns = Math.min(CHUNK_SIZE, tile.width - x * CHUNK_SIZE);
      for (let row = 0; row < Math.min(CHUNK_SIZE, tile.height - y * CHUNK_SIZE); row++) {
        const from = row * CHUNK_SIZE;
        slopes.set(
          chunk.slopes.subarray(from, from + columns),
          (y * CHUNK_SIZE + row) * tile.width + x * CHUNK_SIZE,
        );
      }
    }
  }
  reader.close();
  return slopes;
}

/** A rectangle in degrees from corners in any projection. */
export function rectangle(
  toLonLat: (x: number, y: number) => Position,
  [minX, minY, maxX, maxY]: readonly [number, number, number, number],
): MultiPolygon {
  return [
    [
      [
        toLonLat(minX, minY),
        toLonLat(maxX, minY),
        toLonLat(maxX, maxY),
        toLonLat(minX, maxY),
        toLonLat(minX, minY),
      ],
    ],
  ];
}

/** A box in meters, measured from the southwest corner of the artificial hills. */
export const lot = (minX: number, minY: number, maxX: number, maxY: number): MultiPolygon =>
  rectangle(fromUtm, [STEEP.x + minX, STEEP.y + minY, STEEP.x + maxX, STEEP.y + maxY]);

export function expectSame(actual: Terrain | null, expected: Terrain | null, digits = 9): void {
  expect(expected).not.toBeNull();
  for (const key of ['minElevationM', 'meanElevationM', 'maxElevationM', 'meanSlopePercent'] as const) {
    expect(actual?.[key]).toBeCloseTo(expected![key], digits);
  }
  actual?.steeperPercent.forEach((share, i) => {
    expect(share).toBeCloseTo(expected!.steeperPercent[i]!, digits);
  });
}
