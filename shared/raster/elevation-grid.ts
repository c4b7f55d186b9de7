import { isAbsolute, resolve } from 'node:path';
import { PlatError } from '../base/errors.ts';
import { SLOPE_GRADES } from '../domain/land-layers.ts';
import type { MultiPolygon, Position, Ring } from '../geo/geometry-types.ts';
import { addCells, MIN_FRACTION, startSums, type Terrain, terrainOf } from '../kernels/terrain/terrain.ts';
import { areaCells, type CellWindow, coverCells, windowOf } from '../kernels/terrain/terrain-coverage.ts';
import type { Limits } from '../net/download-context.ts';
import { type BlockCache, type Chunk, type ChunkReader, isPermanentError, openChunks } from './chunks.ts';
import { gridsOf, type VirtualGrid } from './grids.ts';
import { CACHE_BYTES, CHUNK, STRIP_CELLS } from './limits.ts';
import type { ElevationTile } from './tiff-header.ts';

export type { Terrain } from '../kernels/terrain/terrain.ts';
export type { ElevationTile } from './tiff-header.ts';

/** A cell that a parcel touches, for drawing. */
export type SlopeCell = {
  corners: [Position, Position, Position, Position];
  /** Null where the grid has no data, or a neighbor has none. */
  slopePercent: number | null;
  elevationM: number | null;
  /** Covered by the parcel, 0 to 1. */
  fraction: number;
};

export type OpenElevation = {
  /**
   * Null when no grid has slopes for half of the parcel. `steeperPercent` has a share for
   * each of SLOPE_GRADES.
   */
  terrainOf(shape: MultiPolygon): Promise<Terrain | null>;
  /**
   * The cells behind `terrainOf`; none when that is null. @throws PlatError `elevation_cells` when they
   * are too many to draw
   */
  cellsOf(shape: MultiPolygon): Promise<SlopeCell[]>;
  /** Heights in meters at places, between the four cells around each; NaN where none of the grids has any. */
  heightsAt(places: readonly Position[]): Promise<Float64Array>;
  close(): Promise<void>;
};

export type ElevationOptions = {
  /** Folder that relative sources start from. */
  baseDir?: string;
  signal: AbortSignal;
  /** Bytes of decoded cells to keep, instead of CACHE_BYTES. */
  cacheBytes?: number;
  limits?: Partial<Limits>;
  /** Blocks that outlive `close`, instead of some of its own. */
  blocks?: BlockCache;
};

const MAX_DRAWN_CELLS = 100_000;

/**
 * Slope and elevation of parcels, by the grid of the smallest cells that has data for at least half of a
 * parcel. Read block by block in bounded memory.
 * @throws PlatError `feed_crs`, `feed_source`, `feed_format`, `source_changed` when a file is not the
 * one that was ingested
 */
export function openElevation(tiles: readonly ElevationTile[], options: ElevationOptions): OpenElevation {
  const { baseDir, cacheBytes = CACHE_BYTES } = options;
  const grids = gridsOf(tiles.map(tile => ({ ...tile, source: absolute(tile.source, baseDir) })));
  const reader = openChunks({ ...options, cacheBytes });
  const answerOf = async (
    shape: MultiPolygon,
  ): Promise<{ grid: VirtualGrid; terrain: Terrain } | undefined> => {
    let failure: PlatError | undefined;
    for (const grid of grids) {
      try {
        const terrain = await terrainOn(grid, reader, shape);
        if (terrain !== null) return { grid, terrain };
      } catch (error) {
        // A server that is away for a moment is no reason for coarser figures.
        if (!isPermanentError(error)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  };
  return {
    terrainOf: async shape => (await answerOf(shape))?.terrain ?? null,
    async cellsOf(shape) {
      const answer = await answerOf(shape);
      return answer === undefined ? [] : cellsOn(answer.grid, reader, shape);
    },
    async heightsAt(places) {
      const heights = new Float64Array(places.length).fill(Number.NaN);
      for (const grid of grids) await fillHeights(grid, reader, places, heights);
      return heights;
    },
    close: async () => reader.close(),
  };
}

/** The heights that are still NaN, from one grid. */
async function fillHeights(
  grid: VirtualGrid,
  reader: ChunkReader,
  places: readonly Position[],
  heights: Float64Array,
): Promise<void> {
  const at = new Float64Array(2);
  const cell = async (column: number, row: number): Promise<number> => {
    if (column < grid.left || column >= grid.right || row < grid.top || row >= grid.bottom) return Number.NaN;
    const [x, y] = [Math.floor(column / CHUNK), Math.floor(row / CHUNK)];
    const loaded = reader.chunk(grid, x, y);
    const chunk = loaded instanceof Promise ? await loaded : loaded;
    return chunk?.heights[(row - y * CHUNK) * CHUNK + column - x * CHUNK] ?? Number.NaN;
  };
  for (const [i, place] of places.entries()) {
    if (!Number.isNaN(heights[i])) continue;
    grid.forward(place, at, 0);
    // Heights are those of the cells' middles.
    const [x, y] = [at[0]! - 0.5, at[1]! - 0.5];
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const [dx, dy] = [x - column, y - row];
    const upper = (await cell(column, row)) * (1 - dx) + (await cell(column + 1, row)) * dx;
    const lower = (await cell(column, row + 1)) * (1 - dx) + (await cell(column + 1, row + 1)) * dx;
    heights[i] = upper * (1 - dy) + lower * dy;
  }
}

function absolute(source: string, baseDir: string | undefined): string {
  return baseDir === undefined || isAbsolute(source) || /^https?:\/\//i.test(source)
    ? source
    : resolve(baseDir, source);
}

async function terrainOn(
  grid: VirtualGrid,
  reader: ChunkReader,
  shape: MultiPolygon,
): Promise<Terrain | null> {
  const sums = startSums(SLOPE_GRADES);
  const parcelCells = await visit(grid, reader, shape, ({ covered, chunk, at, columns, rows }) => {
    if (chunk === null) return;
    addCells(
      sums,
      columns,
      rows,
      covered,
      { values: chunk.heights, stride: CHUNK, offset: at },
      { values: chunk.slopes, stride: CHUNK, offset: at },
    );
  });
  return terrainOf(sums, parcelCells);
}

async function cellsOn(grid: VirtualGrid, reader: ChunkReader, shape: MultiPolygon): Promise<SlopeCell[]> {
  const cells = new Map<string, SlopeCell>();
  await visit(grid, reader, shape, ({ covered, chunk, at, left, top, columns, rows }) => {
    for (let i = 0; i < columns * rows; i++) {
      const [x, y] = [i % columns, Math.floor(i / columns)];
      const fraction = covered.values[covered.offset + y * covered.stride + x]!;
      if (fraction < MIN_FRACTION) continue;
      const [column, row] = [left + x, top + y];
      const before = cells.get(`${column} ${row}`);
      if (before !== undefined) {
        before.fraction = Math.min(1, before.fraction + fraction);
        continue;
      }
      if (cells.size === MAX_DRAWN_CELLS) {
        throw new PlatError(
          'elevation_cells',
          `The parcel covers over ${MAX_DRAWN_CELLS} cells, too many to draw.`,
          {
            status: 422,
          },
        );
      }
      const slope = chunk?.slopes[at + y * CHUNK + x] ?? Number.NaN;
      const height = chunk?.heights[at + y * CHUNK + x] ?? Number.NaN;
      cells.set(`${column} ${row}`, {
        corners: [
          grid.inverse(column, row),
          grid.inverse(column + 1, row),
          grid.inverse(column + 1, row + 1),
          grid.inverse(column, row + 1),
        ],
        slopePercent: Number.isNaN(slope) ? null : slope,
        elevationM: Number.isNaN(height) ? null : height,
        fraction,
      });
    }
  });
  return [...cells.values()];
}

/** A rectangle of cells within one chunk. */
type Piece = {
  covered: { values: Float64Array; stride: number; offset: number };
  chunk: Chunk | null;
  /** Index of its first cell in the chunk. */
  at: number;
  /** Column and row of its first cell in the grid. */
  left: number;
  top: number;
  columns: number;
  rows: number;
};

/**
 * Goes over the cells that the parts of a parcel cover; one that two parts share comes twice, with
 * the fraction of each.
 * @returns the area of the parcel in cells, cells beyond the grid included
 */
async function visit(
  grid: VirtualGrid,
  reader: ChunkReader,
  shape: MultiPolygon,
  piece: (piece: Piece) => void,
): Promise<number> {
  let parcelCells = 0;
  for (const polygon of shape) {
    const rings = polygon.map(ring => toCells(grid, ring));
    parcelCells += areaCells(rings);
    for (const strip of stripsOf(grid, windowOf(rings[0]!))) {
      const { fractions: values, stride } = coverCells(rings, strip);
      const { top, rows } = strip;
      const chunkY = Math.floor(top / CHUNK);
      const right = Math.min(strip.left + strip.columns, grid.right);
      for (let left = Math.max(strip.left, grid.left); left < right; ) {
        const chunkX = Math.floor(left / CHUNK);
        const columns = Math.min(right, (chunkX + 1) * CHUNK) - left;
        const covered = { values, stride, offset: left - strip.left };
        if (columns === strip.columns || isCovered(covered, columns, rows)) {
          const loaded = reader.chunk(grid, chunkX, chunkY);
          const chunk = loaded instanceof Promise ? await loaded : loaded;
          const at = (top - chunkY * CHUNK) * CHUNK + left - chunkX * CHUNK;
          piece({ covered, chunk, at, left, top, columns, rows });
        }
        left += columns;
      }
    }
  }
  return parcelCells;
}

/** Cuts the part of a window that lies in the grid's rows into strips, each within one row of chunks. */
function* stripsOf(grid: VirtualGrid, { left, top, columns, rows }: CellWindow): Generator<CellWindow> {
  if (left >= grid.right || left + columns <= grid.left) return;
  const bottom = Math.min(top + rows, grid.bottom);
  const most = Math.max(1, Math.floor(STRIP_CELLS / columns));
  for (let row = Math.max(top, grid.top); row < bottom; ) {
    const end = Math.min(bottom, (Math.floor(row / CHUNK) + 1) * CHUNK, row + most);
    yield { left, top: row, columns, rows: end - row };
    row = end;
  }
}

/** Parts of a wide, slanting parcel's window hold nothing of it: their chunks need not be read. */
function isCovered({ values, stride, offset }: Piece['covered'], columns: number, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const from = offset + row * stride;
    for (let i = from; i < from + columns; i++) if (values[i]! >= MIN_FRACTION) return true;
  }
  return false;
}

function toCells(grid: VirtualGrid, ring: Ring): Float64Array {
  const cells = new Float64Array(2 * ring.length);
  for (const [i, position] of ring.entries()) grid.forward(position, cells, 2 * i);
  return cells;
}
