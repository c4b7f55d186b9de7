import type { Geometry } from 'geojson';
import { boxAround, boxOf, boxOfLine } from '../../../shared/geo/box.ts';
import { encodeBoundary, encodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box, Position } from '../../../shared/geo/geometry-types.ts';
import { prepareBoundary, prepareLines } from '../../../shared/geo/prepare-geometry.ts';
import { digest } from '../engine/row-hash.ts';
import type { VectorLayer } from './vector-layer.ts';

export type StagedFeature = { hash: string; extent: Box; geometry: Uint8Array };

export type FeatureResult =
  | { ok: true; feature: StagedFeature; repairs: string[] }
  | { ok: false; reason: string; message: string };

/** Equal class, name and geometry give equal hashes, regardless of the file. */
export function stageFeature(
  { geometry: form }: Pick<VectorLayer, 'geometry'>,
  { class: featureClass, called, at }: { class: string; called: string | null; at: Position | null },
  shape: Geometry | null,
): FeatureResult {
  const geometry = shape ?? (at && { type: 'Point' as const, coordinates: [...at] });
  if (geometry === null)
    return { ok: false, reason: 'geometry_missing', message: 'The feature has no geometry.' };
  const encoded = ENCODED[form](geometry);
  if (!encoded.ok)
    return {
      ok: false,
      reason: `geometry_${encoded.reason}`,
      message: encoded.message + spelling(geometry.type),
    };
  const { bytes, extent, repairs } = encoded;
  const words = called === null ? featureClass : `${featureClass}\0${called}`;
  const hash = digest(Buffer.concat([Buffer.from(`${words}\0`), bytes]));
  return { ok: true, feature: { hash, extent, geometry: bytes }, repairs };
}

const TYPES = ['Point', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'];

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

/** A place that GNIS does not know the position of is at 0, 0. */
function encodedPoint(geometry: Geometry) {
  const [lon = Number.NaN, lat = Number.NaN] = geometry.type === 'Point' ? geometry.coordinates : [];
  const isPlace = Math.abs(lon) <= 180 && Math.abs(lat) <= 90 && (lon !== 0 || lat !== 0);
  if (!isPlace) return { ok: false as const, reason: 'not_a_point', message: 'A place needs a point' };
  const extent: Box = [lon, lat, lon, lat];
  return { ok: true as const, repairs: [], extent, bytes: encodeLines([[[lon, lat]]]) };
}

function encodedPolygons(geometry: Geometry) {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok) return prepared;
  const { polygons, repairs } = prepared;
  return { ok: true as const, repairs, extent: boxOf(polygons), bytes: encodeBoundary(polygons) };
}

const ENCODED = { areas: encodedPolygons, lines: encodedLines, points: encodedPoint };
