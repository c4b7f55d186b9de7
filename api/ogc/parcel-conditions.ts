import { groupBy } from '../../shared/kernels/groups.ts';
import type { Filter } from '../../shared/parcels/filter/declare-filter.ts';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';
import { KNOWN_FIELDS } from '../../shared/parcels/filter/known-fields.ts';
import { validationError } from '../http/error-responses.ts';
import type { Queryable } from './collection-parts.ts';
import type { Condition, Scalar } from './cql-text.ts';

/**
 * Filters that aren't properties, and lists, whose rows are priced when they are read
 * (api/v1/lists/list-rows.ts).
 */
const EXCLUDED = new Set(['geom_intersects', 'order', 'known', 'changed_since', 'list_id']);

const CONTAINS = /_contains$/;

/** The name in a `filter`: that of the range, of the field that a list filters, or of the filter itself. */
function propertyOf({ name, range, type, field }: Filter): string {
  if (range !== undefined) return range.of;
  if (type === 'list of strings' && field !== undefined) return field;
  return name.replace(CONTAINS, '');
}

const byProperty = groupBy(
  FILTERS.filter(({ name, type }) => type !== 'geometry' && !EXCLUDED.has(name)),
  propertyOf,
);

function queryableOf([filter]: readonly Filter[]): Queryable {
  const { label, type, description, range } = filter!;
  return {
    title: label,
    type: type === 'date' || type === 'list of strings' ? 'string' : (type as Queryable['type']),
    ...(type === 'date' && { format: 'date' }),
    description: range === undefined ? description : description.replace(/ [A-Z]\w+, inclusive\.$/, ''),
  };
}

export const PARCEL_QUERYABLES: Readonly<Record<string, Queryable>> = Object.fromEntries(
  [...byProperty].map(([property, filters]) => [property, queryableOf(filters)]),
);

const fault = (property: string, why: string) => validationError({ filter: [`${property} ${why}`] });

/** What the conditions are called in the body of properties/filter/. @throws PlatError `validation_error` */
export function filterOf(conditions: readonly Condition[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const condition of conditions) {
    for (const [name, value] of Object.entries(fieldsOf(condition))) {
      if (name === 'known') body.known = [...((body.known as string[]) ?? []), ...(value as string[])];
      else if (body[name] === undefined) body[name] = value;
      else throw fault(condition.property, 'is limited twice in the same way');
    }
  }
  return body;
}

function fieldsOf({ property, operator, values }: Condition): Record<string, unknown> {
  if (operator === 'IS NOT NULL' && KNOWN_FIELDS.includes(property)) return { known: [property] };
  const filters = byProperty.get(property);
  if (filters === undefined)
    throw fault(property, `is not a property that filters can use with ${operator}. See queryables`);
  const [filter] = filters;
  const fields =
    filter!.range === undefined
      ? singleField(filter!, operator, values)
      : rangeFields(filters, operator, values);
  if (fields === undefined) throw fault(property, `does not support ${operator}`);
  return fields;
}

function singleField(
  { name, type }: Filter,
  operator: Condition['operator'],
  values: Scalar[],
): Record<string, unknown> | undefined {
  if (CONTAINS.test(name)) {
    const [, piece] = /^%([^%_]+)%$/.exec(String(values[0])) ?? [];
    return operator === 'LIKE' && piece !== undefined ? { [name]: [piece] } : undefined;
  }
  const isList = type === 'list of strings';
  if (operator === '=') return { [name]: isList ? values : values[0] };
  return operator === 'IN' && isList ? { [name]: values } : undefined;
}

/** Both bounds are inclusive, so `<` and `>` work only where there is a next value. */
function rangeFields(
  filters: readonly Filter[],
  operator: Condition['operator'],
  values: Scalar[],
): Record<string, unknown> | undefined {
  const { type } = filters[0]!;
  const nameOf = (bound: 'min' | 'max') => filters.find(({ range }) => range!.bound === bound)?.name;
  const [min, max] = [nameOf('min'), nameOf('max')];
  const [first, last = first] = values.map(value => (type === 'date' ? dayOf(value) : value));
  const moved = (by: number) => (type === 'integer' && typeof first === 'number' ? first + by : undefined);
  const bounds: Partial<Record<Condition['operator'], [least: unknown, most: unknown]>> = {
    '=': [first, last],
    BETWEEN: [first, last],
    '>=': [first, undefined],
    '<=': [undefined, first],
    '>': [moved(1), undefined],
    '<': [undefined, moved(-1)],
  };
  const [least, most] = bounds[operator] ?? [];
  if (least === undefined && most === undefined) return undefined;
  if ((least !== undefined && min === undefined) || (most !== undefined && max === undefined))
    return undefined;
  return { ...(least !== undefined && { [min!]: least }), ...(most !== undefined && { [max!]: most }) };
}

/** Filters take dates without dashes. */
const dayOf = (value: Scalar): Scalar =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value.replaceAll('-', '') : value;
