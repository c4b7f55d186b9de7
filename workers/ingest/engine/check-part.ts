import type { Position } from '../../../shared/geo/geometry-types.ts';
import type { Input } from '../../../shared/model/feed-kinds.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import { alternatives, fieldTarget, type RowFields, sourceColumns } from '../../feeds/feed-columns.ts';
import { type Notation, newNotation, noteNotation } from '../../feeds/values/number-notation.ts';
import { displayValue, tidyText } from '../../feeds/values/text-value.ts';
import type { TargetSpec } from '../../feeds/values/value-parser.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import { isTooDeep, type SourceRow, TOO_DEEP } from '../../formats/row-batch.ts';
import { type CompiledColumn, compileColumn } from './map-column.ts';
import type { MappedRow, Mapper } from './map-fields.ts';
import { columnsOf, type Resolve, resolver } from './source-columns.ts';
import { shortRow } from './stage-rows.ts';

export type Fault = {
  field: string | null;
  reason: string;
  count: number;
  rowNo: number;
  message: string;
};

export type ColumnCheck = {
  /** The field, and its unit if it has one. */
  target: string;
  unit: string | null;
  /** The source columns mapped to the field. Empty for a fixed value. */
  from: string[];
  /** Whether the mapping is optional or from a preset, and its columns are missing from the source. */
  absent: boolean;
  filled: number;
  /** Up to three different values, as in the source and as mapped. */
  samples: { in: string; out: string }[];
};

export type PartCheck = {
  /** 'roll 2', and so on, for additional rolls. */
  part: Exclude<Input, 'elevation'> | `roll ${number}`;
  source: string;
  format: string;
  /** Number of rows read, including those that the parser could not use. */
  rows: number;
  whole: boolean;
  /** Rows that would become a parcel or a listing. For a land layer, features that aren't ignored. */
  usable: number;
  skipped: number;
  /** Number of comps, and of sales that are not comps because one deed covers several parcels. */
  sales: number;
  multiParcel: number;
  /** Only for rolls. Otherwise, null. */
  priced: PricedSales | null;
  withGeometry: number;
  classes: { counting: Record<string, number>; notCounting: Record<string, number> } | null;
  columns: ColumnCheck[];
  unmapped: { column: string; filled: number; sample: string }[];
  unfilled: string[];
  rejected: Fault[];
  dropped: Fault[];
};

/** Number of rows with a sale date and a price that is more than nominal, whether or not they are comps. */
export type PricedSales = { rows: number; vacant: number; codes: Record<string, number> };

/**
 * The parts of a mapped row other than its values: a parcel's key and county, or a feature's class and label.
 */
export type RowFacts = {
  key?: string;
  fips?: number;
  class?: string | null;
  called?: string | null;
  at?: Position | null;
  label?: string;
};

export type GeometryFault = { reason: string; message: string; refuses: boolean };

/** What a kind of feed records about the rows of a part, in addition to the common counts. */
export type RowNotes<Mapped extends MappedRow = MappedRow & RowFacts> = {
  /** Called for every row that is mapped. */
  mapped?(row: SourceRow, mapped: MappedRow): void;
  /** Called for every row that is used, or counted as ignored. */
  used?(row: SourceRow, mapped: Mapped): void;
  /** @param doubtful warnings about values, to combine with the kind's own */
  warnings?(doubtful: readonly string[]): string[];
  finish?(): void;
};

export type Mapping = {
  fields: RowFields;
  columns: Partial<Record<string, ColumnSpec>>;
  map: Mapper<MappedRow & RowFacts>;
  place?: (row: SourceRow, mapped: RowFacts) => GeometryFault | null;
  notes?: (part: PartCheck) => RowNotes;
};

const SAMPLES = 3;

export type OpenPart = {
  check: PartCheck;
  mapping: Mapping;
  notes: RowNotes;
  onKey(key: string): unknown;
  compiled: Compiled[];
  fills: Fills;
  doubtful: ReturnType<typeof doubtfulText>;
  resolve: Resolve;
};

/** `onKey` receives the parcels' keys. @throws PlatError `feed_mapping` if a column is missing */
export function openPart(
  part: PartCheck['part'],
  { source, format }: InputSpec,
  mapping: Mapping,
  firstRows: readonly SourceRow[],
  onKey: (key: string) => unknown,
): OpenPart {
  mapping.map.prepare(firstRows);
  const available = columnsOf(firstRows);
  const resolve = resolver(available);
  const compiled = compileColumns(mapping, resolve);
  const check: PartCheck = {
    part,
    source: [source].flat().join(', '),
    format,
    rows: 0,
    whole: true,
    usable: 0,
    skipped: 0,
    sales: 0,
    multiParcel: 0,
    priced: null,
    withGeometry: 0,
    classes: null,
    columns: compiled.map(({ column }) => column),
    unmapped: [],
    unfilled: mapping.fields.names.filter(name => mapping.columns[name] === undefined),
    rejected: [],
    dropped: [],
  };
  const notes = mapping.notes?.(check) ?? {};
  const fills = new Map(available.map(column => [column, { filled: 0, sample: '' }]));
  return { check, mapping, notes, onKey, compiled, fills, doubtful: doubtfulText(), resolve };
}

export function addRow(part: OpenPart, row: SourceRow): void {
  const { check } = part;
  check.rows++;
  try {
    judge(part, row);
  } catch (error) {
    if (!(error instanceof RangeError && isTooDeep(row))) throw error;
    countFault(check.rejected, row.rowNo, TOO_DEEP);
  }
}

/** Warnings about likely mistakes, such as features that become one parcel because their key is a word. */
export function warningsOf({ check, notes, doubtful }: OpenPart): string[] {
  const ofValues = doubtful.warnings(check.part);
  return notes.warnings?.(ofValues) ?? ofValues;
}

/** Faults by frequency, and the source columns that no field, key, or condition reads. */
export function finishPart({ check, mapping, notes, fills, resolve }: OpenPart, whole: boolean): PartCheck {
  const read = new Set(mapping.map.mentions.map(({ column }) => resolve(column)));
  const unread = [...fills].filter(([column]) => !read.has(column));
  for (const faults of [check.rejected, check.dropped]) faults.sort((a, b) => b.count - a.count);
  notes.finish?.();
  return { ...check, whole, unmapped: unread.map(([column, fill]) => ({ column, ...fill })) };
}

function judge(part: OpenPart, row: SourceRow): void {
  const { check, notes, fills, onKey } = part;
  const { map, place } = part.mapping;
  countFills(fills, row.values);
  const mapped = map(row);
  if (row.geometry !== null) check.withGeometry++;
  if (!mapped.ok) {
    if (mapped.reason === 'skipped') check.skipped++;
    else countFault(check.rejected, row.rowNo, mapped);
    return;
  }
  notes.mapped?.(row, mapped);
  const misplaced = place?.(row, mapped);
  if (misplaced) {
    if (isTooDeep(row)) throw new RangeError(TOO_DEEP.message);
    const faults = misplaced.refuses ? check.rejected : check.dropped;
    countFault(faults, row.rowNo, { field: 'geometry', ...misplaced });
    if (misplaced.refuses) return;
  }
  // Only features of land layers have a class. It is null for features that are ignored.
  if (mapped.class !== null) check.usable++;
  notes.used?.(row, mapped);
  if (mapped.key !== undefined) onKey(mapped.key);
  if (row.short !== undefined) countFault(check.dropped, row.rowNo, shortRow(row.short));
  for (const fault of mapped.dropped ?? []) countFault(check.dropped, row.rowNo, fault);
  noteValues(part, row, mapped);
}

function noteValues({ compiled, doubtful }: OpenPart, row: SourceRow, { values }: MappedRow): void {
  for (const { column, read, index, spec } of compiled) {
    if (read === null) continue;
    if (spec !== null) doubtful.note(column.target, spec, read.raw(row.values));
    const out = values[index] ?? null;
    if (out === null) continue;
    column.filled++;
    const sample = { in: displayValue(read.raw(row.values)), out: displayValue(out) };
    if (column.samples.length < SAMPLES && column.samples.every(other => other.in !== sample.in))
      column.samples.push(sample);
  }
}

/** `spec` is null if the column declares its number format. */
type Compiled = { column: ColumnCheck; read: CompiledColumn | null; index: number; spec: TargetSpec | null };

function compileColumns({ fields, columns }: Mapping, resolve: Resolve): Compiled[] {
  return fields.names.flatMap((name, index) => {
    const mapped = columns[name];
    if (!mapped) return [];
    const target = fieldTarget(fields, name);
    const { spec } = target;
    const read = compileColumn(target, mapped, resolve);
    const from = sourceColumns(mapped).map(column => resolve(column) ?? column);
    const found = { unit: spec.unit ?? null, from, absent: read === null, filled: 0, samples: [] };
    const isDeclared = alternatives(mapped).some(way => way.decimal !== undefined);
    return [{ column: { target: name, ...found }, read, index, spec: isDeclared ? null : spec }];
  });
}

/** Reports an error that prevents reading a source as a problem with the feed. */
export function addProblem(problems: string[], part: string, error: unknown): void {
  if (!(error instanceof PlatError)) throw error;
  problems.push(...error.message.split('\n').map(line => `${part}: ${line}`));
}

export function countFault(faults: Fault[], rowNo: number, fault: Omit<Fault, 'count' | 'rowNo'>): void {
  const { field, reason, message } = fault;
  const existing = faults.find(each => each.field === field && each.reason === reason);
  if (existing) existing.count++;
  else faults.push({ field, reason, count: 1, rowNo, message });
}

type Fills = Map<string, { filled: number; sample: string }>;

function countFills(fills: Fills, values: Record<string, unknown>): void {
  for (const column in values) {
    const text = tidyText(values[column]);
    const fill = fills.get(column);
    if (text === null || fill === undefined) continue;
    if (fill.filled++ === 0) fill.sample = displayValue(text);
  }
}

/**
 * UTF-8 that was read as Latin-1 (Ã‘ for Ñ), and the replacement character for bytes that could not be
 * decoded.
 */
const MISREAD =
  /[ÃÂ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2044\u20ac\u2122]|â€|\ufffd/;

const NUMERIC = new Set<TargetSpec['type']>(['number', 'money', 'integer', 'degrees']);

type Noted = { notation: Notation; isMoney: boolean; misread: number; example: string | null };

/** Values that Plat can read but may misread: numbers with a decimal comma, and text in another encoding. */
function doubtfulText() {
  const columns = new Map<string, Noted>();
  return {
    note(column: string, spec: TargetSpec, raw: unknown): void {
      if (typeof raw !== 'string') return;
      const noted = columns.get(column) ?? newNoted(spec);
      columns.set(column, noted);
      if (NUMERIC.has(spec.type)) noteNotation(noted.notation, raw);
      else if (MISREAD.test(raw)) {
        noted.misread++;
        noted.example ??= raw;
      }
    },
    warnings(part: string): string[] {
      const all = [...columns];
      const isEuropean = all.some(([, { notation }]) => notation.comma > 0 && notation.point === 0);
      return all.flatMap(([column, noted]) => [
        ...notationWarning(part, column, noted, isEuropean),
        ...misreadWarning(part, column, noted),
      ]);
    },
  };
}

const newNoted = ({ type, unit }: TargetSpec): Noted => ({
  notation: newNotation(),
  isMoney: type === 'money' || unit === 'USD',
  misread: 0,
  example: null,
});

function notationWarning(
  part: string,
  column: string,
  { notation: { comma, either, point, example }, isMoney }: Noted,
  isEuropean: boolean,
): string[] {
  if (comma + either === 0 || point > 0 || (comma === 0 && !isMoney && !isEuropean)) return [];
  const what =
    comma > 0 ? 'use a decimal comma, or points between thousands' : 'may use points between thousands';
  return [
    `${part}: ${comma + either} numbers for ${column} ${what}, such as ${displayValue(example)}. If 51.000 means fifty-one thousand, set decimal: "," for ${column}.`,
  ];
}

function misreadWarning(part: string, column: string, { misread, example }: Noted): string[] {
  if (misread === 0) return [];
  return [
    `${part}: ${misread} texts for ${column} seem to have the wrong encoding, such as ${displayValue(example)}. Set "encoding" to the encoding of the file, such as utf-8 or windows-1252.`,
  ];
}

/** Few parcels have this many parts. Roads or common land do, if they share a word as their key. */
const MANY_PARTS = 10;

/** Features by key, for keys without digits other than 0, such as "NA". They often mean "no parcel". */
export function wordKeys() {
  const features = new Map<string, number>();
  return {
    note({ geometry }: SourceRow, key: string): void {
      if (geometry === null || /[1-9]/.test(key)) return;
      features.set(key, (features.get(key) ?? 0) + 1);
    },
    warnings: (part: string): string[] =>
      [...features]
        .filter(([, count]) => count >= MANY_PARTS)
        .map(
          ([key, count]) =>
            `${part}: ${count} features share the key ${key} and become one parcel. If this key means "no parcel", skip them with ${part}.skip_where.`,
        ),
  };
}
