import type { Geometry } from 'geojson';
import { acres, areaSqM } from '../../../shared/geo/area.ts';
import { boxOf, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import type { GeometryFault, Repair } from '../../../shared/geo/checks.ts';
import { encodeBoundary, toE7 } from '../../../shared/geo/codec.ts';
import { pointOnSurface } from '../../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../../shared/geo/prepare.ts';
import type { MultiPolygon } from '../../../shared/geo/types.ts';
import { digest } from './hash.ts';

/** A boundary as the staging table wants it: integers of 1e-7 degree in the text of point and box. */
export type StagedBoundary = {
  hash: string;
  location: string;
  extent: string;
  acres: number;
  boundary: Uint8Array;
};

export type BoundaryResult =
  | { ok: true; staged: StagedBoundary; repairs: Repair[] }
  | { ok: false; reason: GeometryFault; message: string };

/** Validates, repairs and measures one feature's geometry. */
export function stageBoundary(geometry: Geometry): BoundaryResult {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok) return prepared;
  const { polygons, repairs } = prepared;
  return { ok: true, staged: measureBoundary(polygons, acres(areaSqM(polygons))), repairs };
}

/** The staged form of valid polygons whose area is known. */
export function measureBoundary(polygons: MultiPolygon, areaAcres: number): StagedBoundary {
  const boundary = encodeBoundary(polygons);
  const [lon, lat] = pointOnSurface(polygons);
  return {
    hash: digest(boundary),
    location: `(${toE7(lon)},${toE7(lat)})`,
    extent: boxSql(boxToE7(boxOf(polygons))),
    acres: areaAcres,
    boundary,
  };
}
