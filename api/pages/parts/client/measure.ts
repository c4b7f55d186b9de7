import { geodesicCircle, geodesicDistanceM } from '../../../../shared/geo/distance.ts';
import { areaSqM, sqMToAcres } from '../../../../shared/geo/geodesic-area.ts';
import { M_PER_FT } from '../../../../shared/geo/units.ts';

export type Place = [lon: number, lat: number];

const FT_PER_MILE = 5_280;
const short = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }).format;
const long = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format;

/** Feet for less than a mile, otherwise miles. */
export function distanceText(meters: number): string {
  const feet = meters / M_PER_FT;
  return feet < FT_PER_MILE ? `${short(feet)} ft` : `${long(feet / FT_PER_MILE)} mi`;
}

export const metersBetween = ([lon1, lat1]: Place, [lon2, lat2]: Place): number =>
  geodesicDistanceM(lon1, lat1, lon2, lat2);

export function lengthText(places: readonly Place[]): string {
  return distanceText(places.slice(1).reduce((sum, place, i) => sum + metersBetween(places[i]!, place), 0));
}

/** The area inside the outline that would close after the last point. */
export function acresText(places: readonly Place[]): string {
  const acres = sqMToAcres(areaSqM([[[...places, places[0]!]]]));
  return `${acres < 100 ? long(acres) : short(acres)} acres`;
}

/**
 * All 256 corners would make the URL 5,000 characters long. Keeping every fourth changes the area by 0.1%.
 */
const EVERY = 4;

export function circleAround([lon, lat]: Place, meters: number): Place[] {
  const [ring] = geodesicCircle(lon, lat, meters).polygons[0]!;
  return ring!.filter((_, i) => i % EVERY === 0) as Place[];
}
