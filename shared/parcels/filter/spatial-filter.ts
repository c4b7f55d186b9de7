import { boxAround, boxArraySql, boxSql } from '../../geo/box.ts';
import { DEFAULT_EDGE_CELLS, type QueryCover } from '../../geo/cells.ts';
import type { Box } from '../../geo/geometry-types.ts';
import { fromData, type QueryData } from '../../geo/intersects.ts';
import { packBoundaries, type ShapeWork } from '../../geo/shape-work.ts';
import { countyOf } from '../../model/property-id.ts';
import type { Db } from '../../platform/db.ts';
import { type Hit, inCounties, type Selection, withinShape } from './filter-selection.ts';
import { type ReadFilterShape, tooMuch } from './filter-shape.ts';

/** Number of boxes in the second, finer attempt, for a shape with many parcels on its outline. */
const FINE_EDGE_CELLS = 512;

/** Maximum number of boundaries that one request can read and test, about 200 ms of work. */
const MAX_CANDIDATES = 20_000;

/** Maximum number of index matches. A parcel that meets several boxes is found once in each of them. */
const MAX_FINDS = 2 * MAX_CANDIDATES;

/**
 * Boundaries per task, a few milliseconds of work, so that computations on other shapes get a turn in
 * between.
 */
const TESTED_AT_ONCE = 500;

/**
 * Narrows a selection to a shape: parcels in boxes inside it, and parcels along its outline that meet it.
 * @throws PlatError `unprocessable` if too many parcels are on the outline
 */
export async function filterByShape(
  { query }: ReadFilterShape,
  selection: Selection,
  db: Db,
  work: ShapeWork,
): Promise<Selection> {
  for (const maxCells of [DEFAULT_EDGE_CELLS, FINE_EDGE_CELLS]) {
    const cover = await work.compute('cover', query, maxCells);
    const near = inCounties(selection, await countiesAround(cover, db));
    const candidates = await listCandidates(cover, near, db);
    if (candidates !== null) return withinShape(near, cover, await test(query, candidates, db, work));
  }
  throw tooMuch(
    `The outline crosses more than ${MAX_CANDIDATES.toLocaleString('en-US')} parcels. Draw a smaller shape, or add filters.`,
  );
}

/** The counties with parcels in the shape's area. Only these are searched. */
const countiesAround = async ({ edge }: QueryCover, db: Db): Promise<number[]> =>
  edge.length === 0 ? [] : countiesIn(boxAround(edge), db);

export async function countiesMeeting({ query }: ReadFilterShape, db: Db): Promise<number[]> {
  const { index } = fromData(query);
  return index === null ? [] : countiesIn([index.minX, index.minY, index.maxX, index.maxY], db);
}

async function countiesIn(box: Box, db: Db): Promise<number[]> {
  const rows = await db.run<{ fips: number }>('feeds/list_counties_meeting', {
    boxes: [boxSql(box)],
  });
  return rows.map(row => row.fips);
}

/** The parcels along the outline. Null if there are too many to test. */
async function listCandidates(
  { inner, edge }: QueryCover,
  { from, where, values }: Selection,
  db: Db,
): Promise<Map<number, Hit> | null> {
  if (edge.length === 0) return new Map();
  const rows = await db.run<Hit>(
    'parcels/list_edge_candidates',
    { ...values, edge: boxArraySql(edge), inner: boxArraySql(inner), limit: MAX_FINDS },
    { from, where },
  );
  const candidates = new Map(rows.map(hit => [hit.property_id, hit]));
  return rows.length < MAX_FINDS && candidates.size <= MAX_CANDIDATES ? candidates : null;
}

type Boundary = { property_id: number; boundary: Buffer };

/** The candidates whose boundaries meet the query. */
async function test(
  query: QueryData,
  candidates: ReadonlyMap<number, Hit>,
  db: Db,
  work: ShapeWork,
): Promise<Hit[]> {
  if (candidates.size === 0) return [];
  const met: Hit[] = [];
  const ids = [...candidates.keys()];
  const counties = [...new Set(ids.map(countyOf))];
  const rows = await db.run<Boundary>('parcels/list_boundaries', { counties, property_ids: ids }, {});
  for (let from = 0; from < rows.length; from += TESTED_AT_ONCE) {
    const some = rows.slice(from, from + TESTED_AT_ONCE);
    const boundaries = packBoundaries(some.map(({ boundary }) => boundary));
    for (const i of await work.compute('findMeeting', query, boundaries))
      met.push(candidates.get(some[i]!.property_id)!);
  }
  return met;
}
