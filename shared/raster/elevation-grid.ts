import type { MultiPolygon, Position, Ring } from '../geo/geometry-types.ts';
import {
  addCells,
  MIN_CELL_FRACTION,
  newTerrainSums,
  type Terrain,
  terrainOf,
} from '../kernels/terrain/terrain.ts';
import { areaCells, type CellWindow, coverCells, windowOf } from '../kernels/terrain/terrain-coverage.ts';
import { SLOPE_GRADES } from '../model/land-layers.ts';
import { PlatError } from '../platform/errors.ts';
import type { Limits } from '../platform/http/download-context.ts';
import { type BlockCache, type Chunk, type ChunkReader, isPermanentError, openChunks } from './chunks.ts';
import { gridsOf, type VirtualGrid } from './grids.ts';
import { CACHE_BYTES, CHUNK_SIZE, STRIP_CELLS } from './limits.ts';
import type { ElevationTile } from './tiff-header.ts';

export type { Terrain } from '../kernels/terrain/terrain.ts';
export type { ElevationTile } from './tiff-header.ts';

/** A cell that intersects a parcel, for drawing on maps. */
export type SlopeCell = {
  corners: [Position, Position, Position, Position];
  /** Null if the cell or a neighbor has no data. */
  slopePercent: number | null;
  elevationM: number | null;
  /** Share of the cell that the parcel covers, 0 to 1. */
  fraction: number;
};

export type OpenElevation = {
  /**
   * A parcel's terrain; null if no grid has slopes for half of the parcel. `steeperPercent` has a share for
   * each of SLOPE_GRADES.
   */
  terrainOf(shape: MultiPolygon, steep?: SteepOutline): Promise<Terrain | null>;
  /**
   * The cells that `terrainOf` used; none if it returns null.
   * @throws PlatError `elevation_cells` if there are too many to draw
   */
  cellsOf(shape: MultiPolygon): Promise<SlopeCell[]>;
  /** Heights in meters, interpolated between the four cells around each position; NaN if there is no data. */
  heightsAt(places: readonly Position[]): Promise<Float64Array>;
  close(): Promise<void>;
};

/** Receives an edge of a cell, with the steep ground on its left. Straight edges come as a whole. */
export type AddEdge = (from: Position, to: Position) => void;

/** The outline of the ground steeper than a grade in percent. Cells without a slope aren't in it. */
export type SteepOutline = {
  grade: number;
  /** Called for each grid that is tried. Only the last one counts. */
  start(): AddEdge;
};

export type ElevationOptions = {
  signal: AbortSignal;
  /** Size of the cache for decoded cells. Default: CACHE_BYTES. */
  cacheBytes?: number;
  limits?: Partial<Limits>;
  /** A block cache to share between several calls. `close` doesn't clear it. */
  blocks?: BlockCache;
};

const MAX_DRAWN_CELLS = 100_000;

/**
 * Computes the slope and elevation of parcels, each from the finest grid that has data for at least half of
 * the parcel. Blocks are read on demand, in bounded memory.
 * @throws PlatError `feed_crs`, `feed_source`, `feed_format`, `source_changed` if a file isn't the version
 * that was ingested
 */
export function openElevation(tiles: readonly ElevationTile[], options: ElevationOptions): OpenElevation {
  const grids = gridsOf(tiles);
  const reader = openChunks({ cacheBytes: CACHE_BYTES, ...options });
  const gridAndTerrain = async (
    shape: MultiPolygon,
    steep?: SteepOutline,
  ): Promise<{ grid: VirtualGrid; terrain: Terrain } | undefined> => {
    let failure: PlatError | undefined;
    for (const grid of grids) {
      try {
        const terrain = await terrainOn(grid, reader, shape, steep);
        if (terrain !== null) return { grid, terrain };
      } catch (error) {
        // A transient error is retried. Only a permanent one falls back to a coarser grid.
        if (!isPermanentError(error)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  };
  return {
    terrainOf: async (shape, steep) => (await gridAndTerrain(shape, steep))?.terrain ?? null,
    async cellsOf(shape) {
      const answer = await gridAndTerrain(shape);
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

async function fillHeights(
  grid: VirtualGrid,
  reader: ChunkReader,
  places: readonly Position[],
  heights: Float64Array,
): Promise<void> {
  const at = new Float64Array(2);
  /** The height of a cell. Not a promise if the chunk is loaded, because a map tile has 70,000 cells. */
  const cell = (column: number, row: number): number | Promise<number> => {
    if (column < grid.left || column >= grid.right || row < grid.top || row >= grid.bottom) return Number.NaN;
    const [x, y] = [Math.floor(column / CHUNK_SIZE), Math.floor(row / CHUNK_SIZE)];
    const inChunk = (row - y * CHUNK_SIZE) * CHUNK_SIZE + column - x * CHUNK_SIZE;
    const loaded = reader.chunk(grid, x, y);
    return loaded instanceof Promise
      ? loaded.then(chunk => chunk?.heights[inChunk] ?? Number.NaN)
      : (loaded?.heights[inChunk] ?? Number.NaN);
  };
  for (const [i, place] of places.entries()) {
    if (!Number.isNaN(heights[i])) continue;
    grid.forward(place, at, 0);
    // An elevation applies to the middle of its cell.
    const [x, y] = [at[0]! - 0.5, at[1]! - 0.5];
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const [dx, dy] = [x - column, y - row];
    heights[i] = 0;
    for (let corner = 0; corner < 4; corner++) {
      const [right, down] = [corner & 1, corner >> 1];
      const height = cell(column + right, row + down);
      const weight = (right ? dx : 1 - dx) * (down ? dy : 1 - dy);
      heights[i]! += weight * (typeof height === 'number' ? height : await height);
    }
  }
}

async function terrainOn(
  grid: VirtualGrid,
  reader: ChunkReader,
  shape: MultiPolygon,
  steep: SteepOutline | undefined,
): Promise<Terrain | null> {
  const sums = newTerrainSums(SLOPE_GRADES);
  const addEdge = steep?.start();
  const parcelCells = await visit(grid, reader, shape, piece => {
    const { covered, chunk, at, columns, rows } = piece;
    if (chunk === null) return;
    addCells(
      sums,
      columns,
      rows,
      covered,
      { values: chunk.heights, stride: CHUNK_SIZE, offset: at },
      { values: chunk.slopes, stride: CHUNK_SIZE, offset: at },
    );
    if (steep && addEdge) outlineSteep(piece, chunk, grid, steep.grade, addEdge);
  });
  return terrainOf(sums, parcelCells);
}

async function cellsOn(grid: VirtualGrid, reader: ChunkReader, shape: MultiPolygon): Promise<SlopeCell[]> {
  const cells = new Map<string, SlopeCell>();
  await visit(grid, reader, shape, ({ covered, chunk, at, left, top, columns, rows }) => {
    for (let i = 0; i < columns * rows; i++) {
      const [x, y] = [i % columns, Math.floor(i / columns)];
      const fraction = covered.values[covered.offset + y * covered.stride + x]!;
      if (fraction < MIN_CELL_FRACTION) continue;
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
      const slope = chunk?.slopes[at + y * CHUNK_SIZE + x] ?? Number.NaN;
      const height = chunk?.heights[at + y * CHUNK_SIZE + x] ?? Number.NaN;
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

/** Whether each of a piece's cells is steep, with a margin of one cell that isn't. */
function findSteep({ covered, at, columns, rows }: Piece, { slopes }: Chunk, grade: number): Uint8Array {
  const steep = new Uint8Array((columns + 2) * (rows + 2));
  for (let row = 0; row < rows; row++) {
    const [f, s] = [covered.offset + row * covered.stride, at + row * CHUNK_SIZE];
    const to = (row + 1) * (columns + 2) + 1;
    for (let column = 0; column < columns; column++)
      if (covered.values[f + column]! >= MIN_CELL_FRACTION && slopes[s + column]! > grade)
        steep[to + column] = 1;
  }
  return steep;
}

/** Passes on the edges between steep cells and others. */
function outlineSteep(piece: Piece, chunk: Chunk, grid: VirtualGrid, grade: number, add: AddEdge): void {
  const steep = findSteep(piece, chunk, grade);
  if (!steep.includes(1)) return;
  const { columns, rows } = piece;
  const place = placeIn(grid, piece);
  const scan = (lines: number, cells: number, step: number, along: number, emit: EmitEdge) => {
    for (let line = 0; line <= lines; line++) {
      for (let cell = 0, from = 0, was = 0; cell <= cells; cell++) {
        const after = (line + 1) * step + (cell + 1) * along;
        const is = cell === cells ? 0 : steep[after]! - steep[after - step]!;
        if (is === was) continue;
        if (was !== 0) emit(line, from, cell, was > 0);
        [from, was] = [cell, is];
      }
    }
  };
  // In cells, y points down, so the left of an edge to the right is above it on the map.
  const isFlipped = grid.stepX * grid.stepY > 0;
  const edge = (from: Position, to: Position, isForward: boolean) =>
    isForward === isFlipped ? add(to, from) : add(from, to);
  scan(rows, columns, columns + 2, 1, (line, from, to, below) =>
    edge(place(from, line), place(to, line), !below),
  );
  scan(columns, rows, 1, columns + 2, (line, from, to, right) =>
    edge(place(line, from), place(line, to), right),
  );
}

type EmitEdge = (line: number, from: number, to: number, isBehind: boolean) => void;

/**
 * Positions of cell corners in a piece, interpolated between the piece's corners. Within a chunk, a grid is
 * straight enough, and projecting each corner would take longer than all else.
 */
function placeIn(grid: VirtualGrid, { left, top, columns, rows }: Piece) {
  const [x0, y0] = grid.inverse(left, top);
  const [x1, y1] = grid.inverse(left + columns, top);
  const [x2, y2] = grid.inverse(left, top + rows);
  const [x3, y3] = grid.inverse(left + columns, top + rows);
  return (column: number, row: number): Position => {
    const [u, v] = [column / columns, row / rows];
    const [a, b, c, d] = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
    return [a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3];
  };
}

/** A rectangle of cells within one chunk. */
type Piece = {
  covered: { values: Float64Array; stride: number; offset: number };
  chunk: Chunk | null;
  /** Index of the first cell in the chunk. */
  at: number;
  /** Column and row of the first cell in the grid. */
  left: number;
  top: number;
  columns: number;
  rows: number;
};

/**
 * Visits the cells that the parts of a parcel cover. A cell in two parts is visited twice, with the fraction
 * of each.
 * @returns the parcel's area in cells, including those beyond the grid
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
      const chunkY = Math.floor(top / CHUNK_SIZE);
      const right = Math.min(strip.left + strip.columns, grid.right);
      for (let left = Math.max(strip.left, grid.left); left < right; ) {
        const chunkX = Math.floor(left / CHUNK_SIZE);
        const columns = Math.min(right, (chunkX + 1) * CHUNK_SIZE) - left;
        const covered = { values, stride, offset: left - strip.left };
        if (columns === strip.columns || isCovered(covered, columns, rows)) {
          const loaded = reader.chunk(grid, chunkX, chunkY);
          const chunk = loaded instanceof Promise ? await loaded : loaded;
          const at = (top - chunkY * CHUNK_SIZE) * CHUNK_SIZE + left - chunkX * CHUNK_SIZE;
          piece({ covered, chunk, at, left, top, columns, rows });
        }
        left += columns;
      }
    }
  }
  return parcelCells;
}

/** Splits the part of a window that is within the grid into strips, each within one row of chunks. */
function* stripsOf(grid: VirtualGrid, { left, top, columns, rows }: CellWindow): Generator<CellWindow> {
  if (left >= grid.right || left + columns <= grid.left) return;
  const bottom = Math.min(top + rows, grid.bottom);
  const most = Math.max(1, Math.floor(STRIP_CELLS / columns));
  for (let row = Math.max(top, grid.top); row < bottom; ) {
    const end = Math.min(bottom, (Math.floor(row / CHUNK_SIZE) + 1) * CHUNK_SIZE, row + most);
    yield { left, top: row, columns, rows: end - row };
    row = end;
  }
}

/**
 * Whether a piece of the window has any covered cells. The window of a slanting parcel has pieces without
 * any, and their chunks aren't read.
 */
function isCovered({ values, stride, offset }: Piece['covered'], columns: number, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const from = offset + row * stride;
    for (let i = from; i < from + columns; i++) if (values[i]! >= MIN_CELL_FRACTION) return true;
  }
  return false;
}

function toCells(grid: VirtualGrid, ring: Ring): Float64Array {
  const cells = new Float64Array(2 * ring.length);
  for (const [i, position] of ring.entries()) grid.forward(position, cells, 2 * i);
  return cells;
}
