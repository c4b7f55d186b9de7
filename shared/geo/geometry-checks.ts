import type { Geometry } from 'geojson';
import type { Position } from './geometry-types.ts';

/** Repairs that make a geometry valid, in the order in which they are reported. */
export const REPAIRS = [
  /** Elevations (or additional ordinates) were dropped. */
  'z_dropped',
  /** The last position did not repeat the first. */
  'ring_closed',
  /** A position repeated the one before it. */
  'duplicate_points_dropped',
  /** The boundary ran out along a line and back along the same line. */
  'spike_dropped',
  /** A ring with no area was dropped, along with its holes if it was a shell. */
  'zero_area_dropped',
  /** An exterior ran clockwise or a hole counter-clockwise. */
  'winding_reversed',
  /** A hole was moved from the part that listed it to the part that contains it. */
  'hole_moved',
  /** The boundary touched itself and was split into parts or holes at that point. */
  'self_touch_split',
  /**
   * A ring crossed or overlapped itself (such as a bow-tie). Every area that it encloses was kept exactly
   * once.
   */
  'self_crossing_split',
  /** A hole crossed its shell and was clipped to it, or was outside it and became a part of its own. */
  'hole_outside_shell',
  /** Holes overlapped, shared an edge, or contained each other. Their union was cut out. */
  'holes_merged',
  /** Parts overlapped or shared an edge. They were replaced by their union, so that no area counts twice. */
  'parts_merged',
  /** A line with no length was dropped. */
  'zero_length_dropped',
] as const;
export type Repair = (typeof REPAIRS)[number];

/** Why a geometry can't be used as a boundary, or as lines. */
export type GeometryFault =
  /** The geometry is null or has no coordinates. */
  | 'no_geometry'
  /** It is a point, a line, or a collection that contains one. */
  | 'not_an_area'
  /** It isn't lines, or it is a collection that contains something else. */
  | 'not_a_line'
  /**
   * It isn't nested as its GeoJSON type requires: a ring or position isn't an array, or a position has fewer
   * than two ordinates.
   */
  | 'malformed'
  /** A coordinate is not a finite number. */
  | 'not_finite'
  /**
   * A latitude is beyond +-90, or a longitude beyond +-180. Often, the coordinates are projected or swapped.
   */
  | 'out_of_range'
  /** The file has the geometry in a format that can't be read. */
  | 'unreadable'
  /** No ring has three distinct points. */
  | 'too_few_points'
  /** Nothing is left of the area after repairs. */
  | 'no_area'
  /** All positions of the lines are the same. */
  | 'no_length'
  /** The clipper could not resolve the crossings. */
  | 'unrepairable';

export type Fault = { ok: false; reason: GeometryFault; message: string };

export const fault = (reason: GeometryFault, message: string): Fault => ({ ok: false, reason, message });

const AREA = { reason: 'not_an_area', words: 'an area; Polygon or MultiPolygon is' } as const;
const LINE = { reason: 'not_a_line', words: 'a line; LineString or MultiLineString is' } as const;

const UNREADABLE = 'Unreadable';

/** Represents a geometry in a file that can't be read. Its type isn't a GeoJSON type, so nothing uses it. */
export const unreadableGeometry = (why: string): Geometry =>
  ({ type: UNREADABLE, why }) as unknown as Geometry;

export const isUnreadable = (geometry: unknown): geometry is Geometry =>
  typeof geometry === 'object' && geometry !== null && (geometry as { type?: unknown }).type === UNREADABLE;

/**
 * Adds the coordinates of every polygon (or line) to `raw`, including those in collections. Returns a fault
 * if the geometry has another type.
 */
export function collectCoordinates(
  geometry: Geometry | null | undefined,
  kind: 'Polygon' | 'LineString',
  raw: unknown[],
): Fault | null {
  if (geometry === null || geometry === undefined) return fault('no_geometry', 'there is no geometry');
  const { type, coordinates, geometries } = geometry as {
    type: string;
    coordinates?: unknown;
    geometries?: unknown;
  };
  if (isUnreadable(geometry)) return fault('unreadable', (geometry as unknown as { why: string }).why);
  if (type !== kind && type !== `Multi${kind}` && type !== 'GeometryCollection') {
    const { reason, words } = kind === 'Polygon' ? AREA : LINE;
    return fault(reason, `${String(type)} is not ${words}`);
  }
  const members = type === 'GeometryCollection' ? geometries : coordinates;
  if (!Array.isArray(members)) return fault('malformed', `a ${type} without an array of its members`);
  if (type === kind) {
    if (members.length > 0) raw.push(members);
    return null;
  }
  for (const member of members) {
    if (type !== 'GeometryCollection') raw.push(member);
    else {
      const refused = collectCoordinates(member, kind, raw);
      if (refused) return refused;
    }
  }
  return null;
}

/**
 * Checks a position of a ring or a line and drops its elevation. Returns the input array itself if it has two
 * ordinates.
 */
export function checkPosition(
  value: unknown,
  number: number,
  path: 'ring' | 'line' | 'point',
  repairs: Set<Repair>,
): Position | Fault {
  if (!Array.isArray(value) || value.length < 2)
    return fault('malformed', `position ${number} of a ${path} is not [longitude, latitude]`);
  const [lon, lat] = value as [unknown, unknown];
  if (!Number.isFinite(lon) || !Number.isFinite(lat))
    return fault('not_finite', `position [${String(lon)}, ${String(lat)}] is not two finite numbers`);
  if (Math.abs(lon as number) > 180 || Math.abs(lat as number) > 90) {
    const message = `position [${lon}, ${lat}] is not a longitude and latitude in degrees; check the CRS`;
    return fault('out_of_range', message);
  }
  if (value.length === 2) return value as Position;
  repairs.add('z_dropped');
  return [lon as number, lat as number];
}
