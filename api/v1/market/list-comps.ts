import { type Bind, binder } from '../../../shared/base/named-parameters.ts';
import type { PreparedQuery } from '../../../shared/geo/intersects.ts';
import type { Database } from '../../http/database.ts';
import { openPage, type Page, pageOf, toPageResult } from '../../http/paging.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { COMPS_EXAMPLE } from '../examples/examples.ts';
import { type CompRow, comp, toComp } from './comp-schema.ts';
import { type Area, areasOf, openArea } from './comps-area.ts';
import { type CompsQuery, compsQuery, type OrderName } from './comps-query.ts';

const PATH = '/api/public/v1/comps/';

export const listComps = defineEndpoint({
  method: 'get',
  path: PATH,
  operationId: 'list_comps',
  tag: 'Comps',
  summary: 'Comparable land sales and listings',
  description:
    'Listings and sales of land in a county, a ZIP code, a circle or a polygon: at least one of `fips`, `zip`, `point` and `polygon`. ' +
    'Everything that is given must hold. Listings that their source has withdrawn are not shown. A comp for which a filtered value is ' +
    'unknown does not match that filter.',
  query: compsQuery,
  metering: {
    key: 'public_comps',
    price: 1,
    atMost: ({ query }) => query.page_size,
    rule: '1 token per returned comp; 0 for an empty page, also for one past the end, which tells the count all the same',
  },
  response: {
    status: 200,
    description: 'A page of comps.',
    schema: pageOf('CompPage', comp),
    example: { summary: COMPS_EXAMPLE.query, value: COMPS_EXAMPLE.response },
  },
  errors: {
    unprocessable:
      'The polygon has more than 10,000 vertices, or its outline winds around more comps than can be looked at. Costs nothing.',
  },
  handle: async ({ query }, { database, cursorSecret }, call) => {
    // Before the page, so that a fault in the polygon is reported whatever the page.
    const areas = areasOf(query);
    await requireKnownRegions(database, [
      { field: 'fips', type: 'county', codes: query.fips === undefined ? [] : [query.fips] },
      { field: 'zip', type: 'zip', codes: query.zip === undefined ? [] : [query.zip] },
    ]);
    const { page: _number, page_size: _size, cursor: _cursor, ...request } = query;
    const page = await openPage(query, { endpoint: PATH, request, call, secret: cursorSecret });
    const hits = await findComps(query, areas, page, database);
    const { count, next, previous, rows } = toPageResult(page, hits.rows, hits.count, row => [
      row.place,
      row.id,
    ]);
    return { body: { count, next, previous, results: rows.map(toComp) }, tokens: rows.length };
  },
});

/**
 * What comps are ordered by, in the names of list_comps.sql. A withheld price, 0, is unknown there, and so
 * is a lot of 0 acres.
 */
const PLACES: Record<'acres' | 'dom' | 'ppa' | 'price', string> = {
  acres: 'd.acres',
  dom: 'd.dom::float8',
  ppa: 'd.price / d.acres',
  price: 'd.price',
};

/**
 * Descending is ascending by the negative: unknown comes last, and ties are in the order of
 * the id, both ways.
 */
function placeOf(order: OrderName | undefined): string {
  if (order === undefined) return '0::float8';
  const name = order.replace('-', '') as keyof typeof PLACES;
  return order.startsWith('-') ? `-(${PLACES[name]})` : PLACES[name];
}

export type PlacedComp = CompRow & { place: number | null };

type Row = { total: number | null } & (PlacedComp | { id: null });

export type CompsResult = { count: number; rows: PlacedComp[] };

/**
 * A page of comps as it is read, backwards before a place. @param areas one or two, in all of
 * which the comps lie
 */
export async function findComps(
  query: CompsQuery,
  areas: readonly PreparedQuery[],
  page: Page,
  database: Database,
): Promise<CompsResult> {
  const opened = await Promise.all(areas.map(area => openArea(area, database)));
  const rows = await readPage(query, page, opened, database);
  const shown = rows.filter((row): row is Row & PlacedComp => row.id !== null);
  return { count: page.count ?? rows[0]!.total!, rows: shown };
}

/** What a parameter of the call asks of a listing `l` and its figures `d`; an absent one asks nothing. */
const PREDICATES: {
  [Name in keyof CompsQuery]?: (value: NonNullable<CompsQuery[Name]>, bind: Bind) => string;
} = {
  fips: (fips, bind) => `l.fips = ${bind(Number(fips))}::int`,
  zip: (zip, bind) => `l.zip = ${bind(zip)}::text`,
  status: (statuses, bind) => `l.status = any (${bind(statuses)}::text[])`,
  age: (days, bind) =>
    `l.status = 'SOLD' and l.sold_date between :today::date - ${bind(days)}::int and :today::date`,
  dom_min: (days, bind) => `d.dom >= ${bind(days)}::int`,
  dom_max: (days, bind) => `d.dom <= ${bind(days)}::int`,
  acres_min: (acres, bind) => `d.acres >= ${bind(acres)}::float8`,
  acres_max: (acres, bind) => `d.acres <= ${bind(acres)}::float8`,
  min_photos: (photos, bind) => `cardinality(l.photos) >= ${bind(photos)}::int`,
};

const isInside = ({ boxes, ids }: Area, bind: Bind): string =>
  `l.location <@ any (${bind(boxes)}::box[]) or l.id = any (${bind(ids)}::uuid[])`;

function predicatesOf(query: CompsQuery, areas: readonly Area[], bind: Bind): string {
  const predicates = Object.entries(PREDICATES).flatMap(([name, where]) => {
    const value = query[name as keyof CompsQuery];
    return value === undefined ? [] : [(where as (value: unknown, bind: Bind) => string)(value, bind)];
  });
  return [...predicates, ...areas.map(area => isInside(area, bind))]
    .map(text => `(${text})`)
    .join('\n    and ');
}

function readPage(
  query: CompsQuery,
  { beside, count, size, offset, asOf }: Page,
  areas: readonly Area[],
  database: Database,
): Promise<Row[]> {
  const backwards = beside?.direction === 'previous';
  const [place, id] = beside?.place ?? [null, null];
  const values: Record<string, unknown> = {
    today: asOf.toISOString().slice(0, 10),
    with_total: count === undefined,
    after_place: place ?? 'Infinity',
    after_id: id,
    limit: size + 1,
    offset,
  };
  return database.runComposed<Row>(
    'market/list_comps',
    {
      where: predicatesOf(query, areas, binder(values)),
      place: placeOf(query.order),
      beyond: backwards ? '<' : '>',
      direction: backwards ? 'desc' : 'asc',
    },
    values,
  );
}
