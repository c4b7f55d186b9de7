import { PlatError } from '../../../shared/errors.ts';
import type { Input } from '../../../shared/runs.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import { sourceColumns } from '../../feeds/columns.ts';
import { FIELD_NAMES, type MappedKind, targetSpec } from '../../feeds/definition.ts';
import { shown, tidyText } from '../../feeds/values/text.ts';
import type { InputSpec } from '../../formats/input.ts';
import { type BadRow, isTooDeep, type SourceRow, TOO_DEEP } from '../../formats/rows.ts';
import { type CompiledColumn, compileColumn } from '../map/column.ts';
import type { MappedRow, Mapper } from '../map/fields.ts';
import { columnsOf, type Resolve, resolver } from '../map/names.ts';
import { bumpClass, newClasses } from '../run/counts.ts';

export type Fault = {
  field: string | null;
  reason: string;
  count: number;
  rowNo: number;
  message: string;
};

export type ColumnCheck = {
  /** Our field, and its unit where it has one. */
  target: string;
  unit: string | null;
  /** The source's columns that feed it; empty for a fixed value. */
  from: string[];
  /** Of a preset or marked optional, and the source lacks it. */
  absent: boolean;
  filled: number;
  /** Up to three different values, as the source has them and as they come out. */
  samples: { in: string; out: string }[];
};

export type PartCheck = {
  /** 'roll 2' and so on of further rolls. */
  part: Exclude<Input, 'elevation'> | `roll ${number}`;
  source: string;
  format: string;
  /** Rows looked at, those that the parser itself could not use included. */
  rows: number;
  whole: boolean;
  /** Rows that a parcel or a listing would be made of; of a land layer, features that count. */
  usable: number;
  skipped: number;
  sales: number;
  withGeometry: number;
  classes: { counting: Record<string, number>; notCounting: Record<string, number> } | null;
  columns: ColumnCheck[];
  unmapped: { column: string; filled: number; sample: string }[];
  unfilled: string[];
  rejected: Fault[];
  dropped: Fault[];
};

/** What is known of a mapped row beside its values: of a parcel key, county and sale; of a feature class and label. */
export type RowFacts = {
  key?: string;
  fips?: number;
  sale?: boolean;
  prior?: unknown[] | null;
  class?: string | null;
  label?: string;
};

export type GeometryFault = { reason: string; message: string; refuses: boolean };

export type Mapping = {
  kind: MappedKind;
  columns: Partial<Record<string, ColumnSpec>>;
  map: Mapper<MappedRow & RowFacts>;
  place?: (row: SourceRow, mapped: RowFacts) => GeometryFault | null;
};

export type PartState = {
  check: PartCheck;
  mapping: Mapping;
  compiled: { column: ColumnCheck; read: CompiledColumn | null; index: number }[];
  /** How many rows fill each column of the source, and with what first. */
  fills: Map<string, { filled: number; sample: string }>;
  /** Features by key, of keys without a digit but 0, such as "NA": they often stand for no parcel. */
  wordKeys: Map<string, number>;
};

const SAMPLES = 3;

/** @throws PlatError `feed_mapping` when the source lacks a column that the feed names */
export function newPartCheck(
  part: PartCheck['part'],
  { source, format }: InputSpec,
  mapping: Mapping,
  firstRows: readonly SourceRow[],
): PartState {
  mapping.map.prepare(firstRows);
  const available = columnsOf(firstRows);
  const compiled = compileColumns(mapping, resolver(available));
  const check: PartCheck = {
    part,
    source: [source].flat().join(', '),
    format,
    rows: 0,
    whole: true,
    usable: 0,
    skipped: 0,
    sales: 0,
    withGeometry: 0,
    classes: part === 'layer' ? { counting: newClasses(), notCounting: newClasses() } : null,
    columns: compiled.map(({ column }) => column),
    unmapped: [],
    unfilled: FIELD_NAMES[mapping.kind].filter(name => mapping.columns[name] === undefined),
    rejected: [],
    dropped: [],
  };
  const fills = new Map(available.map(column => [column, { filled: 0, sample: '' }]));
  return { check, mapping, compiled, fills, wordKeys: new Map() };
}

function compileColumns({ kind, columns }: Mapping, resolve: Resolve): PartState['compiled'] {
  return FIELD_NAMES[kind].flatMap((name, index) => {
    const mapped = columns[name];
    if (!mapped) return [];
    const spec = targetSpec(kind, name);
    const read = compileColumn({ name, spec }, mapped, resolve);
    const from = sourceColumns(mapped).map(column => resolve(column) ?? column);
    const found = { unit: spec.unit ?? null, from, absent: read === null, filled: 0, samples: [] };
    return [{ column: { target: name, ...found }, read, index }];
  });
}

export function addRow(state: PartState, row: SourceRow, onKey: (key: string) => unknown): void {
  state.check.rows++;
  try {
    judgeRow(state, row, onKey);
  } catch (error) {
    if (!(error instanceof RangeError && isTooDeep(row))) throw error;
    count(state.check.rejected, row.rowNo, TOO_DEEP);
  }
}

function judgeRow(state: PartState, row: SourceRow, onKey: (key: string) => unknown): void {
  const { check, mapping } = state;
  if (row.geometry !== null) check.withGeometry++;
  countFills(state.fills, row.values);
  const mapped = mapping.map(row);
  if (!mapped.ok) {
    if (mapped.reason === 'skipped') check.skipped++;
    else count(check.rejected, row.rowNo, mapped);
    return;
  }
  const misplaced = mapping.place?.(row, mapped) ?? null;
  if (misplaced) {
    if (isTooDeep(row)) throw new RangeError(TOO_DEEP.message);
    const faults = misplaced.refuses ? check.rejected : check.dropped;
    count(faults, row.rowNo, { field: 'geometry', ...misplaced });
    if (misplaced.refuses) return;
  }
  // Only features of land layers have a class, which is null where they do not count.
  if (mapped.class !== null) check.usable++;
  check.sales += (mapped.sale ? 1 : 0) + (mapped.prior?.length ?? 0);
  if (check.classes && mapped.label !== undefined)
    bumpClass(check.classes[mapped.class === null ? 'notCounting' : 'counting'], mapped.label);
  if (mapped.key !== undefined) onKey(mapped.key);
  if (mapped.key !== undefined && row.geometry !== null && !/[1-9]/.test(mapped.key))
    state.wordKeys.set(mapped.key, (state.wordKeys.get(mapped.key) ?? 0) + 1);
  for (const fault of mapped.dropped ?? []) count(check.dropped, row.rowNo, fault);
  for (const { column, read, index } of state.compiled) {
    const out = mapped.values[index] ?? null;
    if (out !== null && read !== null) addSample(column, shown(read.raw(row.values)), shown(out));
  }
}

export function addKey({ map }: Mapping, row: SourceRow, onKey: (key: string) => unknown): void {
  const mapped = map(row);
  if (mapped.ok && mapped.key !== undefined) onKey(mapped.key);
}

export function addBadRow({ check }: PartState, bad: BadRow): void {
  check.rows++;
  count(check.rejected, bad.rowNo, bad);
}

export function addSkipped({ check }: PartState, rows: number): void {
  check.rows += rows;
  check.skipped += rows;
}

export function finishPart({ check, mapping, fills }: PartState): PartCheck {
  const resolve = resolver([...fills.keys()]);
  const read = new Set(mapping.map.mentions.map(({ column }) => resolve(column)));
  const unread = [...fills].filter(([column]) => !read.has(column));
  const byCount = (faults: Fault[]) => faults.sort((a, b) => b.count - a.count);
  return {
    ...check,
    unmapped: unread.map(([column, fill]) => ({ column, ...fill })),
    rejected: byCount(check.rejected),
    dropped: byCount(check.dropped),
  };
}

/** A parcel in as many parts is rare; lots of a common owner or a road that share a word for a key are not. */
const MANY_PARTS = 10;

/** What may not be meant: features that become one parcel because a word stands where a key should. */
export function keyWarnings({ check, wordKeys }: PartState): string[] {
  return [...wordKeys]
    .filter(([, features]) => features >= MANY_PARTS)
    .map(
      ([key, features]) =>
        `${check.part}: the key ${key} stands on ${features} features, which become one parcel. If it means that there is none, leave them out with ${check.part}.skip_where.`,
    );
}

function addSample(column: ColumnCheck, raw: string, out: string): void {
  column.filled++;
  if (column.samples.length >= SAMPLES || column.samples.some(other => other.in === raw)) return;
  column.samples.push({ in: raw, out });
}

/** Notes what keeps a source from being read as a problem of the feed. @throws any other error */
export function noteProblem(problems: string[], part: string, error: unknown): void {
  if (!(error instanceof PlatError)) throw error;
  problems.push(...error.message.split('\n').map(line => `${part}: ${line}`));
}

export function count(faults: Fault[], rowNo: number, fault: Omit<Fault, 'count' | 'rowNo'>): void {
  const { field, reason, message } = fault;
  const known = faults.find(each => each.field === field && each.reason === reason);
  if (known) known.count++;
  else faults.push({ field, reason, count: 1, rowNo, message });
}

function countFills(fills: PartState['fills'], values: Record<string, unknown>): void {
  for (const column in values) {
    const text = tidyText(values[column]);
    const fill = fills.get(column);
    if (text === null || fill === undefined) continue;
    if (fill.filled++ === 0) fill.sample = shown(text);
  }
}
