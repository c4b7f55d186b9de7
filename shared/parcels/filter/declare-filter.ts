import { z } from 'zod';
import type { Need } from '../../model/loaded-data.ts';
import type { FieldGroup, ParcelField } from '../../model/parcel-fields.ts';

/** The row_versions committed after a point in time: `first` and later, except those in `before`. */
export type VersionsSince = { first: number | null; before: readonly number[] };

/** Context that all predicates of a request share. */
export type FilterContext = {
  /** Binds a value and returns its parameter name, such as `:v3`. */
  bind(value: unknown): string;
  body: FilterBody;
  /** Months and years are counted back from this time. */
  asOf: Date;
  /** Values that are looked up in advance: the owner of owner_parcel_id, and the counties to search. */
  owner?: { keys: readonly string[]; counties: readonly number[] };
  list?: { counties: readonly number[] };
  since?: VersionsSince;
};

export type FilterBody = Readonly<Record<string, unknown>>;

/**
 * One field of the filter body. The schema, GET filters/, OpenAPI, and SQL are generated from it. `f` is
 * parcel_filters, `p` is parcels, `g` is assemblages, and `v` is valuations.
 */
export type Filter<Value = never> = {
  name: string;
  type:
    | 'number'
    | 'integer'
    | 'string'
    | 'boolean'
    | 'date'
    | 'list of strings'
    | 'list of objects'
    | 'geometry';
  unit?: string;
  description: string;
  /** Shown on pages. Both bounds of a range share it. */
  label: string;
  group?: FieldGroup;
  /** Data that must be loaded for the filter to match anything. Absent if every county has the data. */
  needs?: Need;
  /** The roll field that the filter reads. */
  field?: ParcelField;
  values?: readonly (string | number)[];
  /** Value used when the request omits the field. */
  default?: string | boolean;
  /** A request needs at least one filter with `scope`. */
  scope?: true;
  /** Whether only true has an effect. */
  flag?: true;
  /** Links the `min` and `max` of one range. */
  range?: { of: string; bound: 'min' | 'max' };
  schema: z.ZodType;
  /**
   * The field that the filter reads, which `known` accepts. Set only if the filter keeps parcels whose value
   * is unknown.
   */
  keepsUnknown?: string;
  /**
   * The table that the predicate reads. `all` means that the predicate names a county, which narrows every
   * table.
   */
  on: 'f' | 'p' | 'g' | 'v' | 'all';
  /**
   * Returns the predicate, or undefined if the value has no effect. Absent if another filter or other code
   * uses the field.
   */
  where?(value: Value, context: FilterContext): string | undefined;
};

const BOUND = /_(min|max)$/;

const BOUND_WORDS = {
  date: { min: 'earliest', max: 'latest' },
  number: { min: 'minimum', max: 'maximum' },
} as const;

/** The label of a filter in a form. For a bound, it says which one: "Acres (minimum)". */
export function labelOf({
  name,
  label,
  type,
}: Pick<Filter, 'name' | 'label'> & Partial<Pick<Filter, 'type'>>): string {
  const bound = BOUND.exec(name)?.[1] as 'min' | 'max' | undefined;
  return bound === undefined
    ? label
    : `${label} (${BOUND_WORDS[type === 'date' ? 'date' : 'number'][bound]})`;
}

/** Lets the compiler check a predicate against its own schema. */
export function defineFilter<Schema extends z.ZodType>(
  declared: Omit<Filter<z.output<Schema>>, 'schema'> & { schema: Schema },
): Filter {
  return declared as unknown as Filter;
}

const MAX_LIST_LENGTH = 1_000;

/** PostgreSQL text can't contain NUL. */
export const line = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => !text.includes('\0'), 'must not contain NUL characters');

export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, 'must be a list')
    .min(1, 'must have at least one entry')
    .max(MAX_LIST_LENGTH, `must have at most ${MAX_LIST_LENGTH} entries`);
}

const CODE = 'must be text or a whole number';
/** A county or deed code. Codes are text, but some consist only of digits and may be sent as numbers. */
const code = z.union([line, z.int(CODE)], CODE).transform(String);

const FIPS = 'must be a county FIPS code: 5 digits, with or without the leading zero';
export const fipsCode = z
  .union([z.string().regex(/^[0-9]{4,5}$/, FIPS), z.int(FIPS).min(1_000, FIPS).max(99_999, FIPS)], FIPS)
  .transform(Number);

const ZIP = 'must be a 5-digit ZIP code';
/** A number without leading zeros, as in the column. */
export const zipCode = z
  .union([z.string().regex(/^[0-9]{5}$/, ZIP), z.int(ZIP).min(1, ZIP).max(99_999, ZIP)], ZIP)
  .transform(Number);

const DAY = 'must be a date in the format YYYYMMDD';
/** Returns the date as YYYY-MM-DD. */
const day = z
  .union([z.string().regex(/^[0-9]{8}$/, DAY), z.int(DAY).min(10_000_101, DAY).max(99_991_231, DAY)], DAY)
  .transform(value => String(value).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'))
  .refine(isDay, DAY);

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return text >= '1000' && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

type Bounds = { least?: number; most?: number };

export function wholeNumber({ least = 0, most = Number.MAX_SAFE_INTEGER }: Bounds = {}) {
  return z
    .int('must be a whole number')
    .min(least, `must be ${least} or more`)
    .max(most, `must be at most ${most}`);
}

export function decimal({ least = 0, most }: Bounds = {}) {
  const schema = z.number('must be a number').min(least, `must be ${least} or more`);
  return most === undefined ? schema : schema.max(most, `must be at most ${most}`);
}

type RangeSpec = Bounds & {
  name: string;
  label: string;
  needs?: Need;
  /** The SQL expression to compare. */
  column: string;
  /** Number of decimals shown. The rounded value is compared with the bounds. */
  shown?: number;
  /** Tolerance for an indexed column, which is not rounded: half a unit of the last decimal shown. */
  slack?: number;
  type: 'number' | 'integer' | 'date';
  unit?: string;
  on?: Filter['on'];
  /** Has no period at the end. "Minimum, inclusive." or similar is appended. */
  description: string;
};

const SQL_TYPES = { number: 'float8', integer: 'bigint', date: 'date' };

/** `<name>_min` and `<name>_max`, both inclusive. */
export function rangeFilter({
  name,
  label,
  needs,
  column,
  shown,
  slack = 0,
  type,
  unit,
  on = 'f',
  description,
  ...bounds
}: RangeSpec): Filter[] {
  const schema = type === 'date' ? day : type === 'integer' ? wholeNumber(bounds) : decimal(bounds);
  const side = (bound: 'min' | 'max', operator: string, words: string) =>
    defineFilter({
      name: `${name}_${bound}`,
      label,
      ...(needs && { needs }),
      type,
      ...(unit && { unit }),
      description: `${description}. ${words}, inclusive.`,
      range: { of: name, bound },
      schema,
      on,
      where: (value: number | string, { bind }) =>
        shown === undefined
          ? `${column} ${operator} ${bind(typeof value === 'string' ? value : value + (operator === '>=' ? -slack : slack))}::${SQL_TYPES[type]}`
          : `round(${column}::numeric, ${shown}) ${operator} ${bind(value)}::numeric`,
    });
  return type === 'date'
    ? [side('min', '>=', 'Earliest'), side('max', '<=', 'Latest')]
    : [side('min', '>=', 'Minimum'), side('max', '<=', 'Maximum')];
}

/** Matches if the full text equals any entry of a list, ignoring case. */
export function anyOfFilter(name: string, label: string, column: string, description: string): Filter {
  return defineFilter({
    name,
    label,
    type: 'list of strings',
    description: `${description}. Matches any of these, ignoring case.`,
    schema: listOf(code),
    on: 'p',
    where: (values, { bind }) =>
      `upper(${column}) = any (array(select upper(v) from unnest(${bind(values)}::text[]) v))`,
  });
}

/** Matches the full text, ignoring case. */
export function equalsFilter(name: string, label: string, column: string, description: string): Filter {
  return defineFilter({
    name,
    label,
    type: 'string',
    description: `${description}. Must match exactly, ignoring case.`,
    schema: line,
    on: 'p',
    where: (value, { bind }) => `upper(${column}) = upper(${bind(value)}::text)`,
  });
}

export const booleanValue = z.boolean('must be true or false');

/** Both true and false select parcels. */
export function booleanFilter(
  name: string,
  label: string,
  column: string,
  description: string,
  options: Pick<Filter, 'needs'> = {},
): Filter {
  return defineFilter({
    ...options,
    name,
    label,
    type: 'boolean',
    description,
    schema: booleanValue,
    on: 'f',
    where: value => (value ? column : `not ${column}`),
  });
}

/** true filters by `predicate`. false has no effect. */
export function flagFilter(
  name: string,
  label: string,
  predicate: string,
  description: string,
  options: Pick<Filter, 'keepsUnknown' | 'needs'> = {},
): Filter {
  return defineFilter({
    ...options,
    name,
    label,
    type: 'boolean',
    description: `${description} False has no effect.`,
    flag: true,
    schema: booleanValue,
    on: 'f',
    where: value => (value ? predicate : undefined),
  });
}
