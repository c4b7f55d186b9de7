import type { Position } from './geometry-types.ts';

/** Radius and circumference of the Web Mercator sphere (EPSG:3857), in meters. */
const RADIUS_M = 6_378_137;
export const WORLD_M = 2 * Math.PI * RADIUS_M;
/** The projection is cut off at this latitude, which makes its world a square. */
const MAX_LATITUDE = 85.051_128;

export function toMercator([lon, lat]: Position): [x: number, y: number] {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180);
  return [(lon / 360) * WORLD_M, (RADIUS_M / 2) * Math.log((1 + sine) / (1 - sine))];
}

export const latitudeOf = (y: number): number => (Math.atan(Math.sinh(y / RADIUS_M)) * 180) / Math.PI;
