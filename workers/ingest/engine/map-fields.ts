import { MAX_CHARS } from '../../../shared/model/parcel-fields.ts';
import {
  type ColumnSpec,
  type Condition,
  columnsOfPart,
  type KeyPart,
  type KeySpec,
} from '../../feeds/column-schema.ts';
import type { SkipCondition } from '../../feeds/feed.ts';
import { fieldTarget, type RowFields } from '../../feeds/feed-columns.ts';
import { damageOf } from '../../feeds/values/key-value.ts';
import { parseNumber } from '../../feeds/values/number-value.ts';
import { displayValue, isFailure, mask, tidyText } from '../../feeds/values/text-value.ts';
import type { Value } from '../../feeds/values/value-parser.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import { type CompiledColumn, compileColumn } from './map-column.ts';
import {
  checkColumns,
  columnMentions,
  columnsOf,
  conditionMentions,
  type Mention,
  type Resolve,
  resolver,
} from './source-columns.ts';

/** A value that couldn't be used and became null, or (reason 'cut') a text that was truncated. */
export type DroppedValue = { field: string; reason: string; message: string };

/** A row that is rejected, or skipped by skip_where (reason 'skipped', which is counted separately). */
export type RejectedRow = { ok: false; field: string | null; reason: string; message: string };

export type MappedRow = { ok: true; values: Value[]; dropped: DroppedValue[] | null };

export const positionsOf = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>;

/**
 * Maps one row. `prepare` takes the first rows, finds the source's spelling of the column names, and throws
 * PlatError `feed_mapping` if a column is missing from the source. An unprepared mapper uses the spelling of
 * its first row and checks nothing.
 */
export type Mapper<Mapped> = {
  (row: SourceRow): Mapped | RejectedRow;
  prepare(firstRows: readonly SourceRow[]): void;
  readonly mentions: readonly Mention[];
};

type MappedInput = {
  columns: Partial<Record<string, ColumnSpec>>;
  skipWhere: readonly SkipCondition[];
};

type MapRow<Mapped> = (row: SourceRow) => Mapped | RejectedRow;

/** Skips the rows of `skip_where`. @param further columns that the feed names outside its mapping */
export function mapperOf<Mapped>(
  { columns: mapped, skipWhere }: MappedInput,
  compile: (resolve: Resolve) => MapRow<Mapped>,
  further: readonly Mention[] = [],
): Mapper<Mapped> {
  const mentions = [...further, ...columnMentions(mapped), ...conditionMentions('skip_where', skipWhere)];
  let compiled: MapRow<Mapped> | undefined;
  const prepared = (resolve: Resolve): MapRow<Mapped> => {
    const tests = skipWhere.map(condition => compileCondition(condition, resolve));
    const mapRow = compile(resolve);
    return row => (tests.some(test => test(row.values)) ? SKIPPED : mapRow(row));
  };
  const map = (row: SourceRow): Mapped | RejectedRow => {
    compiled ??= prepared(resolver(columnsOf([row]), { sparse: true }));
    return compiled(row);
  };
  const prepare = (firstRows: readonly SourceRow[]): void => {
    if (firstRows.length === 0) return;
    const columns = columnsOf(firstRows);
    checkColumns(mentions, columns);
    // If the first rows differ in their columns, later rows may have more columns.
    const sparse = firstRows.some(row => Object.keys(row.values).length < columns.length);
    compiled = prepared(resolver(columns, { sparse }));
  };
  return Object.assign(map, { prepare, mentions });
}

const SKIPPED: RejectedRow = { ok: false, field: null, reason: 'skipped', message: 'skipped by skip_where' };

export function rejectRow(field: string, reason: string, message: string): RejectedRow {
  return { ok: false, field, reason, message };
}

type Values = Record<string, unknown>;
type Test = (values: Values) => boolean;

const folded = (raw: unknown): string => tidyText(raw)?.toUpperCase() ?? '';

/** Compiles a condition. All of its tests must be true. A missing column is treated as an empty cell. */
export function compileCondition(condition: Condition, resolve: Resolve): Test {
  const column = resolve(condition.column) ?? condition.column;
  const tests: ((raw: unknown) => boolean)[] = [];
  const { equals, contains, min, max, present } = condition;
  if (condition.in) {
    const wanted = new Set(condition.in.map(folded));
    tests.push(raw => wanted.has(folded(raw)));
  }
  if (condition.not_in) {
    const unwanted = new Set(condition.not_in.map(folded));
    tests.push(raw => !unwanted.has(folded(raw)));
  }
  if (equals !== undefined) tests.push(raw => folded(raw) === folded(equals));
  if (contains !== undefined) tests.push(raw => folded(raw).includes(folded(contains)));
  if (present !== undefined) tests.push(raw => (folded(raw) !== '') === present);
  if (min !== undefined || max !== undefined) tests.push(raw => within(parseNumber(raw), min, max));
  return values => tests.every(test => test(values[column]));
}

const within = (value: unknown, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean =>
  typeof value === 'number' && value >= min && value <= max;

/** The text without half of a surrogate pair at its end. */
const cut = (text: string, chars: number): string =>
  text
    .slice(0, chars)
    .replace(/\p{Cs}$/u, '')
    .trimEnd();

type Field = { index: number; name: string; maxChars: number; column: CompiledColumn };
type Fill = (source: Values) => MappedRow;

export function compileFill(
  rowFields: RowFields,
  columns: Partial<Record<string, ColumnSpec>>,
  resolve: Resolve,
): Fill {
  const { names, isPersonal } = rowFields;
  const show = isPersonal ? (raw: unknown) => mask(displayValue(raw)) : displayValue;
  const fields: Field[] = names.flatMap((name, index) => {
    const spec = columns[name];
    const target = fieldTarget(rowFields, name);
    const column = spec && compileColumn(target, spec, resolve);
    return column ? [{ index, name, maxChars: target.spec.maxChars ?? MAX_CHARS, column }] : [];
  });
  return source => {
    const values: Value[] = new Array(names.length).fill(null);
    let dropped: DroppedValue[] | null = null;
    for (const { index, name, maxChars, column } of fields) {
      const value = column.read(source);
      if (typeof value === 'string' && value.length > maxChars) {
        values[index] = cut(value, maxChars);
        dropped ??= [];
        const message = `'${show(value)}' has ${value.length} characters; those after the first ${maxChars} are cut off`;
        dropped.push({ field: name, reason: 'cut', message });
      } else if (isFailure(value)) {
        dropped ??= [];
        const message = `'${show(column.raw(source))}' ${value.says}`;
        dropped.push({ field: name, reason: value.reason, message });
      } else values[index] = value;
    }
    return { ok: true, values, dropped };
  };
}

export const TOTAL_LINE = rejectRow('key', 'skipped', 'a line of totals, not a parcel');

/** The key's texts joined, in upper case and without whitespace. Null if nothing remains. */
export function compileKey(
  spec: KeySpec,
  resolve: Resolve,
): (values: Record<string, unknown>) => string | null {
  const parts = spec.columns.map(part => compilePart(part, resolve));
  const { split } = spec;
  return values => {
    let key: string | null = null;
    for (const textOf of parts) {
      const text = textOf(values);
      if (split === undefined) key = append(key, text, spec);
      else for (const part of text.split(split)) key = append(key, part, spec);
    }
    return key !== null && hasContent(key, spec) ? key : null;
  };
}

/** Quickly rules out most keys with a single test, because few of them can be damaged. */
const MAY_BE_DAMAGED = /E\+?\d|-[A-Z]{3}|[A-Z]{3}-|:00/;

/** Rejects a row whose key a spreadsheet damaged, because other parcels may have the same damaged key. */
export function compileKeyCheck(
  spec: KeySpec,
  resolve: Resolve,
): (values: Record<string, unknown>, key: string) => RejectedRow | null {
  const columns = keyColumns(spec).map(name => resolve(name) ?? name);
  return (values, key) => {
    const mayBe = MAY_BE_DAMAGED.test(key);
    for (const column of columns) {
      const raw = values[column];
      if (!mayBe && !(raw instanceof Date)) continue;
      const text = tidyText(raw);
      const damage = text === null ? null : damageOf(text, raw);
      if (damage) return rejectRow('key', damage.reason, `'${displayValue(text)}' ${damage.says}`);
    }
    return null;
  };
}

export const keyColumns = ({ columns }: KeySpec): string[] => columns.flatMap(columnsOfPart);

function compilePart(part: KeyPart, resolve: Resolve): (values: Record<string, unknown>) => string {
  const columns = columnsOfPart(part).map(name => resolve(name) ?? name);
  const [only] = columns;
  if (typeof part === 'string') return values => keyText(values[only!]);
  return values => {
    const text = columns
      .map(column => keyText(values[column]))
      .filter(Boolean)
      .join(part.join ?? '');
    return part.strip_leading_zeros ? text.replace(LEADING_ZEROS, '') : text;
  };
}

function append(key: string | null, text: string, spec: KeySpec): string | null {
  const part =
    spec.strip_leading_zeros && text.charCodeAt(0) === ZERO ? text.replace(LEADING_ZEROS, '') : text;
  if (spec.drop_empty && (part === '' || ONLY_ZEROS.test(part))) return key;
  return key === null ? part : key + (spec.join ?? '-') + part;
}

/** Whether a key has more than the separators of its parts. */
function hasContent(key: string, spec: KeySpec): boolean {
  return (
    key !== '' && (spec.columns.length === 1 || key !== (spec.join ?? '-').repeat(spec.columns.length - 1))
  );
}

const ZERO = 48;
const LEADING_ZEROS = /^0+(?=.)/;
const ONLY_ZEROS = /^0+$/;

function keyText(raw: unknown): string {
  const text = tidyText(raw);
  if (text === null) return '';
  return (text.includes(' ') ? text.replaceAll(' ', '') : text).toUpperCase();
}
