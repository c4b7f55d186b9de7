import { SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import { SQ_FT_PER_ACRE } from '../../../shared/model/buckets.ts';
import type { AreaUnit, ColumnSpec, PlainColumn } from '../../feeds/column-schema.ts';
import { alternatives, type FieldTarget, recodes } from '../../feeds/feed-columns.ts';
import { splitAddress } from '../../feeds/values/address-value.ts';
import { decimalPoint } from '../../feeds/values/number-notation.ts';
import { acres, floorArea, parseNumber } from '../../feeds/values/number-value.ts';
import { parseFipsParts } from '../../feeds/values/place-value.ts';
import { FAILURES, type Failure, isFailure, tidySpaces, tidyText } from '../../feeds/values/text-value.ts';
import { fieldParser, type Parser, type Value } from '../../feeds/values/value-parser.ts';
import type { Resolve } from './source-columns.ts';

type Values = Record<string, unknown>;

export type CompiledColumn = {
  read(values: Values): Value | Failure;
  raw(values: Values): unknown;
};

/** @returns null if the column is optional and missing from the source */
export function compileColumn(
  target: FieldTarget,
  spec: ColumnSpec,
  resolve: Resolve,
): CompiledColumn | null {
  const ways = alternatives(spec)
    .map(way => compileWay(target, way, resolve))
    .filter(way => way !== null);
  if (ways.length <= 1) return ways[0] ?? null;
  return { read: values => firstOf(ways, values), raw: values => rawOfFirst(ways, values) };
}

/**
 * The value of the first column that has one. If none has, returns the first error, so that it is reported.
 */
function firstOf(ways: readonly CompiledColumn[], values: Values): Value | Failure {
  let fault: Failure | null = null;
  for (const way of ways) {
    const value = way.read(values);
    if (value === null) continue;
    if (!isFailure(value)) return value;
    fault ??= value;
  }
  return fault;
}

const rawOfFirst = (ways: readonly CompiledColumn[], values: Values): unknown =>
  (ways.find(way => way.read(values) !== null) ?? ways[0])?.raw(values);

function compileWay(target: FieldTarget, way: PlainColumn, resolve: Resolve): CompiledColumn | null {
  // Dates and building years can be up to the end of next year.
  const lastYear = new Date().getUTCFullYear() + 1;
  const { scale, date } = way;
  const parse = fieldParser(target.name, target.spec, { scale, date, lastYear });
  if (way.value !== undefined) {
    const value = parse(way.value);
    return { read: () => value, raw: () => way.value };
  }
  const getters = (way.columns ?? [way.column!])
    .map(name => getter(name, resolve))
    .filter(get => get !== null);
  if (getters.length === 0) return null;
  const raw = together(getters, way);
  const input = way.decimal === ',' ? together(getters.map(withDecimalComma), way) : raw;
  if (target.spec.type === 'fips' && way.columns?.length === 2 && way.join === undefined) {
    const [state, county] = getters;
    return { raw, read: values => parseFipsParts(state?.(values), county?.(values)) };
  }
  if (way.unit !== undefined) return { raw, read: areaReader(target, way, input, resolve) };
  const recode = recodes(way) ? recoder(way, parse) : parse;
  const { part } = way;
  if (part !== undefined) return { raw, read: values => recode(splitAddress(raw(values))[part]) };
  const isCell = way.column !== undefined && way.decimal === undefined && !way.column.includes('[].');
  const plain = isCell ? resolve(way.column!) : null;
  // Shortcut for the vast majority of columns, which saves one call per value.
  if (plain !== null) return { raw, read: values => recode(values[plain]) };
  return { raw, read: values => recode(input(values)) };
}

type Getter = (values: Values) => unknown;

function getter(name: string, resolve: Resolve): Getter | null {
  const column = resolve(name);
  if (column === null) return null;
  const list = name.indexOf('[].');
  if (list < 0) return values => values[column];
  const property = name.slice(list + 3);
  return values => pluck(values[column], property);
}

/**
 * One property of each list entry. RESO Media are sorted by Order and limited to photographs (MediaCategory).
 */
function pluck(list: unknown, property: string): unknown {
  if (!Array.isArray(list)) return null;
  const entries = list.filter((entry): entry is Values => typeof entry === 'object' && entry !== null);
  const wanted = entries.filter(
    entry => entry.MediaCategory == null || /photo|image/i.test(String(entry.MediaCategory)),
  );
  if (wanted.every(entry => typeof entry.Order === 'number'))
    wanted.sort((a, b) => Number(a.Order) - Number(b.Order));
  return wanted.map(entry => entry[property]);
}

function together(getters: readonly Getter[], { sum, join = ' ' }: PlainColumn): Getter {
  if (sum) return summed(getters);
  return getters.length === 1 ? getters[0]! : joined(getters, join);
}

const withDecimalComma =
  (get: Getter): Getter =>
  values =>
    decimalPoint(get(values));

function joined(getters: readonly Getter[], separator: string): Getter {
  return values => {
    let text = '';
    for (const get of getters) {
      const part = tidyText(get(values));
      if (part !== null) text = text === '' ? part : text + separator + part;
    }
    return text;
  };
}

/** The sum, or null if all are empty. Returns the first text that is not a number, so that it is reported. */
function summed(getters: readonly Getter[]): Getter {
  return values => {
    let sum: number | null = null;
    for (const get of getters) {
      const raw = get(values);
      const number = parseNumber(raw);
      if (isFailure(number)) return raw;
      if (number !== null) sum = (sum ?? 0) + number;
    }
    return sum;
  };
}

/** `values`, `contains`, `ranges`, and `otherwise`. Their results were checked when the feed was loaded. */
function recoder(way: PlainColumn, parse: Parser): Parser {
  const table = new Map<string, Value | Failure>();
  for (const [text, value] of Object.entries(way.values ?? {}))
    table.set(tidySpaces(text).toUpperCase(), parse(value));
  const parts = Object.entries(way.contains ?? {}).map(
    ([part, value]) => [part.trim().toUpperCase(), parse(value)] as const,
  );
  const ranges = (way.ranges ?? []).map(({ below = Infinity, value }) => ({ below, value: parse(value) }));
  const otherwise = way.otherwise === undefined ? undefined : parse(way.otherwise);
  return raw => {
    const text = (typeof raw === 'string' ? tidySpaces(raw) : (tidyText(raw) ?? '')).toUpperCase();
    const value = table.get(text);
    if (value !== undefined) return value;
    if (table.has('') && tidyText(raw) === null) return table.get('')!;
    const part = parts.find(([known]) => text.includes(known));
    if (part) return part[1];
    const number = ranges.length === 0 ? null : parseNumber(raw);
    const range = typeof number === 'number' && ranges.find(({ below }) => number < below);
    if (range) return range.value;
    return otherwise === undefined ? parse(raw) : otherwise;
  };
}

function areaReader(
  target: FieldTarget,
  way: PlainColumn,
  input: Getter,
  resolve: Resolve,
): CompiledColumn['read'] {
  const inAcres = target.spec.unit === 'acres';
  const check = inAcres ? acres : floorArea;
  const scale = way.scale ?? 1;
  const unit = way.unit!;
  const unitGetter = typeof unit === 'object' ? getter(unit.column, resolve) : null;
  const fixed = typeof unit === 'object' ? (unit.otherwise ?? 'acres') : unit;
  return values => {
    const area = parseNumber(input(values));
    if (typeof area !== 'number' || area === 0) return check(area);
    const stated = unitGetter === null ? fixed : unitOf(unitGetter(values), fixed);
    if (stated === null) return FAILURES.unknownUnit;
    return check(convertArea(area * scale, stated, inAcres ? 'acres' : 'square feet'));
  };
}

const HECTARES_PER_ACRE = 0.404_685_642_24;

/**
 * Divides instead of multiplying by a factor, because 10,890 square feet must be exactly 0.25 acres, where a
 * size bucket starts.
 */
export const TO_ACRES: Record<AreaUnit, (area: number) => number> = {
  acres: area => area,
  sqft: area => area / SQ_FT_PER_ACRE,
  sqm: area => area / SQ_M_PER_ACRE,
  hectares: area => area / HECTARES_PER_ACRE,
};

type AreaTarget = 'acres' | 'square feet';

function convertArea(area: number, unit: AreaUnit, target: AreaTarget): number {
  if (target === 'acres') return TO_ACRES[unit](area);
  return unit === 'sqft' ? area : TO_ACRES[unit](area) * SQ_FT_PER_ACRE;
}

const WORDS: Record<AreaUnit, string[]> = {
  acres: ['acres', 'acre', 'acs', 'ac', 'a'],
  sqft: ['sqft', 'squarefeet', 'squarefoot', 'sqfeet', 'sqfoot', 'sf', 'ft2', 'feet', 'usft'],
  sqm: ['sqm', 'squaremeters', 'squaremetres', 'squaremeter', 'sqmeters', 'm2'],
  hectares: ['hectares', 'hectare', 'ha'],
};
const UNITS = new Map(
  (Object.entries(WORDS) as [AreaUnit, string[]][]).flatMap(([unit, words]) =>
    words.map(word => [word, unit] as const),
  ),
);

/** The unit that a word means ('Square Feet', 'AC.'). Null for a word that isn't a unit. */
function unitOf(raw: unknown, whenEmpty: AreaUnit): AreaUnit | null {
  const text = tidyText(raw);
  return text === null ? whenEmpty : (UNITS.get(text.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? null);
}
