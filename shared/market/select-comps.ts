import { type Bind, binder } from '../platform/named-parameters.ts';
import type { Area } from './comps-area.ts';
import type { CompsQuery, OrderName } from './comps-query.ts';

/** What a selection can filter by: the query of comps/, and what the GIS collection of comps adds. */
export type CompsFilter = CompsQuery & { id?: string; sold_from?: string; sold_to?: string };

/** A selection of comps, as SQL fragments over a listing `l` and its figures `d`. */
export type CompsSelection = {
  where: string;
  /** The sort value. Null if unknown. */
  place: string;
  values: Record<string, unknown>;
};

/** Sort values from comp_figures, which has null for a withheld price (0) and for a lot of 0 acres. */
const PLACES: Record<'acres' | 'dom' | 'ppa' | 'price', string> = {
  acres: 'd.acres',
  dom: 'd.dom::float8',
  ppa: 'd.price / d.acres',
  price: 'd.price',
};

/**
 * Descending order sorts by the negative value, so that unknown values come last and ties are sorted by id.
 */
function placeOf(order: OrderName | undefined): string {
  if (order === undefined) return '0::float8';
  const name = order.replace('-', '') as keyof typeof PLACES;
  return order.startsWith('-') ? `-(${PLACES[name]})` : PLACES[name];
}

/** The condition of each query parameter on a listing `l` and its figures `d`. */
const PREDICATES: {
  [Name in keyof CompsFilter]?: (value: NonNullable<CompsFilter[Name]>, bind: Bind) => string;
} = {
  id: (id, bind) => `l.id = ${bind(id)}::uuid`,
  sold_from: (day, bind) => `l.status = 'SOLD' and l.sold_date >= ${bind(day)}::date`,
  sold_to: (day, bind) => `l.status = 'SOLD' and l.sold_date <= ${bind(day)}::date`,
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

/** @param areas comps must be in all of them @param asOf ages are counted back from this time */
export function selectComps(query: CompsFilter, areas: readonly Area[], asOf: Date): CompsSelection {
  const values: Record<string, unknown> = { today: asOf.toISOString().slice(0, 10) };
  const bind = binder(values);
  const predicates = Object.entries(PREDICATES).flatMap(([name, where]) => {
    const value = query[name as keyof CompsFilter];
    return value === undefined ? [] : [(where as (value: unknown, bind: Bind) => string)(value, bind)];
  });
  const where = ["l.status <> 'OFF_MARKET'", ...predicates, ...areas.map(area => isInside(area, bind))]
    .map(text => `(${text})`)
    .join('\n    and ');
  return { where, place: placeOf(query.order), values };
}
