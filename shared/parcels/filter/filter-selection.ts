import { boxArraySql } from '../../geo/box.ts';
import type { QueryCover } from '../../geo/cells.ts';
import { binder, type Values } from '../../platform/named-parameters.ts';
import type { FilterBody, FilterContext } from './declare-filter.ts';
import { FILTERS } from './filters.ts';
import { OF_PARCEL } from './overlay-filter.ts';

/**
 * SQL fragments and parameters of a filter. `f` is parcel_filters; `p` (parcels), `g` (assemblages), and `v`
 * (valuations) are joined if a predicate needs them.
 */
export type Selection = {
  from: string;
  /**
   * Like `from`, but with all columns of parcel_filters, or of `part`, which replaces it. `from` may have
   * fewer columns.
   */
  table(part?: string): string;
  where: string;
  /** The part of `where` that limits the counties. `true` if nothing does. */
  counties: string;
  /** Whether the filter has no conditions other than counties and states. */
  wholeCounties: boolean;
  values: Values;
};

export type Hit = { property_id: number; effective_acres: number | null };

type SelectionContext = Omit<FilterContext, 'bind' | 'body'>;

const JOINS = [
  { alias: 'p', join: 'join parcels p on p.fips = f.fips and p.property_id = f.property_id' },
  { alias: 'g', join: 'join assemblages g on g.fips = f.fips and g.property_id = f.property_id' },
  { alias: 'v', join: 'join valuations v on v.fips = f.fips and v.property_id = f.property_id' },
];
const WHOLE_COUNTIES = new Set(['county', 'counties', 'state', 'order']);

/** The predicates of a filter body, except for its geometry. */
export function selectionOf(body: FilterBody, selectionContext: SelectionContext): Selection {
  const values: Record<string, unknown> = {};
  const context = { bind: binder(values), body, ...selectionContext };
  const applied = FILTERS.filter(filter => filter.where !== undefined && body[filter.name] !== undefined);
  const predicates = applied.flatMap(filter => {
    const text = filter.where!(body[filter.name] as never, context);
    return text === undefined ? [] : [{ text, on: filter.on }];
  });
  const joined = JOINS.filter(({ alias }) => predicates.some(({ on }) => on === alias));
  const places = predicates.filter(({ on }) => on === 'all').map(({ text }) => text);
  const texts = predicates.flatMap(({ text, on }) =>
    // Repeated for each table: PostgreSQL only carries equality conditions across a join.
    on === 'all'
      ? [text, ...joined.map(({ alias }) => text.replaceAll('f.', `${alias}.`))]
      : [inOverlays(text, places)],
  );
  const counties = places.map(text => `(${text})`);
  const table = (part = 'parcel_filters') => [`${part} f`, ...joined.map(({ join }) => join)].join(' ');
  return {
    from: table(),
    table,
    where: texts.length === 0 ? 'true' : texts.map(text => `(${text})`).join('\n    and '),
    counties: counties.join(' and ') || 'true',
    wholeCounties: Object.keys(body).every(name => WHOLE_COUNTIES.has(name)),
    values,
  };
}

/** Repeats conditions on counties in a predicate's subqueries of parcel_overlays. */
const inOverlays = (text: string, conditions: readonly string[]) =>
  text.replaceAll(
    OF_PARCEL,
    [OF_PARCEL, ...conditions.map(condition => condition.replaceAll('f.', 'o.'))].join(' and '),
  );

export function inCounties(selection: Selection, counties: readonly number[]): Selection {
  if (counties.length === 0) return { ...selection, where: 'false', counties: 'false', values: {} };
  const values = { ...selection.values };
  const among = `= any (${binder(values)(counties)}::int[])`;
  const joined = JOINS.filter(({ join }) => selection.from.includes(join));
  const scopes = ['f', ...joined.map(({ alias }) => alias)].map(alias => `${alias}.fips ${among}`);
  return {
    ...selection,
    where: [inOverlays(selection.where, [`f.fips ${among}`]), ...scopes].join('\n    and '),
    counties: `f.fips ${among}`,
    values,
  };
}

/**
 * Restricts a selection to a shape: the parcels in its inner boxes, which are found with the index on
 * extents, and the tested parcels along its outline. The result has only the columns that hits are sorted by.
 * The `with` keeps PostgreSQL from starting parallel workers for a few boxes.
 */
export function withinShape(
  { from, where, counties, values: bound }: Selection,
  { inner }: QueryCover,
  tested: readonly Hit[],
): Selection {
  const values = { ...bound };
  const bind = binder(values);
  const ids = bind(tested.map(hit => hit.property_id));
  const acres = bind(tested.map(hit => hit.effective_acres));
  const rows = `(
    (
      with boxes as materialized (select box from unnest(${bind(boxArraySql(inner))}::box[]) as b (box))
      select f.fips, f.property_id, f.effective_acres
      from boxes
      join ${from} on f.extent && boxes.box and f.location <@ boxes.box
      where ${where}
    )
    union all
    select (t.property_id / 100000000)::int, t.property_id, t.effective_acres
    from unnest(${ids}::bigint[], ${acres}::float8[]) as t (property_id, effective_acres)
  )`;
  return {
    from: `${rows} f`,
    table: (part = 'parcel_filters') =>
      `${rows} h join ${part} f on f.fips = h.fips and f.property_id = h.property_id`,
    where: 'true',
    counties,
    wholeCounties: false,
    values,
  };
}
