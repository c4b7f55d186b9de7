// Reading heights takes CACHE_BYTES of memory, plus 8 * STRIP_CELLS + MAX_WINDOW_BYTES bytes per parcel.

/**
 * Half is for decoded blocks and half is for chunks, which is enough if parcels are in the order of a
 * space-filling curve.
 */
export const CACHE_BYTES = 64 * 2 ** 20;

/**
 * Cells per side of a chunk: small enough to touch few blocks of a file, large enough to outweigh the
 * overhead per chunk.
 */
export const CHUNK_SIZE = 256;

/**
 * Maximum number of cells whose coverage is in memory at a time. A parcel with more cells is processed in
 * strips of rows.
 */
export const STRIP_CELLS = 2 ** 20;

/**
 * Maximum total size of the decoded blocks under one chunk. A file with larger blocks is rejected when its
 * header is read.
 */
export const MAX_WINDOW_BYTES = 64 * 2 ** 20;

/** The largest number of blocks per side under a chunk and its margin. */
export function blocksAcross(block: number, size: number): number {
  return Math.min(Math.ceil(size / block), Math.ceil((CHUNK_SIZE + 1) / block) + 1);
}

/** The maximum distance at which a grid's cells affect a parcel's figures: two cells of 100 m. */
export const TERRAIN_MARGIN_M = 200;

/**
 * Elevations outside this range count as undeclared no-data values, such as -9999, -32768, or the lowest
 * float. Land in the United States is between -86 m and 6,190 m (USGS, Elevations and Distances). Some grids
 * include the sea floor for a few hundred meters.
 */
export const MIN_HEIGHT_M = -500;
export const MAX_HEIGHT_M = 7000;

/**
 * The nodata value for floats is often written with fewer digits than the cells have. For example,
 * -3.40282e+38 for the lowest float is off by 1e-6.
 */
const NODATA_RELATIVE = 2e-6;

/** The range of cell values that mean no data: exact for integers, with a tolerance for floats. */
export function nodataRange(nodata: number | null, values: ArrayLike<number>): [number, number] {
  if (nodata === null) return [Infinity, -Infinity];
  const float = values instanceof Float32Array || values instanceof Float64Array;
  const room = float ? Math.abs(nodata) * NODATA_RELATIVE : 0;
  return [nodata - room, nodata + room];
}
