/** The United States with their islands, in degrees. */
const isInStates = (lon: number, lat: number) => lat >= 13 && lat <= 72 && (lon <= -64 || lon >= 144);

const SWAPPED = 'longitude and latitude seem to be swapped: the longitude comes first';

/**
 * A hint where a place that is not in the United States would be, with longitude and latitude
 * the other way round.
 */
export function swapHint(lon: number, lat: number): string | undefined {
  return !isInStates(lon, lat) && isInStates(lat, lon) ? SWAPPED : undefined;
}
