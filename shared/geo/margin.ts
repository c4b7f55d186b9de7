/** A degree of latitude has at least so many metres: WGS84 at the equator. */
const DEGREE_M = 110_574;
/** Beyond, meridians meet and a margin would have to go round the pole. */
const MOST_LATITUDE_DEG = 89;

/** How many degrees of latitude and of longitude hold so many metres on every side of what lies between two latitudes. */
export function marginDeg(metres: number, southDeg: number, northDeg: number): { lat: number; lon: number } {
  const lat = metres / DEGREE_M;
  const farthest = Math.min(MOST_LATITUDE_DEG, Math.max(Math.abs(southDeg), Math.abs(northDeg)) + lat);
  return { lat, lon: lat / Math.cos((farthest * Math.PI) / 180) };
}
