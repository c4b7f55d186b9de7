import type { Reads } from '../base/db.ts';
import { PlatError } from '../base/errors.ts';
import { boxArraySql } from '../geo/box.ts';
import { geodesicCircle } from '../geo/distance.ts';
import { type PreparedQuery, prepareQuery } from '../geo/intersects.ts';
import { parseGeoJsonArea, QUERY_LIMITS } from '../geo/query-geometry.ts';
import type { ShapeWork } from '../geo/shape-work.ts';
import { swapHint } from '../geo/swap-hint.ts';
import { type CompsQuery, radiusOf } from './comps-query.ts';

/**
 * An area as statements test it: comps in a box are inside, and of those near the outline the
 * ones with these ids.
 */
export type Area = { boxes: string; ids: string[] };

/**
 * Boxes along the outline: more of them hold fewer comps to test, and take the index longer. 1,024
 * where 64 hold too many.
 */
const OUTLINE_BOXES = [64, 1_024];

/**
 * A test takes as long as there are edges beside the comp: so many comps times edges are at
 * most about a second.
 */
const MAX_TESTS = 50_000_000;
const MAX_TESTED = 50_000;
/** Tests of comps against edges in one task: some 10 ms. */
const TESTS_PER_TASK = 500_000;

/** The query's polygon, and the circle around its point. @throws PlatError as `readPolygon` */
export function areasOf(query: CompsQuery): PreparedQuery[] {
  const { polygon, point } = query;
  const areas: PreparedQuery[] = [];
  if (polygon !== undefined) areas.push(readPolygon(polygon));
  if (point !== undefined) {
    const meters = radiusOf(query);
    const circle =
      meters === 0 ? { points: [point], lines: [], polygons: [] } : geodesicCircle(...point, meters);
    areas.push(prepareQuery(circle));
  }
  return areas;
}

/**
 * @throws PlatError `validation_error` naming `polygon` and the place of the fault; `unprocessable` over the
 * limit of vertices.
 */
function readPolygon(text: string): PreparedQuery {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused('is not valid JSON');
  }
  const complaint = crsFault(value);
  if (complaint !== undefined) throw refused(complaint);
  const parsed = parseGeoJsonArea(value, QUERY_LIMITS);
  if (parsed.ok) {
    const [lon, lat] = parsed.geometry.polygons[0]?.[0]?.[0] ?? [0, 0];
    const hint = swapHint(lon, lat);
    if (hint !== undefined) throw refused(hint);
    return prepareQuery(parsed.geometry);
  }
  if (parsed.kind === 'too_complex') throw unsearchable(parsed.message);
  throw refused(parsed.message);
}

/**
 * WGS84 in degrees, as GeoJSON of before RFC 7946 names it (`crs.properties.name`): by OGC, by EPSG, as
 * URN, URL or in short.
 */
const WGS84 =
  /^(?:(?:urn:ogc:def:crs:)?(?:OGC:(?:[\d.]*:)?CRS84|EPSG:(?:[\d.]*:)?4326)|https?:\/\/www\.opengis\.net\/def\/crs\/(?:OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/4326)|CRS:?84|WGS ?84)$/i;

/**
 * What is wrong beside the coordinates. Another reference system would be read as degrees, and
 * find comps elsewhere.
 */
function crsFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { type, crs } = value as { type?: unknown; crs?: { properties?: { name?: unknown } } | null };
  if (type === undefined)
    return 'has no type: {"type": "Polygon", "coordinates": [[[longitude, latitude], …]]} is due';
  if (crs === undefined || crs === null) return undefined;
  const name = crs.properties?.name;
  if (typeof name === 'string' && WGS84.test(name)) return undefined;
  const given = typeof name === 'string' ? `the crs ${name.slice(0, 60)}` : 'a crs that is not named';
  return `has ${given}: give longitude and latitude in WGS84 (CRS84), and leave crs out`;
}

/** Id, longitude and latitude in 1e-7 degrees. */
type OutlineComp = [string, number, number];

/**
 * Splits an area for the index and tests the comps near its outline. @throws PlatError `unprocessable`
 * for too many of these
 */
export async function openArea(area: PreparedQuery, database: Reads, work: ShapeWork): Promise<Area> {
  await work.takeTurn();
  const edges = area.x1.length;
  const most = Math.min(MAX_TESTED, Math.floor(MAX_TESTS / Math.max(edges, 1)));
  for (const maxCells of OUTLINE_BOXES) {
    const { inner, edge } = await work.compute('cover', area, maxCells);
    const rows = await database.run<{ near: OutlineComp[] }>('market/list_outline_comps', {
      boxes: boxArraySql(edge),
      limit: most + 1,
    });
    const { near } = rows[0]!;
    if (near.length > most) continue;
    return { boxes: boxArraySql(inner), ids: await testAll(area, near, work) };
  }
  throw unsearchable(
    `its outline of ${edges} edges passes more than ${most} comps: simplify it, or ask for parts of it`,
  );
}

/** The ids of those within the area. */
async function testAll(area: PreparedQuery, near: OutlineComp[], work: ShapeWork): Promise<string[]> {
  const inside: string[] = [];
  const atOnce = Math.ceil(TESTS_PER_TASK / area.x1.length);
  for (let from = 0; from < near.length; from += atOnce) {
    const some = near.slice(from, from + atOnce);
    const x = Float64Array.from(some, comp => comp[1]);
    const y = Float64Array.from(some, comp => comp[2]);
    for (const i of await work.compute('findWithin', area, x, y)) inside.push(some[i]![0]);
  }
  return inside;
}

const unsearchable = (reason: string) =>
  new PlatError('unprocessable', `The area cannot be searched: ${reason}.`);

const refused = (why: string) =>
  new PlatError('validation_error', 'Rejected: polygon. See details for the reasons.', {
    details: { polygon: [why] },
  });
