import { toWgs84 } from '../../shared/geo/projection.ts';
import type { Output } from './row-batch.ts';

/**
 * Sets how geometries are converted to WGS84: from the feed's CRS, or else the file's. If neither has one,
 * geometries are already in degrees.
 * @param fileCrs the CRS in the file. If there are two notations, the second is used when the first is
 * unknown
 * @throws PlatError `feed_crs`
 */
export function useCrs(output: Output, fileCrs: string | string[] | null, name: string): void {
  const [first = 'EPSG:4326', second] = [output.crs ?? fileCrs ?? []].flat();
  try {
    output.project = toWgs84(first, name);
  } catch (error) {
    if (second === undefined) throw error;
    output.project = toWgs84(second, name);
  }
}
