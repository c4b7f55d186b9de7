import { setImmediate as nextTurn } from 'node:timers/promises';
import { countyOf } from '../../../shared/domain/property-id.ts';
import { boxAround, boxArraySql, boxSql } from '../../../shared/geo/box.ts';
import { coverQuery, DEFAULT_EDGE_CELLS, type QueryCover } from '../../../shared/geo/cells.ts';
import { decodeBoundary } from '../../../shared/geo/codec.ts';
import { intersects, type PreparedQuery, prepareQuery } from '../../../shared/geo/intersects.ts';
import type { ParsedQuery } from '../../../shared/geo/query-geometry.ts';
import type { Database } from '../../http/database.ts';
import { unprocessable } from '../../http/errors.ts';
import { binder, inCounties, type Selection, within } from './selection.ts';

/** Finer boxes for a shape whose outline meets many parcels. */
const FINE_EDGE_CELLS = 512;

/** Boundaries that one request may read and test: some 200 ms of work. */
const MOST_CANDIDATES = 20_000;

/** Boundaries between two looks at other requests: a few milliseconds. */
const TESTED_AT_ONCE = 500;

/**
 * The same selection within a shape: of parcels in boxes inside of it, and of those along its outline that meet it.
 * @param selection the other predicates; the fewer parcels they leave, the fewer are tested.
 * @throws PlatError `unprocessable` for more vertices, or more parcels on the outline, than can be tested.
 */
export async function meet(
  parsed: ParsedQuery,
  selection: Selection,
  database: Database,
): Promise<Selection> {
  if (!parsed.ok) throw tooMuch(parsed.message);
  const query = prepareQuery(parsed.geometry);
  for (const maxCells of [DEFAULT_EDGE_CELLS, FINE_EDGE_CELLS]) {
    const cover = coverQuery(query, { maxCells });
    const near = inCounties(selection, await countiesAround(cover, database));
    const candidates = await listCandidates(cover, near, database);
    if (candidates.length <= MOST_CANDIDATES) {
      return within(near, cover, await test(query, candidates, database));
    }
  }
  throw tooMuch(
    `The outline passes over more than ${MOST_CANDIDATES} parcels. Make it smaller, or add filters that leave fewer of them.`,
  );
}

/** The counties with parcels where a shape is; no other needs to be asked. */
async function countiesAround({ edge }: QueryCover, database: Database): Promise<number[]> {
  if (edge.length === 0) return [];
  const rows = await database.run<{ fips: number }>('coverage/list_counties_meeting', [
    boxSql(boxAround(edge)),
  ]);
  return rows.map(row => row.fips);
}

/** Ids of the parcels along the outline. */
async function listCandidates(
  { inner, edge }: QueryCover,
  { from, where, values: given }: Selection,
  database: Database,
): Promise<number[]> {
  if (edge.length === 0) return [];
  const values = [...given];
  const bind = binder(values);
  const fragments = {
    from,
    where,
    edge: bind(boxArraySql(edge)),
    inner: bind(boxArraySql(inner)),
    limit: bind(MOST_CANDIDATES + 1),
  };
  const rows = await database.runComposed<{ property_id: number }>(
    'parcels/list_edge_candidates',
    fragments,
    values,
  );
  return rows.map(row => row.property_id);
}

type Boundary = { property_id: number; boundary: Buffer };

/** Those of the candidates whose boundaries meet the query. */
async function test(
  query: PreparedQuery,
  candidates: readonly number[],
  database: Database,
): Promise<number[]> {
  if (candidates.length === 0) return [];
  const met: number[] = [];
  const counties = [...new Set(candidates.map(countyOf))];
  const rows = await database.runComposed<Boundary>('parcels/list_boundaries', {}, [counties, candidates]);
  for (const [index, { property_id, boundary }] of rows.entries()) {
    if (index % TESTED_AT_ONCE === TESTED_AT_ONCE - 1) await nextTurn();
    if (intersects(query, decodeBoundary(boundary))) met.push(property_id);
  }
  return met;
}

const tooMuch = (message: string) => unprocessable(`geom_intersects: ${message}`);
