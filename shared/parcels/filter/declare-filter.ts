import { z } from 'zod';
import type { Need } from '../../model/loaded-data.ts';
import type { FieldGroup, ParcelField } from '../../model/parcel-fields.ts';

/**
 * The row_versions that were committed after something: from the first on, but for those committed before
 * it.
 */
export type VersionsSince = { first: number | null; before: readonly number[] };

/** What the predicates of one request share. */
export type FilterContext = {
  /** Makes a parameter of a value and gives its name, such as `:v3`. */
  bind(value: unknown): string;
  body: FilterBody;
  /** The moment that months and years are counted from. */
  asOf: Date;
  /** Looked up before: the owner of owner_parcel_id, and the counties of what is asked for. */
  owner?: { keys: readonly string[]; counties: readonly number[] };
  list?: { counties: readonly number[] };
  since?: VersionsSince;
};

export type FilterBody = Readonly<Record<string, unknown>>;

/**
 * One field of the filter body: schema, GET filters/, OpenAPI and SQL are made of it. `f` is
 * parcel_filters, `p` parcels, `v` valuations.
 */
export type Filter<Value = never> = {
  name: string;
  type: 'number' | 'integer' | 'string' | 'boolean' | 'date' | 'list of strings' | 'geometry';
  unit?: string;
  description: string;
  /** What people read on pages; both bounds of a range have the same. */
  label: string;
  group?: FieldGroup;
  /** What has to be loaded for it to match anything; absent where every county has that. */
  needs?: Need;
  /** The field of the roll that it is made of. */
  field?: ParcelField;
  values?: readonly (string | number)[];
  /** What an absent field means, where that is a value. */
  default?: string | boolean;
  /** One of these must be given. */
  scope?: true;
  /** Only true filters. */
  flag?: true;
  /** `min` and `max` of the same range. */
  range?: { of: string; bound: 'min' | 'max' };
  schema: z.ZodType;
  /** The field that it reads, if it keeps parcels for which that is unknown; one that `known` accepts. */
  keepsUnknown?: string;
  /** The table that the predicate reads; `all`: it names a county, which narrows each of them. */
  on: 'f' | 'p' | 'v' | 'all';
  /** Absent: another filter, or the program, reads the field. Undefined: the value has no effect. */
  where?(value: Value, context: FilterContext): string | undefined;
};

const BOUND = /_(min|max)$/;

/** What a form calls a filter; of a bound with the side that it is: "Acres, at least". */
export function labelOf({ name, label }: Pick<Filter, 'name' | 'label'>): string {
  const bound = BOUND.exec(name)?.[1];
  return bound === undefined ? label : `${label}, ${bound === 'min' ? 'at least' : 'at most'}`;
}

/** Lets the compiler check a predicate against its own schema. */
export function defineFilter<Schema extends z.ZodType>(
  declared: Omit<Filter<z.output<Schema>>, 'schema'> & { schema: Schema },
): Filter {
  return declared as unknown as Filter;
}

const MAX_LIST_LENGTH = 1_000;

/** PostgreSQL's text holds no NUL. */
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
/** A code of a county or a deed: text, though some consist of digits. */
const code = z.union([line, z.int(CODE)], CODE).transform(String);

const FIPS = 'must be a county FIPS code: 5 digits, the leading zero may be missing';
export const fipsCode = z
  .union([z.string().regex(/^[0-9]{4,5}$/, FIPS), z.int(FIPS).min(1_000, FIPS).max(99_999, FIPS)], FIPS)
  .transform(Number);

const ZIP = 'must be a 5-digit ZIP code';
/** As a number, which has lost the leading zeros; so is the column. */
export const zipCode = z
  .union([z.string().regex(/^[0-9]{5}$/, ZIP), z.int(ZIP).min(1, ZIP).max(99_999, ZIP)], ZIP)
  .transform(Number);

const DAY = 'must be a day, YYYYMMDD';
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
  /** What is compared, as SQL. */
  column: string;
  /** Decimals to which it is rounded when it is shown: bounds are compared with what is shown. */
  shown?: number;
  /** The same for a column with an index: half a unit of the last decimal that is shown. */
  slack?: number;
  type: 'number' | 'integer' | 'date';
  unit?: string;
  on?: Filter['on'];
  /** Without a full stop: "at least" or "at most" follows. */
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

/** Any of a list, compared as whole text without regard to case. */
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

/** The whole text without regard to case. */
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

/** true filters by `predicate`, false has no effect. */
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
