import { isAbsolute, resolve } from 'node:path';
import { SLOPE_GRADES } from '../../shared/domain/land.ts';
import { PlatError } from '../../shared/errors.ts';
import type { MultiPolygon, Polygon, Position } from '../../shared/kernels/geometry/types.ts';
import {
  areaCells,
  type CellPolygon,
  type CellWindow,
  coverCells,
  windowOf,
} from '../../shared/kernels/terrain/coverage.ts';
import {
  addCells,
  LEAST_FRACTION,
  startSums,
  type Terrain,
  terrainOf,
} from '../../shared/kernels/terrain/terrain.ts';
import type { Limits } from '../ingest/open/limits.ts';
import { CHUNK, type Chunk, type ChunkReader, openChunks } from './chunks.ts';
import { gridsOf, type VirtualGrid } from './grids.ts';
import type { ElevationTile } from './header.ts';

export type { Terrain } from '../../shared/kernels/terrain/terrain.ts';
export type { ElevationTile } from './header.ts';

/** A cell that a parcel touches, for drawing. */
export type SlopeCell = {
  corners: [Position, Position, Position, Position];
  /** Null where the grid has no data, or a neighbour has none. */
  slopePercent: number | null;
  elevationM: number | null;
  /** Covered by the parcel, 0 to 1. */
  fraction: number;
};

export type OpenElevation = {
  /** Null when no grid has slopes for half of the parcel. `steeperPercent` has a share for each of SLOPE_GRADES. */
  terrainOf(shape: MultiPolygon): Promise<Terrain | null>;
  /** The cells behind `terrainOf`; none when that is null. @throws PlatError `elevation_cells` when they are too many to draw */
  cellsOf(shape: MultiPolygon): Promise<SlopeCell[]>;
  close(): Promise<void>;
};

export type ElevationOptions = {
  /** Folder that relative sources start from. */
  baseDir?: string;
  signal: AbortSignal;
  /** Bytes of decoded cells to keep. */
  cacheBytes?: number;
  limits?: Partial<Limits>;
};

/** Holds the 60 chunks of 256 x 256 cells (2.6 km at 10 m) last used, and the blocks of files around them. */
const CACHE_BYTES = 64 * 2 ** 20;

/** Cells whose coverage is held at a time, 8 bytes each: a parcel that spans more is read in strips of rows. */
const STRIP_CELLS = 2 ** 20;

const MOST_DRAWN_CELLS = 100_000;

/**
 * Slope and elevation of parcels from grids of heights. Where several grids lie over a parcel the one with the smallest cells is used
 * that has data for at least half of it. Files are read when first needed, block by block; memory is bounded by `cacheBytes`, the
 * strips' 8 MiB and the blocks of one chunk, however large the files and the parcels are.
 * @throws PlatError `feed_crs` when a tile's CRS is not known. Reading throws PlatError `feed_source` when a file cannot be read,
 *   `feed_format` when it cannot be decoded, `elevation_changed` when it is not the file that was ingested
 */
export function openElevation(tiles: readonly ElevationTile[], options: ElevationOptions): OpenElevation {
  const { baseDir, cacheBytes = CACHE_BYTES } = options;
  const grids = gridsOf(tiles.map(tile => ({ ...tile, source: absolute(tile.source, baseDir) })));
  const reader = openChunks({ ...options, cacheBytes });
  return {
    async terrainOf(shape) {
      for (const grid of grids) {
        const terrain = await terrainOn(grid, reader, shape);
        if (terrain !== null) return terrain;
      }
      return null;
    },
    async cellsOf(shape) {
      for (const grid of grids) {
        if ((await terrainOn(grid, reader, shape)) !== null) return cellsOn(grid, reader, shape);
      }
      return [];
    },
    close: async () => reader.close(),
  };
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
      if (fraction < LEAST_FRACTION) continue;
      const [column, row] = [left + x, top + y];
      const before = cells.get(`${column} ${row}`);
      if (before !== undefined) {
        before.fraction = Math.min(1, before.fraction + fraction);
        continue;
      }
      if (cells.size === MOST_DRAWN_CELLS) {
        throw new PlatError(
          'elevation_cells',
          `The parcel covers over ${MOST_DRAWN_CELLS} cells, too many to draw.`,
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
 * Goes over the cells that the parts of a parcel cover, strip by strip and chunk by chunk. A cell that two parts share comes twice,
 * with the fraction of each.
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
    const rings = toCells(grid, polygon);
    parcelCells += areaCells(rings);
    const window = windowOf(rings[0]!);
    const { left, columns } = window;
    const bottom = Math.min(window.top + window.rows, grid.bottom);
    if (left >= grid.right || left + columns <= grid.left) continue;
    const stripRows = Math.max(1, Math.min(CHUNK, Math.floor(STRIP_CELLS / columns)));
    for (let top = Math.max(window.top, grid.top); top < bottom; ) {
      const chunkRow = Math.floor(top / CHUNK);
      const rows = Math.min(bottom, (chunkRow + 1) * CHUNK, top + stripRows) - top;
      await visitStrip(grid, reader, rings, { left, top, columns, rows }, piece);
      top += rows;
    }
  }
  return parcelCells;
}

/** A strip lies within one row of chunks. */
async function visitStrip(
  grid: VirtualGrid,
  reader: ChunkReader,
  rings: CellPolygon,
  strip: CellWindow,
  piece: (piece: Piece) => void,
): Promise<void> {
  const { left, top, columns: width, rows } = strip;
  const values = coverCells(rings, strip);
  const chunkY = Math.floor(top / CHUNK);
  const right = Math.min(left + width, grid.right);
  for (let column = Math.max(left, grid.left); column < right; ) {
    const chunkX = Math.floor(column / CHUNK);
    const columns = Math.min(right, (chunkX + 1) * CHUNK) - column;
    const covered = { values, stride: width, offset: column - left };
    if (isCovered(covered, columns, rows)) {
      const found = reader.chunk(grid, chunkX, chunkY);
      const chunk = found instanceof Promise ? await found : found;
      const at = (top - chunkY * CHUNK) * CHUNK + column - chunkX * CHUNK;
      piece({ covered, chunk, at, left: column, top, columns, rows });
    }
    column += columns;
  }
}

/** Parts of a wide, slanting parcel's window hold nothing of it: their chunks need not be read. */
function isCovered({ values, stride, offset }: Piece['covered'], columns: number, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const from = offset + row * stride;
    for (let i = from; i < from + columns; i++) if (values[i]! >= LEAST_FRACTION) return true;
  }
  return false;
}

function toCells(grid: VirtualGrid, polygon: Polygon): Float64Array[] {
  return polygon.map(ring => {
    const cells = new Float64Array(ring.length * 2);
    for (let i = 0; i < ring.length; i++) grid.forward(ring[i]!, cells, 2 * i);
    return cells;
  });
}
