/**
 * Heights beyond are what stands for none without being declared: -9999, -32768, the lowest float. The lowest land of the
 * United States is Badwater Basin at -86 m, the highest Denali at 6,190 m (USGS, Elevations and Distances); grids that go on
 * under the sea reach some hundred metres down near the shore.
 */
export const LOWEST_M = -500;
export const HIGHEST_M = 7000;

/** Float nodata is often written with fewer digits than the cells hold: -3.40282e+38 for the lowest float is off by 1e-6. */
const NODATA_RELATIVE = 2e-6;

/** What is taken for nodata among cells. Whole numbers are compared exactly, floats with a little room. */
export function nodataRange(nodata: number | null, values: ArrayLike<number>): [number, number] {
  if (nodata === null) return [Infinity, -Infinity];
  const float = values instanceof Float32Array || values instanceof Float64Array;
  const room = float ? Math.abs(nodata) * NODATA_RELATIVE : 0;
  return [nodata - room, nodata + room];
}
