import { boxArraySql } from '../geo/box.ts';
import { geodesicCircle } from '../geo/distance.ts';
import { prepareQuery, type QueryData, toData } from '../geo/intersects.ts';
import type { ShapeWork } from '../geo/shape-work.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { type CompsQuery, radiusOf } from './comps-query.ts';

/** An area in SQL form. Comps in any of the boxes are inside it, as are the comps with these ids. */
export type Area = { boxes: string; ids: string[] };

/**
 * Boxes along the outline. More boxes mean fewer comps to test, but more index work, so 1,024 are used only
 * if 64 contain too many comps.
 */
const OUTLINE_BOXES = [64, 1_024];

/**
 * Maximum for comps times edges, about a second of work. The time to test a comp grows with the number of
 * edges near it.
 */
const MAX_TESTS = 50_000_000;
const MAX_TESTED = 50_000;
/** Number of comp-edge tests per task, about 10 ms of work. */
const TESTS_PER_TASK = 500_000;

/** The query's polygon and the circle around its point. @throws PlatError like `readPolygon` */
export async function areasOf(query: CompsQuery, work: ShapeWork): Promise<QueryData[]> {
  const { polygon, point } = query;
  const areas: QueryData[] = [];
  if (polygon !== undefined) areas.push(await readPolygon(polygon, work));
  if (point !== undefined) {
    const meters = radiusOf(query);
    const circle =
      meters === 0 ? { points: [point], lines: [], polygons: [] } : geodesicCircle(...point, meters);
    areas.push(toData(prepareQuery(circle)));
  }
  return areas;
}

/**
 * @throws PlatError `validation_error`, which says where `polygon` is invalid; `unprocessable` over a limit;
 * `rate_limited`
 */
async function readPolygon(text: string, work: ShapeWork): Promise<QueryData> {
  await work.takeTurn();
  const read = await work.compute('readGeoJson', text);
  if (read.ok) return read.query;
  if (read.kind === 'too_complex') throw unsearchable(read.message);
  throw refused(read.message);
}

/** Id, longitude, and latitude in units of 1e-7 degrees. */
type OutlineComp = [string, number, number];

/**
 * Splits an area into boxes for the index, and tests the comps near its outline. @throws PlatError
 * `unprocessable` if there are too many comps to test
 */
export async function openArea(area: QueryData, db: Db, work: ShapeWork): Promise<Area> {
  await work.takeTurn();
  const edges = area.x1.length;
  const most = Math.min(MAX_TESTED, Math.floor(MAX_TESTS / Math.max(edges, 1)));
  for (const maxCells of OUTLINE_BOXES) {
    const { inner, edge } = await work.compute('cover', area, maxCells);
    const rows = await db.run<{ near: OutlineComp[] }>('market/list_outline_comps', {
      boxes: boxArraySql(edge),
      limit: most + 1,
    });
    const { near } = rows[0]!;
    if (near.length > most) continue;
    return { boxes: boxArraySql(inner), ids: await testAll(area, near, work) };
  }
  throw unsearchable(
    `its outline of ${edges} edges is near more than ${most} comps. Simplify it, or request parts of it`,
  );
}

async function testAll(area: QueryData, near: OutlineComp[], work: ShapeWork): Promise<string[]> {
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
