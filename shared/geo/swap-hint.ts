/** The United States including its islands, in degrees. */
const isInStates = (lon: number, lat: number) => lat >= 13 && lat <= 72 && (lon <= -64 || lon >= 144);

const SWAPPED = 'longitude and latitude seem to be swapped: the longitude comes first';

/**
 * Returns a hint if a position is outside the United States but would be inside with longitude and latitude
 * swapped.
 */
export function swapHint(lon: number, lat: number): string | undefined {
  return !isInStates(lon, lat) && isInStates(lat, lon) ? SWAPPED : undefined;
}
