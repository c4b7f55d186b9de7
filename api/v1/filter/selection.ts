import { boxArraySql } from '../../../shared/geo/box.ts';
import type { QueryCover } from '../../../shared/geo/cells.ts';
import type { FilterBody, FilterContext } from './declare.ts';
import { FILTERS } from './filters.ts';

/** Fragments and parameters of a filter's statements: `f` is parcel_filters, `p` parcels where a predicate needs it. */
export type Selection = {
  from: string;
  where: string;
  /** Nothing but whole counties and states is asked for. */
  wholeCounties: boolean;
  values: readonly unknown[];
};

type Circumstances = Omit<FilterContext, 'bind' | 'body'>;

const JOIN = 'join parcels p on p.fips = f.fips and p.property_id = f.property_id';
const WHOLE_COUNTIES = new Set(['county', 'counties', 'state', 'order']);

/** The declared predicates of a body, but for its geometry. */
export function selectionOf(body: FilterBody, circumstances: Circumstances): Selection {
  const values: unknown[] = [];
  const context = { bind: binder(values), body, ...circumstances };
  const given = FILTERS.filter(filter => filter.where !== undefined && body[filter.name] !== undefined);
  const predicates = given.flatMap(filter => {
    const text = filter.where!(body[filter.name] as never, context);
    return text === undefined ? [] : [{ text, on: filter.on }];
  });
  const joined = predicates.some(predicate => predicate.on === 'p');
  const texts = predicates.flatMap(({ text, on }) =>
    // Said of both tables, because only an equality reaches the other one through the join.
    joined && on === 'both' ? [text, text.replaceAll('f.', 'p.')] : [text],
  );
  return {
    from: `parcel_filters f${joined ? ` ${JOIN}` : ''}`,
    where: texts.length === 0 ? 'true' : texts.map(text => `(${text})`).join('\n    and '),
    wholeCounties: Object.keys(body).every(name => WHOLE_COUNTIES.has(name)),
    values,
  };
}

/** The same in some counties. */
export function inCounties(selection: Selection, counties: readonly number[]): Selection {
  if (counties.length === 0) return { ...selection, where: 'false', values: [] };
  const values = [...selection.values];
  const among = `= any (${binder(values)(counties)}::int[])`;
  const tables = selection.from.includes(JOIN) ? ['f', 'p'] : ['f'];
  return {
    ...selection,
    where: [selection.where, ...tables.map(table => `${table}.fips ${among}`)].join('\n    and '),
    values,
  };
}

/** Numbers the parameters of a statement. */
export function binder(values: unknown[]): (value: unknown) => string {
  return value => `$${values.push(value)}`;
}

/** Within a shape: parcels whose location is in an inner box, and those tested. A `with`, for boxes are no work for parallel workers. */
export function within(selection: Selection, { inner }: QueryCover, tested: readonly number[]): Selection {
  const values = [...selection.values];
  const bind = binder(values);
  const rows = `(
    (
      with boxes as materialized (select box from unnest(${bind(boxArraySql(inner))}::box[]) as b (box))
      select n.* from boxes b join parcel_filters n on n.location <@ b.box
    )
    union all
    select n.* from unnest(${bind(tested)}::bigint[]) as t (property_id)
    join parcel_filters n on n.fips = (t.property_id / 100000000)::int and n.property_id = t.property_id
  ) f`;
  return {
    ...selection,
    from: selection.from.replace('parcel_filters f', rows),
    wholeCounties: false,
    values,
  };
}
