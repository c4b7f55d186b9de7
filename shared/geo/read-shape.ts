import { areaSqM } from './geodesic-area.ts';
import { prepareQuery, type QueryData, toData } from './intersects.ts';
import { type ParsedQuery, parseGeoJsonArea, QUERY_LIMITS, type QueryGeometry } from './query-geometry.ts';
import { swapHint } from './swap-hint.ts';
import { parseWkt } from './wkt.ts';

/** A shape from a request that is ready to be compared with parcels, or what is wrong with it. */
export type ShapeRead =
  | {
      ok: true;
      query: QueryData;
      /** The area of the smallest polygon; 0 if the shape includes points or lines, or has no polygon. */
      leastSqM: number;
    }
  | Extract<ParsedQuery, { ok: false }>;

export const readWkt = (text: string): ShapeRead => toRead(parseWkt(text, QUERY_LIMITS));

export function readGeoJson(text: string): ShapeRead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, kind: 'syntax', message: 'is not valid JSON' };
  }
  const complaint = crsFault(value);
  if (complaint !== undefined) return { ok: false, kind: 'syntax', message: complaint };
  return toRead(parseGeoJsonArea(value, QUERY_LIMITS));
}

function toRead(parsed: ParsedQuery): ShapeRead {
  if (!parsed.ok) return parsed;
  const { geometry } = parsed;
  const [lon, lat] = firstOf(geometry) ?? [0, 0];
  const hint = swapHint(lon, lat);
  if (hint !== undefined) return { ok: false, kind: 'range', message: hint };
  return { ok: true, query: toData(prepareQuery(geometry)), leastSqM: leastSqMOf(geometry) };
}

const firstOf = ({ polygons, lines, points }: QueryGeometry) =>
  polygons[0]?.[0]?.[0] ?? lines[0]?.[0] ?? points[0];

function leastSqMOf({ points, lines, polygons }: QueryGeometry): number {
  if (points.length + lines.length > 0) return 0;
  return polygons.reduce(
    (least, polygon) => Math.min(least, areaSqM([polygon])),
    polygons.length && Infinity,
  );
}

/**
 * Names of WGS84 in GeoJSON from before RFC 7946 (`crs.properties.name`): from OGC or EPSG, as a URN, a URL,
 * or a short name.
 */
const WGS84 =
  /^(?:(?:urn:ogc:def:crs:)?(?:OGC:(?:[\d.]*:)?CRS84|EPSG:(?:[\d.]*:)?4326)|https?:\/\/www\.opengis\.net\/def\/crs\/(?:OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/4326)|CRS:?84|WGS ?84)$/i;

/**
 * Checks the type and the CRS. Coordinates in another CRS would be read as degrees and find the wrong comps.
 */
function crsFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { type, crs } = value as { type?: unknown; crs?: { properties?: { name?: unknown } } | null };
  if (type === undefined)
    return 'has no type: use {"type": "Polygon", "coordinates": [[[longitude, latitude], …]]}';
  if (crs === undefined || crs === null) return undefined;
  const name = crs.properties?.name;
  if (typeof name === 'string' && WGS84.test(name)) return undefined;
  const description = typeof name === 'string' ? `the crs ${name.slice(0, 60)}` : 'an unnamed crs';
  return `has ${description}: use longitude and latitude in WGS84 (CRS84), and omit crs`;
}
