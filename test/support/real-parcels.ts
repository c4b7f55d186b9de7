import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Geometry } from 'geojson';
import { boxOf, boxToE7 } from '../../shared/geo/box.ts';
import { decodeBoundary, encodeBoundary, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { pointOnSurface } from '../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../shared/geo/prepare-geometry.ts';
import { readInput } from '../../workers/formats/read-format.ts';

/** A parcel as stored: the boundary on the grid, and the location and extent in units of 1e-7 degrees. */
export type StoredParcel = { boundary: MultiPolygon; location: [number, number]; extentE7: Box };

const DATA = fileURLToPath(new URL('../../workers/sample/data', import.meta.url));

export function storedParcel(polygons: MultiPolygon): StoredParcel {
  const [lon, lat] = pointOnSurface(polygons);
  return {
    boundary: decodeBoundary(encodeBoundary(polygons)),
    location: [toE7(lon), toE7(lat)],
    extentE7: boxToE7(boxOf(polygons)),
  };
}

/** The 2,000 parcels of Washington, New Hampshire. */
export function washingtonParcels(): StoredParcel[] {
  const text = readFileSync(join(DATA, 'washington_nh/parcels-2025.geojson'), 'utf8');
  const { features } = JSON.parse(text) as { features: { geometry: Geometry | null }[] };
  return features.flatMap(({ geometry }) => stored(geometry));
}

/** The 10,600 parcels of Bangor, Maine. */
export async function bangorParcels(): Promise<StoredParcel[]> {
  const parcels: StoredParcel[] = [];
  const context = { baseDir: DATA, tmpDir: tmpdir(), signal: new AbortController().signal, env: {} };
  for await (const { rows } of readInput({ source: 'bangor_me/parcels.zip', format: 'shapefile' }, context)) {
    for (const { geometry } of rows) parcels.push(...stored(geometry));
  }
  return parcels;
}

function stored(geometry: Geometry | null): StoredParcel[] {
  const prepared = prepareBoundary(geometry);
  return prepared.ok ? [storedParcel(prepared.polygons)] : [];
}
