import type { PreparedQuery } from '../../../shared/geo/intersects.ts';
import type { Database } from '../../http/database.ts';
import type { Page } from '../../http/paging.ts';
import { type Area, openArea } from './area.ts';
import { type Circle, circleAround } from './circle.ts';
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

type Row = {
  total: number | null;
  /** Id, longitude and latitude in 1e-7 degrees. */
  doubtful: [string, number, number][] | null;
} & (PlacedComp | { id: null });

export type Found = { count: number; rows: PlacedComp[] };

/** Reads a page of comps in the order in which they are read: backwards for a page before a place. */
export async function findComps(
  query: CompsQuery,
  polygon: PreparedQuery | undefined,
  page: Page,
  database: Database,
): Promise<Found> {
  const area = polygon && (await openArea(polygon, database));
  const circle = query.point && circleAround(...query.point, query.dist);
  const outside: string[] = [];
  for (;;) {
    const rows = await readPage(query, page, { area, circle, outside }, database);
    const strays = (rows[0]!.doubtful ?? []).filter(
      ([, lonE7, latE7]) => !circle!.holds(lonE7 / 1e7, latE7 / 1e7),
    );
    if (strays.length === 0) {
      const shown = rows.filter((row): row is Row & PlacedComp => row.id !== null);
      return { count: page.count ?? rows[0]!.total!, rows: shown };
    }
    // One in thousands of calls: a comp within millimetres of the rim.
    outside.push(...strays.map(([id]) => id));
  }
}

type Scope = { area: Area | undefined; circle: Circle | undefined; outside: string[] };

function readPage(
  query: CompsQuery,
  { beside, count, size, offset, asOf }: Page,
  { area, circle, outside }: Scope,
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
      ...[area?.boxes ?? null, area?.ids ?? []],
      ...[circle?.boxes ?? null, circle?.axisM ?? null, circle?.heightM ?? null, circle?.lon ?? null],
      ...[circle?.surelyIn ?? null, circle?.surelyOut ?? null, outside],
      ...[query.status ?? null, query.age ?? null, asOf.toISOString().slice(0, 10)],
      ...[query.dom_min ?? null, query.dom_max ?? null, query.acres_min ?? null, query.acres_max ?? null],
      query.min_photos ?? null,
      ...[count === undefined, place ?? 'Infinity', id, size + 1, offset],
    ],
  );
}
