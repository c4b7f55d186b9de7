import { LRUCache } from 'lru-cache';
import { isRetryable, PlatError } from '../base/errors.ts';
import { metersPerUnit } from '../kernels/terrain/ground.ts';
import { hornSlopes } from '../kernels/terrain/horn.ts';
import type { Limits } from '../net/download-context.ts';
import { type ByteSource, openBytes } from './byte-source.ts';
import type { GridTile, VirtualGrid } from './grids.ts';
import { type Block, type ElevationImage, openImage, readBlock } from './image.ts';
import { CHUNK, HIGHEST_M, LOWEST_M, nodataRange } from './limits.ts';
import type { ElevationTile } from './tiff-header.ts';

/** Heights in meters and slopes in percent of CHUNK x CHUNK cells by rows; NaN where there are none. */
export type Chunk = { heights: Float32Array; slopes: Float32Array };

const CHUNK_BYTES = 2 * 4 * CHUNK * CHUNK;
/** Of the key and entry of a chunk without heights, or that cannot be read. */
const EMPTY_BYTES = 128;

/**
 * Directories of files are kept for as many files; one of 10,000 x 10,000 cells in tiles of 512
 * takes about 10 kB.
 */
const DIRECTORIES = 256;

/** Decoded blocks of files as they were when they had a fingerprint. */
export type BlockCache = LRUCache<string, Promise<Block>>;

export type ChunkOptions = {
  signal: AbortSignal;
  cacheBytes: number;
  limits?: Partial<Limits>;
  /** Blocks that outlive the reader, instead of some of its own. */
  blocks?: BlockCache;
};

type OpenedTile = { tile: ElevationTile; bytes: ByteSource; image: ElevationImage };

/**
 * Makes chunks of grids from the blocks of their files and keeps the last ones of both within `cacheBytes`.
 */
export type ChunkReader = {
  /**
   * The chunk whose first cell is (x * CHUNK, y * CHUNK), at once when it is at hand; null where there are
   * no heights at all.
   */
  chunk(grid: VirtualGrid, x: number, y: number): Chunk | null | Promise<Chunk | null>;
  close(): void;
};

export function openChunks(options: ChunkOptions): ChunkReader {
  // Neighboring chunks share blocks, neighboring parcels share chunks: both matter alike.
  const blocks: BlockCache = options.blocks ?? newBlockCache(options.cacheBytes);
  /** Finished chunks, and why one cannot be read, so that not every parcel over it has to find out again. */
  const chunks = new LRUCache<string, { chunk: Chunk | null } | { error: PlatError }>({
    maxSize: Math.ceil(options.cacheBytes / 2),
  });
  const loading = new Map<string, Promise<Chunk | null>>();
  const images = new LRUCache<string, Promise<OpenedTile>>({ maxSize: DIRECTORIES });

  const open = (tile: ElevationTile): Promise<OpenedTile> =>
    loadOnce(images, tile.source, 1, async () => {
      const bytes = openBytes(tile.source, { ...options, fingerprint: tile.fingerprint });
      return { tile, bytes, image: await openImage(bytes) };
    });

  const block = ({ tile, bytes, image }: OpenedTile, column: number, row: number): Promise<Block> =>
    loadOnce(
      blocks,
      `${column} ${row} ${tile.fingerprint} ${tile.source}`,
      image.blockWidth * image.blockHeight * image.bytesPerCell,
      () => readBlock(image, column, row, bytes.name),
    );

  /** Fills the cells of a window that are still NaN with a tile's heights. */
  const fill = async (window: Window, placed: GridTile): Promise<void> => {
    const area = overlap(window, placed);
    if (area === null) return;
    const opened = await open(placed.tile);
    const { blockWidth, blockHeight } = opened.image;
    const parts: Promise<{ block: Block; left: number; top: number }>[] = [];
    for (let row = Math.floor(area.top / blockHeight); row * blockHeight < area.bottom; row++) {
      for (let column = Math.floor(area.left / blockWidth); column * blockWidth < area.right; column++) {
        const [left, top] = [column * blockWidth, row * blockHeight];
        parts.push(block(opened, column, row).then(found => ({ block: found, left, top })));
      }
    }
    for (const part of await Promise.all(parts)) {
      if (part.block !== null) copyCells(window, placed, part.block, part.left, part.top, area);
    }
  };

  const load = async (grid: VirtualGrid, x: number, y: number): Promise<Chunk | null> => {
    options.signal.throwIfAborted();
    const size = CHUNK + 2;
    const window: Window = {
      left: x * CHUNK - 1,
      top: y * CHUNK - 1,
      size,
      heights: new Float64Array(size * size).fill(NaN),
      missing: size * size,
    };
    // In order, so that where tiles overlap the first one that has data is read, and the others only
    // where it has none.
    const unread: { placed: GridTile; error: PlatError }[] = [];
    for (const placed of grid.tiles) {
      if (window.missing === 0) break;
      try {
        await fill(window, placed);
      } catch (error) {
        if (!isPermanentError(error)) throw error;
        unread.push({ placed, error });
      }
    }
    // Where tiles overlap another one may have what a damaged one lacks.
    for (const { placed, error } of unread) if (hasGaps(window, placed)) throw error;
    return window.missing === size * size ? null : chunkOf(grid, window);
  };

  return {
    chunk(grid, x, y) {
      const key = `${grid.id} ${x} ${y}`;
      const cached = chunks.get(key);
      if (cached !== undefined) return 'error' in cached ? Promise.reject(cached.error) : cached.chunk;
      const before = loading.get(key);
      if (before !== undefined) return before;
      const started = load(grid, x, y)
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

/** For parcels that come in parts, one reader each: what lies at the rim of two parts is decoded once. */
export function newBlockCache(cacheBytes: number): BlockCache {
  return new LRUCache({ maxSize: Math.ceil(cacheBytes / 2) });
}

/**
 * The value of a key, loaded once however many ask for it meanwhile; a failed load is forgotten, so that the
 * next one tries again.
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
  // A block larger than the cache is kept until the next one comes.
  cache.set(key, loading, { size: Math.min(bytes, cache.maxSize) });
  loading.catch(() => {
    if (cache.peek(key) === loading) cache.delete(key);
  });
  return loading;
}

/** Whether a file would be found as it is, changed, missing or damaged, if it were read again at once. */
export function isPermanentError(error: unknown): error is PlatError {
  return error instanceof PlatError && !isRetryable(error);
}

/** A chunk in the making: heights in meters with a margin of one cell, and how many are still NaN. */
type Window = { left: number; top: number; size: number; heights: Float64Array; missing: number };

type Area = { left: number; top: number; right: number; bottom: number };

/** The part of a tile that a window needs, in the tile's own cells. */
function overlap(window: Window, { tile, column, row }: GridTile): Area | null {
  const area = {
    left: Math.max(0, window.left - column),
    top: Math.max(0, window.top - row),
    right: Math.min(tile.width, window.left + window.size - column),
    bottom: Math.min(tile.height, window.top + window.size - row),
  };
  return area.left < area.right && area.top < area.bottom ? area : null;
}

/** Whether cells of a tile's part of a window are without a height. */
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
      // NaN and infinite values are none either.
      if (!(heightM >= LOWEST_M && heightM <= HIGHEST_M)) continue;
      const at = to + x;
      if (!Number.isNaN(window.heights[at]!)) continue;
      window.heights[at] = heightM;
      window.missing--;
    }
  }
}

function chunkOf(grid: VirtualGrid, { left, top, size, heights: withMargin }: Window): Chunk {
  const ground = grid.groundAt(left + size / 2, top + size / 2);
  const sizes = { xM: new Float64Array(CHUNK), yM: new Float64Array(CHUNK) };
  for (let row = 0; row < CHUNK; row++) {
    const meters = metersPerUnit(ground, grid.originY + (top + 1 + row + 0.5) * grid.stepY);
    sizes.xM[row] = Math.abs(grid.stepX) * meters.x;
    sizes.yM[row] = Math.abs(grid.stepY) * meters.y;
  }
  const slopes = new Float32Array(CHUNK * CHUNK);
  hornSlopes(withMargin, CHUNK, CHUNK, sizes, slopes);
  const heights = new Float32Array(CHUNK * CHUNK);
  for (let row = 0; row < CHUNK; row++) {
    const from = (row + 1) * size + 1;
    heights.set(withMargin.subarray(from, from + CHUNK), row * CHUNK);
  }
  return { heights, slopes };
}
