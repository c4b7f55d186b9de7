import type { PreparedQuery } from '../../../shared/geo/intersects.ts';
import type { Database } from '../../http/database.ts';
import type { Page } from '../../http/paging.ts';
import { type Area, openArea } from './area.ts';
import type { CompRow } from './comp.ts';
import type { CompsQuery, OrderName } from './query.ts';

/** What comps are ordered by, in the names of list_comps.sql. A withheld price, 0, is unknown there, and so is a lot of 0 acres. */
const PLACES: Record<'acres' | 'dom' | 'ppa' | 'price', string> = {
  acres: 'd.acres',
  dom: 'd.dom::float8',
  ppa: 'd.price / d.acres',
  price: 'd.price',
};

/** Descending is ascending by the negative: unknown comes last, and ties are in the order of the id, both ways. */
function placeOf(order: OrderName | undefined): string {
  if (order === undefined) return '0::float8';
  const name = order.replace('-', '') as keyof typeof PLACES;
  return order.startsWith('-') ? `-(${PLACES[name]})` : PLACES[name];
}

export type PlacedComp = CompRow & { place: number | null };

type Row = { total: number | null } & (PlacedComp | { id: null });

export type Found = { count: number; rows: PlacedComp[] };

/**
 * Reads a page of comps in the order in which they are read: backwards for a page before a place.
 * @param areas one or two, in each of which the comps must lie
 */
export async function findComps(
  query: CompsQuery,
  areas: readonly PreparedQuery[],
  page: Page,
  database: Database,
): Promise<Found> {
  const opened = await Promise.all(areas.map(area => openArea(area, database)));
  const rows = await readPage(query, page, opened, database);
  const shown = rows.filter((row): row is Row & PlacedComp => row.id !== null);
  return { count: page.count ?? rows[0]!.total!, rows: shown };
}

function readPage(
  query: CompsQuery,
  { beside, count, size, offset, asOf }: Page,
  [area, otherArea]: readonly Area[],
  database: Database,
): Promise<Row[]> {
  const backwards = beside?.direction === 'previous';
  const [place, id] = beside?.place ?? [null, null];
  return database.runComposed<Row>(
    'comps/list_comps',
    {
      place: placeOf(query.order),
      beyond: backwards ? '<' : '>',
      direction: backwards ? 'desc' : 'asc',
    },
    [
      ...[query.fips === undefined ? null : Number(query.fips), query.zip ?? null],
      ...[area?.boxes ?? null, area?.ids ?? [], otherArea?.boxes ?? null, otherArea?.ids ?? []],
      ...[query.status ?? null, query.age ?? null, asOf.toISOString().slice(0, 10)],
      ...[query.dom_min ?? null, query.dom_max ?? null, query.acres_min ?? null, query.acres_max ?? null],
      query.min_photos ?? null,
      ...[count === undefined, place ?? 'Infinity', id, size + 1, offset],
    ],
  );
}
