import { z } from 'zod';
import type { Need } from '../../model/loaded-data.ts';
import type { FieldGroup, ParcelField } from '../../model/parcel-fields.ts';

/** Row versions committed after a moment: those from `first` on, except the ones in `before`. */
export type VersionsSince = { first: number | null; before: readonly number[] };

/** Context that all predicates of a request share. */
export type FilterContext = {
  /** Adds a value as a parameter and returns its name, such as `:v3`. */
  bind(value: unknown): string;
  /** Every filter of the request. */
  body: FilterBody;
  /** The moment that months and years are counted from. */
  asOf: Date;
  /** Looked up beforehand: the owner of owner_parcel_id, and the counties of the owner or list. */
  owner?: { keys: readonly string[]; counties: readonly number[] };
  list?: { counties: readonly number[] };
  since?: VersionsSince;
};

export type FilterBody = Readonly<Record<string, unknown>>;

/**
 * One field of the filter body. The schema, GET filters/, OpenAPI, and SQL all come from it. In SQL, `f` is
 * parcel_filters, `p` parcels, and `v` valuations.
 */
export type Filter<Value = never> = {
  name: string;
  type: 'number' | 'integer' | 'string' | 'boolean' | 'date' | 'list of strings' | 'geometry';
  unit?: string;
  description: string;
  /** Shown on pages. Both bounds of a range have the same label. */
  label: string;
  /** The section of the form. */
  group?: FieldGroup;
  /** The data that must be loaded for it to match anything. Absent if every county has it. */
  needs?: Need;
  /** The roll field that declares it. */
  field?: ParcelField;
  values?: readonly (string | number)[];
  /** The value that a missing field stands for. */
  default?: string | boolean;
  /** Whether it says where to search. A request needs one of these. */
  scope?: true;
  /** `false` has no effect. */
  flag?: true;
  /** `min` and `max` of the same range. */
  range?: { of: string; bound: 'min' | 'max' };
  schema: z.ZodType;
  /** The field it reads, if parcels with an unknown value are kept. A name that `known` accepts. */
  keepsUnknown?: string;
  /** The table that the predicate reads. `all`: it restricts the county of every table. */
  on: 'f' | 'p' | 'v' | 'all';
  /** Absent if other code reads the field. Returns undefined if the value has no effect. */
  where?(value: Value, context: FilterContext): string | undefined;
};

const BOUND = /_(min|max)$/;

const BOUND_WORDS = {
  date: { min: 'earliest', max: 'latest' },
  number: { min: 'minimum', max: 'maximum' },
} as const;

/** The label of a filter in a form, such as "Acres (minimum)". */
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

/** PostgreSQL can't store NUL in text. */
export const line = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => !text.includes('\0'), 'must not hold NUL characters');

export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, 'must be a list')
    .min(1, 'must have at least one entry')
    .max(MAX_LIST_LENGTH, `must have at most ${MAX_LIST_LENGTH} entries`);
}

const CODE = 'must be text or a whole number';
/** County and deed codes are text, even if they are all digits. */
const code = z.union([line, z.int(CODE)], CODE).transform(String);

const FIPS = 'must be a county FIPS code: 5 digits, the leading zero may be missing';
export const fipsCode = z
  .union([z.string().regex(/^[0-9]{4,5}$/, FIPS), z.int(FIPS).min(1_000, FIPS).max(99_999, FIPS)], FIPS)
  .transform(Number);

const ZIP = 'must be a 5-digit ZIP code';
/** As a number without leading zeros, like the column. */
export const zipCode = z
  .union([z.string().regex(/^[0-9]{5}$/, ZIP), z.int(ZIP).min(1, ZIP).max(99_999, ZIP)], ZIP)
  .transform(Number);

const DAY = 'must be a day, YYYYMMDD';
/** A calendar day as YYYY-MM-DD. */
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
  /** SQL of the value to compare. */
  column: string;
  /** Decimals that are shown. Bounds are compared with the rounded value. */
  shown?: number;
  /** The same for an indexed column: half a unit of the last decimal shown. */
  slack?: number;
  type: 'number' | 'integer' | 'date';
  unit?: string;
  on?: Filter['on'];
  /** Without a period, because "at least" or "at most" follows. */
  description: string;
};

const SQL_TYPES = { number: 'float8', integer: 'bigint', date: 'date' };

/** Declares `<name>_min` and `<name>_max`, both inclusive. */
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
      description: `${description}: ${words}, inclusive.`,
      range: { of: name, bound },
      schema,
      on,
      where: (value: number | string, { bind }) =>
        shown === undefined
          ? `${column} ${operator} ${bind(typeof value === 'string' ? value : value + (operator === '>=' ? -slack : slack))}::${SQL_TYPES[type]}`
          : `round(${column}::numeric, ${shown}) ${operator} ${bind(value)}::numeric`,
    });
  return type === 'date'
    ? [side('min', '>=', 'the earliest'), side('max', '<=', 'the latest')]
    : [side('min', '>=', 'at least'), side('max', '<=', 'at most')];
}

/** Matches any value of a list, ignoring case. */
export function anyOfFilter(name: string, label: string, column: string, description: string): Filter {
  return defineFilter({
    name,
    label,
    type: 'list of strings',
    description: `${description}, any of these; the whole text, in any case.`,
    schema: listOf(code),
    on: 'p',
    where: (values, { bind }) =>
      `upper(${column}) = any (array(select upper(v) from unnest(${bind(values)}::text[]) v))`,
  });
}

/** Matches the whole text, ignoring case. */
export function equalsFilter(name: string, label: string, column: string, description: string): Filter {
  return defineFilter({
    name,
    label,
    type: 'string',
    description: `${description}; the whole text, in any case.`,
    schema: line,
    on: 'p',
    where: (value, { bind }) => `upper(${column}) = upper(${bind(value)}::text)`,
  });
}

export const booleanValue = z.boolean('must be true or false');

/** true and false both filter. */
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

/** true applies `predicate`, false has no effect. */
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
    description: `${description} false has no effect.`,
    flag: true,
    schema: booleanValue,
    on: 'f',
    where: value => (value ? predicate : undefined),
  });
}
