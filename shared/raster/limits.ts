/**
 * What reading heights takes in memory, whatever the size of files and parcels: CACHE_BYTES, and for each parcel that is worked on at
 * the time STRIP_CELLS of 8 bytes and the blocks of one chunk (MOST_WINDOW_BYTES).
 */

/**
 * Decoded blocks and finished chunks that are kept, half of it each: 60 chunks (2.6 km square at 10 m) and 32 blocks of 512 x 512
 * floats, enough for parcels that come in the order of a space-filling curve.
 */
export const CACHE_BYTES = 64 * 2 ** 20;

/** Cells of a side of a chunk: small enough that a margin of one touches few blocks of a file, large enough to be worth its bookkeeping. */
export const CHUNK = 256;

/** Cells whose coverage is held at a time: a parcel that spans more is read in strips of rows. */
export const STRIP_CELLS = 2 ** 20;

/** Decoded bytes of the blocks that one chunk may need; a file in larger pieces is refused when its header is read. */
export const MOST_WINDOW_BYTES = 64 * 2 ** 20;

/** The most blocks of a side that a chunk and its margin can touch. */
export function blocksAcross(block: number, size: number): number {
  return Math.min(Math.ceil(size / block), Math.ceil((CHUNK + 1) / block) + 1);
}

/**
 * How far beyond a parcel, in metres, grids change its figures: the cells that its outermost slopes need, and a part of a cell
 * for grids of other coordinates. Two cells of 100 m.
 */
export const TERRAIN_MARGIN_M = 200;
