// Memory of reading heights: CACHE_BYTES, and for each parcel STRIP_CELLS of 8 bytes and MAX_WINDOW_BYTES.

/**
 * Half for decoded blocks, half for finished chunks: enough for parcels that come in the order of a
 * space-filling curve.
 */
export const CACHE_BYTES = 64 * 2 ** 20;

/**
 * Cells of a side of a chunk: small enough that a margin of one touches few blocks of a file, large enough to
 * be worth its bookkeeping.
 */
export const CHUNK = 256;

/** Cells whose coverage is held at a time: a parcel that spans more is read in strips of rows. */
export const STRIP_CELLS = 2 ** 20;

/**
 * Decoded bytes of the blocks that one chunk may need; a file in larger pieces is refused when
 * its header is read.
 */
export const MAX_WINDOW_BYTES = 64 * 2 ** 20;

/** The most blocks of a side that a chunk and its margin can touch. */
export function blocksAcross(block: number, size: number): number {
  return Math.min(Math.ceil(size / block), Math.ceil((CHUNK + 1) / block) + 1);
}

/** How far beyond a parcel grids change its figures: two cells of 100 m. */
export const TERRAIN_MARGIN_M = 200;

/**
 * Heights beyond this mean no data without being declared: -9999, -32768, the lowest float. The lowest land
 * of the United States is at -86 m, the highest at 6,190 m (USGS, Elevations and Distances); grids that go on
 * under the sea reach some hundred meters down.
 */
export const LOWEST_M = -500;
export const HIGHEST_M = 7000;

/**
 * Float nodata is often written with fewer digits than the cells hold: -3.40282e+38 for the lowest
 * float is off by 1e-6.
 */
const NODATA_RELATIVE = 2e-6;

/** What is taken for nodata among cells. Whole numbers are compared exactly, floats with a little room. */
export function nodataRange(nodata: number | null, values: ArrayLike<number>): [number, number] {
  if (nodata === null) return [Infinity, -Infinity];
  const float = values instanceof Float32Array || values instanceof Float64Array;
  const room = float ? Math.abs(nodata) * NODATA_RELATIVE : 0;
  return [nodata - room, nodata + room];
}
