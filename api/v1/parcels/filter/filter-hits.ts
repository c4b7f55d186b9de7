import type { Selection } from '../../../../shared/parcels/filter/filter-selection.ts';
import type { Order } from '../../../../shared/parcels/filter/filters.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { binder } from '../../../../shared/platform/named-parameters.ts';
import type { Page } from '../../../http/paging.ts';

/**
 * A parcel on a page, and the value it is sorted by. The value is null if unknown, or if the order is
 * property_id.
 */
export type OrderedHit = { property_id: number; figure: number | null };

type Figure = {
  /** As SQL. */
  column: string;
  type: 'float8' | 'int';
  /** The table of a figure that isn't in the rows found, and its alias. */
  of?: readonly [table: string, alias: string];
};

export const joined = (table: string, alias: string) =>
  `left join ${table} ${alias} on ${alias}.fips = f.fips and ${alias}.property_id = f.property_id`;

/** Repeats the counties, because PostgreSQL only carries equality conditions across a join. */
const joinedIn = (counties: string, table: string, alias: string) =>
  `${joined(table, alias)} and ${counties.replaceAll('f.', `${alias}.`)}`;

const FIGURES: Readonly<Record<string, Figure>> = {
  acres: { column: 'f.effective_acres', type: 'float8' },
  value: { column: 'worth.mean_adjusted_price', type: 'float8', of: ['valuations', 'worth'] },
  value_per_acre: { column: 'worth.mean_adjusted_ppa', type: 'float8', of: ['valuations', 'worth'] },
  assemblage_acres: {
    column: 'together.acres',
    type: 'float8',
    of: ['assemblages', 'together'],
  },
  // Uses a join, because rows found by a shape have no dates. Uses days since 1900, because a cursor contains
  // numbers.
  last_sale_date: {
    column: "(sold.last_sale_date - date '1900-01-01')",
    type: 'int',
    of: ['parcel_filters', 'sold'],
  },
  buildable_acres: {
    column: 'land.buildable_acres',
    type: 'float8',
    of: ['parcel_filters', 'land'],
  },
};

/** The figure to sort by. Undefined for property_id. */
const figureOf = (order: Order): Figure | undefined => FIGURES[order.replace('-', '')];
const isDescending = (order: Order): boolean => order.startsWith('-');

/**
 * The number of hits that can be sorted within 5 ms. If there are more, an index finds the first ones. 0 for
 * figures from another table, which are read only for hits.
 */
function maxSorted(order: Order): number {
  const figure = figureOf(order);
  if (figure === undefined) return 50_000;
  return figure.of === undefined ? 2_000 : 0;
}

/** The page's hits in reading order, plus one more if there is a next page, and the total count. */
export async function findHits(
  db: Db,
  selection: Selection,
  page: Page,
  order: Order,
): Promise<{ count: number; hits: OrderedHit[] }> {
  if (page.count !== undefined)
    return { count: page.count, hits: await listHits(db, selection, page, order) };
  const { count, hits } = await countHits(db, selection, page, order);
  const all = hits.length > 0 || page.offset >= count;
  return { count, hits: all ? hits : await listHits(db, selection, page, order) };
}

async function countHits(
  db: Db,
  { from, where, wholeCounties, values }: Selection,
  page: Page,
  order: Order,
): Promise<{ count: number; hits: OrderedHit[] }> {
  const figure = figureOf(order);
  const most = maxSorted(order);
  const rows = await db.run<{ count: number; property_id: number | null } & OrderedHit>(
    'parcels/count_hits',
    { ...values, most, offset: page.offset, limit: page.size + 1 },
    {
      from,
      where,
      ids: wholeCounties || most === 0 ? 'null::bigint[]' : 'array_agg(f.property_id)',
      acres: wholeCounties || figure !== FIGURES.acres ? 'null::float8[]' : 'array_agg(f.effective_acres)',
      order: figure === undefined || figure.of ? 'f.property_id' : sorted(figure, directionOf(order)),
    },
  );
  return { count: rows[0]!.count, hits: rows.filter(row => row.property_id !== null) };
}

const directionOf = (order: Order) => (isDescending(order) ? 'desc' : 'asc');

const sorted = ({ column }: Figure, direction: 'asc' | 'desc') =>
  `${column} ${direction} nulls last, f.property_id ${direction}`;

/** The page's hits in reading order, plus one more if there is a next page. */
export async function listHits(
  db: Db,
  { from, where, counties, values: given }: Selection,
  page: Page,
  order: Order,
): Promise<OrderedHit[]> {
  const hits: OrderedHit[] = [];
  const figure = figureOf(order);
  for (const leg of legsOf(order, page)) {
    const wanted = page.size + 1 - hits.length;
    if (wanted === 0) break;
    const values: Record<string, unknown> = { ...given, offset: page.offset, limit: wanted };
    const bind = binder(values);
    const fragments = {
      from: figure?.of === undefined ? from : `${from} ${joinedIn(counties, ...figure.of)}`,
      figure: figure?.column ?? 'null::float8',
      where: [where, ...leg.where(bind)].join('\n    and '),
      order: leg.order,
    };
    hits.push(...(await db.run<OrderedHit>('parcels/list_hits', values, fragments)));
  }
  return hits;
}

/**
 * Results that a single index returns in order. A page may need the end of one leg and the start of the next.
 */
type Leg = { where(bind: (value: unknown) => string): string[]; order: string };

function legsOf(order: Order, page: Page): Leg[] {
  const backwards = page.cursorPosition?.direction === 'previous';
  const direction = isDescending(order) !== backwards ? 'desc' : 'asc';
  const figure = figureOf(order);
  return figure === undefined
    ? [byId(page, direction)]
    : byFigure(figure, page, direction, backwards, directionOf(order));
}

const beyond = (direction: 'asc' | 'desc') => (direction === 'asc' ? '>' : '<');

function byId({ cursorPosition }: Page, direction: 'asc' | 'desc'): Leg {
  return {
    where(bind) {
      if (cursorPosition === undefined) return [];
      const id = `${bind(cursorPosition.place[0])}::bigint`;
      const sign = beyond(direction);
      return [`f.fips ${sign}= (${id} / 100000000)::int`, `f.property_id ${sign} ${id}`];
    },
    // Ids start with the county, so this is the order of both the ids and the primary key.
    order: `f.fips ${direction}, f.property_id ${direction}`,
  };
}

/** Parcels with a known value first, then the others. */
function byFigure(
  figure: Figure,
  { cursorPosition, offset }: Page,
  direction: 'asc' | 'desc',
  backwards: boolean,
  forwards: 'asc' | 'desc',
): Leg[] {
  const { column, type } = figure;
  if (offset > 0) return [{ where: () => [], order: sorted(figure, forwards) }];
  const [value, id] = cursorPosition === undefined ? [] : (cursorPosition.place as [number | null, number]);
  const inOrder = `${column} ${direction}, f.property_id ${direction}`;
  const knownLeg: Leg = {
    where: bind => [
      `${column} is not null`,
      ...(typeof value === 'number'
        ? [`(${column}, f.property_id) ${beyond(direction)} (${bind(value)}::${type}, ${bind(id)}::bigint)`]
        : []),
    ],
    order: inOrder,
  };
  const unknown: Leg = {
    where: bind => [
      `${column} is null`,
      ...(value === null ? [`f.property_id ${beyond(direction)} ${bind(id)}::bigint`] : []),
    ],
    order: inOrder,
  };
  if (backwards) return value === null ? [unknown, knownLeg] : [knownLeg];
  return value === null ? [unknown] : [knownLeg, unknown];
}
