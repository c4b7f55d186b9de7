import { geodesicDistanceM } from '../geo/distance.ts';
import { isSameApn } from '../model/roll-text.ts';

type Place = { apn: string | null; lon: number; lat: number };

/** In New England, each town has its own numbers, so a parcel in another town can have the same one. */
const MAX_DISTANCE_M = 500;
const SQ_M_PER_ACRE = 4_046.86;

/** Whether a sale or listing is of the parcel itself. */
export function isOfParcel(comp: Place, parcel: Place & { acres: number | null }): boolean {
  if (!isSameApn(comp.apn ?? '', parcel.apn ?? '')) return false;
  const reach = Math.max(MAX_DISTANCE_M, 2 * Math.sqrt((parcel.acres ?? 0) * SQ_M_PER_ACRE));
  return geodesicDistanceM(comp.lon, comp.lat, parcel.lon, parcel.lat) <= reach;
}
