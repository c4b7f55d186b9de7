import { LRUCache } from 'lru-cache';
import { metersPerUnit } from '../kernels/terrain/ground.ts';
import { hornSlopes } from '../kernels/terrain/horn.ts';
import { isRetryable, PlatError } from '../platform/errors.ts';
import type { Limits } from '../platform/http/download-context.ts';
import { type ByteSource, openByteSource } from './byte-source.ts';
import type { GridTile, VirtualGrid } from './grids.ts';
import { type Block, type ElevationImage, openImage, readBlock } from './image.ts';
import { CHUNK_SIZE, MAX_HEIGHT_M, MIN_HEIGHT_M, nodataRange } from './limits.ts';
import type { ElevationTile } from './tiff-header.ts';

/**
 * Heights in meters and slopes in percent for CHUNK_SIZE x CHUNK_SIZE cells, row by row. NaN means no data.
 */
export type Chunk = { heights: Float32Array; slopes: Float32Array };

const CHUNK_BYTES = 2 * 4 * CHUNK_SIZE * CHUNK_SIZE;
/** Size in the cache for a chunk without data, or for an error. */
const EMPTY_BYTES = 128;

/**
 * Number of files whose directories are cached. A directory of 10,000 x 10,000 cells in tiles of 512 takes
 * about 10 kB.
 */
const MAX_DIRECTORIES = 256;

/** Decoded blocks, by tile, fingerprint, and place. */
export type BlockCache = LRUCache<string, Promise<Block>>;

export type ChunkOptions = {
  signal: AbortSignal;
  cacheBytes: number;
  limits?: Partial<Limits>;
  /** A cache of blocks to share between readers. By default, each reader has its own. */
  blocks?: BlockCache;
};

type OpenedTile = { tile: ElevationTile; bytes: ByteSource; image: ElevationImage };

/**
 * Builds chunks of grids from blocks of files, and caches the most recently used of both within `cacheBytes`.
 */
export type ChunkReader = {
  /**
   * The chunk whose first cell is (x * CHUNK_SIZE, y * CHUNK_SIZE). Not a promise if it is cached. null if it
   * has no data.
   */
  chunk(grid: VirtualGrid, x: number, y: number): Chunk | null | Promise<Chunk | null>;
  close(): void;
};

type ReaderState = {
  options: ChunkOptions;
  /**
   * Each of the two caches gets half, because neighboring chunks share blocks and neighboring parcels share
   * chunks.
   */
  blocks: BlockCache;
  /**
   * Chunks or permanent errors. Errors are cached so that a damaged file isn't read again for every parcel on
   * it.
   */
  chunks: LRUCache<string, { chunk: Chunk | null } | { error: PlatError }>;
  loading: Map<string, Promise<Chunk | null>>;
  images: LRUCache<string, Promise<OpenedTile>>;
};

export function openChunks(options: ChunkOptions): ChunkReader {
  const state: ReaderState = {
    options,
    blocks: options.blocks ?? newBlockCache(options.cacheBytes),
    chunks: new LRUCache({ maxSize: Math.ceil(options.cacheBytes / 2) }),
    loading: new Map(),
    images: new LRUCache({ maxSize: MAX_DIRECTORIES }),
  };
  const { chunks, loading, images, blocks } = state;
  return {
    chunk(grid, x, y) {
      const key = `${grid.id} ${x} ${y}`;
      const cached = chunks.get(key);
      if (cached !== undefined) return 'error' in cached ? Promise.reject(cached.error) : cached.chunk;
      const before = loading.get(key);
      if (before !== undefined) return before;
      const started = loadChunk(state, grid, x, y)
        .then(chunk => {
          chunks.set(key, { chunk }, { size: chunk === null ? EMPTY_BYTES : CHUNK_BYTES });
          return chunk;
        })
        .catch(error => {
          if (isPermanentError(error)) chunks.set(key, { error }, { size: EMPTY_BYTES });
          throw error;
        })
        .finally(() => loading.delete(key));
      loading.set(key, started);
      return started;
    },
    close() {
      if (options.blocks === undefined) blocks.clear();
      chunks.clear();
      images.clear();
    },
  };
}

async function loadChunk(state: ReaderState, grid: VirtualGrid, x: number, y: number): Promise<Chunk | null> {
  state.options.signal.throwIfAborted();
  const size = CHUNK_SIZE + 2;
  const window: Window = {
    left: x * CHUNK_SIZE - 1,
    top: y * CHUNK_SIZE - 1,
    size,
    heights: new Float64Array(size * size).fill(NaN),
    missing: size * size,
  };
  // Read tiles one after another. Where they overlap, the first one that has data wins, and the others are
  // read only for cells that it lacks.
  const failures: { placed: GridTile; error: PlatError }[] = [];
  for (const placed of grid.tiles) {
    if (window.missing === 0) break;
    try {
      await fillWindow(state, window, placed);
    } catch (error) {
      if (!isPermanentError(error)) throw error;
      failures.push({ placed, error });
    }
  }
  // An unreadable tile is an error only if no overlapping tile has the same cells.
  for (const { placed, error } of failures) if (hasGaps(window, placed)) throw error;
  return window.missing === size * size ? null : chunkOf(grid, window);
}

/** Fills cells of a window that are still NaN with the elevations of a tile. */
async function fillWindow(state: ReaderState, window: Window, placed: GridTile): Promise<void> {
  const area = overlap(window, placed);
  if (area === null) return;
  const opened = await openTile(state, placed.tile);
  const { blockWidth, blockHeight } = opened.image;
  const parts: Promise<{ block: Block; left: number; top: number }>[] = [];
  for (let row = Math.floor(area.top / blockHeight); row * blockHeight < area.bottom; row++) {
    for (let column = Math.floor(area.left / blockWidth); column * blockWidth < area.right; column++) {
      const [left, top] = [column * blockWidth, row * blockHeight];
      parts.push(loadBlock(state, opened, column, row).then(found => ({ block: found, left, top })));
    }
  }
  for (const part of await Promise.all(parts)) {
    if (part.block !== null) copyCells(window, placed, part.block, part.left, part.top, area);
  }
}

function openTile({ images, options }: ReaderState, tile: ElevationTile): Promise<OpenedTile> {
  return loadOnce(images, tile.source, 1, async () => {
    const bytes = openByteSource(tile.source, { ...options, fingerprint: tile.fingerprint });
    return { tile, bytes, image: await openImage(bytes) };
  });
}

function loadBlock(
  { blocks }: ReaderState,
  { tile, bytes, image }: OpenedTile,
  column: number,
  row: number,
): Promise<Block> {
  return loadOnce(
    blocks,
    `${column} ${row} ${tile.fingerprint} ${tile.source}`,
    image.blockWidth * image.blockHeight * image.bytesPerCell,
    () => readBlock(image, column, row, bytes.name),
  );
}

/**
 * A block cache to share between successive readers, so that blocks on the border of two batches of parcels
 * are decoded only once.
 */
export function newBlockCache(cacheBytes: number): BlockCache {
  return new LRUCache({ maxSize: Math.ceil(cacheBytes / 2) });
}

/**
 * Loads the value for a key only once for concurrent callers. A failed load is removed, so that the next
 * caller tries again.
 */
function loadOnce<T>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  bytes: number,
  load: () => Promise<T>,
): Promise<T> {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const loading = load();
  // A block that is larger than the cache stays until the next one is added.
  cache.set(key, loading, { size: Math.min(bytes, cache.maxSize) });
  loading.catch(() => {
    if (cache.peek(key) === loading) cache.delete(key);
  });
  return loading;
}

/**
 * Whether reading the file again would fail in the same way, because it has changed, is missing, or is
 * damaged.
 */
export function isPermanentError(error: unknown): error is PlatError {
  return error instanceof PlatError && !isRetryable(error);
}

/** A chunk's heights in meters, with a margin of one cell, and the number of cells that are still NaN. */
type Window = { left: number; top: number; size: number; heights: Float64Array; missing: number };

type Area = { left: number; top: number; right: number; bottom: number };

function overlap(window: Window, { tile, column, row }: GridTile): Area | null {
  const area = {
    left: Math.max(0, window.left - column),
    top: Math.max(0, window.top - row),
    right: Math.min(tile.width, window.left + window.size - column),
    bottom: Math.min(tile.height, window.top + window.size - row),
  };
  return area.left < area.right && area.top < area.bottom ? area : null;
}

function hasGaps(window: Window, placed: GridTile): boolean {
  const area = overlap(window, placed);
  if (area === null) return false;
  for (let y = area.top; y < area.bottom; y++) {
    const from = (y + placed.row - window.top) * window.size + placed.column - window.left;
    for (let x = area.left; x < area.right; x++) if (Number.isNaN(window.heights[from + x]!)) return true;
  }
  return false;
}

function copyCells(
  window: Window,
  { tile, column, row }: GridTile,
  block: NonNullable<Block>,
  blockLeft: number,
  blockTop: number,
  area: Area,
): void {
  const { values } = block;
  const { unitM } = tile;
  const [lowNodata, highNodata] = nodataRange(tile.nodata, values);
  const left = Math.max(area.left, blockLeft);
  const right = Math.min(area.right, blockLeft + block.width);
  const top = Math.max(area.top, blockTop);
  const bottom = Math.min(area.bottom, blockTop + block.height);
  for (let y = top; y < bottom; y++) {
    const from = (y - blockTop) * block.stride - blockLeft;
    const to = (y + row - window.top) * window.size + column - window.left;
    for (let x = left; x < right; x++) {
      const value = values[from + x]!;
      if (value >= lowNodata && value <= highNodata) continue;
      const heightM = value * unitM;
      // Also skips NaN and infinite values.
      if (!(heightM >= MIN_HEIGHT_M && heightM <= MAX_HEIGHT_M)) continue;
      const at = to + x;
      if (!Number.isNaN(window.heights[at]!)) continue;
      window.heights[at] = heightM;
      window.missing--;
    }
  }
}

function chunkOf(grid: VirtualGrid, { left, top, size, heights: withMargin }: Window): Chunk {
  const ground = grid.groundAt(left + size / 2, top + size / 2);
  const sizes = { xM: new Float64Array(CHUNK_SIZE), yM: new Float64Array(CHUNK_SIZE) };
  for (let row = 0; row < CHUNK_SIZE; row++) {
    const meters = metersPerUnit(ground, grid.originY + (top + 1 + row + 0.5) * grid.stepY);
    sizes.xM[row] = Math.abs(grid.stepX) * meters.x;
    sizes.yM[row] = Math.abs(grid.stepY) * meters.y;
  }
  const slopes = new Float32Array(CHUNK_SIZE * CHUNK_SIZE);
  hornSlopes(withMargin, CHUNK_SIZE, CHUNK_SIZE, sizes, slopes);
  const heights = new Float32Array(CHUNK_SIZE * CHUNK_SIZE);
  for (let row = 0; row < CHUNK_SIZE; row++) {
    const from = (row + 1) * size + 1;
    heights.set(withMargin.subarray(from, from + CHUNK_SIZE), row * CHUNK_SIZE);
  }
  return { heights, slopes };
}
