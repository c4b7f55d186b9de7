import { type Bind, binder } from '../platform/named-parameters.ts';
import type { Area } from './comps-area.ts';
import type { CompsQuery, OrderName } from './comps-query.ts';

/** What comps are asked for, as fragments over a listing `l` and its figures `d`. */
export type CompsSelection = {
  where: string;
  /** What they are ordered by; null for unknown. */
  place: string;
  values: Record<string, unknown>;
};

/**
 * What comps are ordered by, in the names of comp_figures. A withheld price, 0, is unknown there, and so is a
 * lot of 0 acres.
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

/** @param areas in all of which the comps lie @param asOf the moment that ages are counted back from */
export function selectComps(query: CompsQuery, areas: readonly Area[], asOf: Date): CompsSelection {
  const values: Record<string, unknown> = { today: asOf.toISOString().slice(0, 10) };
  const bind = binder(values);
  const predicates = Object.entries(PREDICATES).flatMap(([name, where]) => {
    const value = query[name as keyof CompsQuery];
    return value === undefined ? [] : [(where as (value: unknown, bind: Bind) => string)(value, bind)];
  });
  const where = ["l.status <> 'OFF_MARKET'", ...predicates, ...areas.map(area => isInside(area, bind))]
    .map(text => `(${text})`)
    .join('\n    and ');
  return { where, place: placeOf(query.order), values };
}
