import type { Geometry } from 'geojson';
import { boxAround, boxOf, boxOfLine } from '../../../shared/geo/box.ts';
import { encodeBoundary, encodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { prepareBoundary, prepareLines } from '../../../shared/geo/prepare-geometry.ts';
import type { VectorKind } from '../../feeds/layer-schema.ts';
import { digest } from './row-hash.ts';

export type StagedFeature = { hash: string; extent: Box; geometry: Uint8Array };

export type FeatureResult =
  | { ok: true; feature: StagedFeature; repairs: string[] }
  | { ok: false; reason: string; message: string };

/**
 * Validates, repairs and encodes the geometry of a feature: lines of roads, areas of the others.
 * What is the same in class and geometry has the same hash, whatever file it came from.
 */
export function stageFeature(
  kind: VectorKind,
  featureClass: string,
  geometry: Geometry | null,
): FeatureResult {
  if (geometry === null)
    return { ok: false, reason: 'geometry_missing', message: 'The feature has no geometry.' };
  const encoded = kind === 'roads' ? encodedLines(geometry) : encodedPolygons(geometry);
  if (!encoded.ok)
    return {
      ok: false,
      reason: `geometry_${encoded.reason}`,
      message: encoded.message + spelling(geometry.type),
    };
  const { bytes, extent, repairs } = encoded;
  const hash = digest(Buffer.concat([Buffer.from(`${featureClass}\0`), bytes]));
  return { ok: true, feature: { hash, extent, geometry: bytes }, repairs };
}

const TYPES = ['LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'];

/** GeoJSON's types are case-sensitive, which is easily overlooked. */
function spelling(type: string): string {
  const suggestion = TYPES.find(name => name !== type && name.toLowerCase() === String(type).toLowerCase());
  return suggestion === undefined ? '' : `. GeoJSON writes '${type}' as ${suggestion}`;
}

function encodedLines(geometry: Geometry) {
  const prepared = prepareLines(geometry);
  if (!prepared.ok) return prepared;
  const { lines, repairs } = prepared;
  return { ok: true as const, repairs, extent: boxAround(lines.map(boxOfLine)), bytes: encodeLines(lines) };
}

function encodedPolygons(geometry: Geometry) {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok) return prepared;
  const { polygons, repairs } = prepared;
  return { ok: true as const, repairs, extent: boxOf(polygons), bytes: encodeBoundary(polygons) };
}
