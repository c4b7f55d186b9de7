import type { Geometry } from 'geojson';
import { boxOf, boxSql, boxToE7 } from '../../../../shared/geo/box.ts';
import { areaSqM, sqMToAcres } from '../../../../shared/geo/geodesic-area.ts';
import { checkPosition, type Fault, fault, type Repair } from '../../../../shared/geo/geometry-checks.ts';
import { encodeBoundary, fromE7, toE7 } from '../../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../../../shared/geo/geometry-types.ts';
import { snapToGrid } from '../../../../shared/geo/overlay.ts';
import { pointInMultiPolygon } from '../../../../shared/geo/point-in-polygon.ts';
import { pointOnSurface } from '../../../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import { digest } from '../../engine/row-hash.ts';

/** A boundary for the staging table. Point and box are text with integers of 1e-7 degrees. */
export type StagedBoundary = {
  hash: string;
  location: string;
  extent: string;
  acres: number;
  boundary: Uint8Array;
};

/** A point gives a location without a boundary. */
export type StagedShape =
  | StagedBoundary
  | (Pick<StagedBoundary, 'hash' | 'location' | 'extent'> & { acres: null; boundary: null });

export type BoundaryResult = { ok: true; staged: StagedBoundary; repairs: Repair[] } | Fault;

export const NO_GEOMETRY = {
  field: 'geometry',
  reason: 'geometry_missing',
  message: 'The feature has no geometry, but this input is read only for its geometry.',
};

/** Stages areas as boundaries and points as locations. */
export function stageGeometry(
  geometry: Geometry,
): { ok: true; staged: StagedShape; repairs: Repair[] } | Fault {
  const point = pointOf(geometry);
  return point === null ? stageBoundary(geometry) : stagePoint(point);
}

export function stageBoundary(geometry: Geometry): BoundaryResult {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok) return prepared;
  const { polygons, repairs } = prepared;
  const staged = measureBoundary(polygons, sqMToAcres(areaSqM(polygons)));
  if (staged === null) return fault('no_area', 'it has no area on the grid of 1e-7 degrees');
  return { ok: true, staged, repairs };
}

/** The position of a point, or of a multipoint with one point. Null for anything else. */
export function pointOf(geometry: Geometry): unknown {
  if (geometry.type === 'Point') return geometry.coordinates;
  return geometry.type === 'MultiPoint' && geometry.coordinates.length === 1 ? geometry.coordinates[0] : null;
}

function stagePoint(point: unknown): { ok: true; staged: StagedShape; repairs: Repair[] } | Fault {
  const position = checkPosition(point, 0, 'point', new Set());
  if (!Array.isArray(position)) return position;
  const [lon, lat] = position.map(toE7);
  const location = `(${lon},${lat})`;
  const extent = `${location},${location}`;
  return {
    ok: true,
    staged: { hash: digest(location), location, extent, acres: null, boundary: null },
    repairs: [],
  };
}

/**
 * The staged form of valid polygons. Null if nothing remains after rounding to the grid on which they are
 * stored.
 */
export function measureBoundary(polygons: MultiPolygon, areaAcres: number): StagedBoundary | null {
  const stored = snapToGrid(polygons);
  if (stored === null || stored.length === 0) return null;
  const boundary = encodeBoundary(stored);
  const [lon, lat] = pointWithin(polygons, stored).map(toE7);
  return {
    hash: digest(boundary),
    location: `(${lon},${lat})`,
    extent: boxSql(boxToE7(boxOf(stored))),
    acres: areaAcres,
    boundary,
  };
}

function pointWithin(polygons: MultiPolygon, stored: MultiPolygon): Position {
  const point = pointOnSurface(polygons);
  const rounded: Position = [fromE7(toE7(point[0])), fromE7(toE7(point[1]))];
  return pointInMultiPolygon(rounded, stored) === 'inside' ? point : pointOnSurface(stored);
}
