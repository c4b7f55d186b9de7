import type { ColumnSpec } from '../../feeds/column-schema.ts';
import { sourceColumns } from '../../feeds/columns.ts';
import { type MappedKind, targetSpec } from '../../feeds/definition.ts';
import type { Input } from '../../feeds/feed.ts';
import type { Value } from '../../feeds/values/parser.ts';
import { shown, tidyText } from '../../feeds/values/text.ts';
import type { BadRow, InputSpec, SourceRow } from '../../formats/rows.ts';
import { type CompiledColumn, compileColumn } from '../map/column.ts';
import type { Mapper } from '../map/fields.ts';
import { columnsOf, resolver } from '../map/names.ts';
import { bumpClass, newClasses } from '../run/counts.ts';

export type Fault = {
  field: string | null;
  reason: string;
  count: number;
  /** Of the first of them. */
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
  /** Rows that got a value. */
  filled: number;
  /** Up to three different values, as the source has them and as they come out. */
  samples: { in: string; out: string }[];
};

export type PartCheck = {
  part: Exclude<Input, 'elevation'>;
  source: string;
  format: string;
  /** Rows looked at, those that the parser itself could not use included. */
  rows: number;
  /** Whether that is all of the source. */
  whole: boolean;
  /** Rows that a parcel or a listing would be made of; of a land layer, features that count. */
  usable: number;
  /** Left out by skip_where. */
  skipped: number;
  /** Whose last sale would become a comp. */
  sales: number;
  withGeometry: number;
  /** Land layers: features that count and that do not, by class. */
  classes: { counting: Record<string, number>; notCounting: Record<string, number> } | null;
  columns: ColumnCheck[];
  /** Columns of the source that nothing reads, with how many rows fill them. */
  unmapped: { column: string; filled: number; sample: string }[];
  /** Fields that the feed does not map. */
  unfilled: string[];
  /** Rows that would be rejected. */
  rejected: Fault[];
  /** Values that would become null. */
  dropped: Fault[];
};

type Mapped = {
  ok: true;
  values: Value[];
  dropped: { field: string; reason: string; message: string }[] | null;
};

/** What the kinds of feed give besides: the key, the county and whether there is a sale; a feature's class and name. */
export type Besides = { key?: string; fips?: number; sale?: boolean; class?: string | null; label?: string };

/** What is wrong with a row's geometry, and whether the row is rejected for it. */
export type GeometryFault = { reason: string; message: string; refuses: boolean };

export type Mapping = {
  kind: MappedKind;
  names: readonly string[];
  columns: Partial<Record<string, ColumnSpec>>;
  map: Mapper<Mapped & Besides>;
  /** Takes in where a row lies. */
  place?: (row: SourceRow, mapped: Besides) => GeometryFault | null;
};

export type PartState = {
  readonly rows: number;
  add(row: SourceRow, onKey: (key: string) => unknown): void;
  addBad(bad: BadRow): void;
  /** Maps a row for its key alone. */
  keyOf(row: SourceRow, onKey: (key: string) => unknown): void;
  result(): Omit<PartCheck, 'whole'>;
};

const SAMPLES = 3;

/**
 * Gathers what the rows of one source come to.
 * @throws PlatError `feed_mapping` when the source lacks a column that the feed names
 */
export function newPartCheck(
  part: PartCheck['part'],
  input: InputSpec,
  mapping: Mapping,
  firstRows: readonly SourceRow[],
): PartState {
  const { map, names } = mapping;
  map.prepare(firstRows);
  const available = columnsOf(firstRows);
  const watched = watch(mapping, available);
  const fills = new Map<string, { filled: number; sample: string }>();
  const rejected = new Map<string, Fault>();
  const dropped = new Map<string, Fault>();
  let rows = 0;
  let usable = 0;
  let skipped = 0;
  let sales = 0;
  let withGeometry = 0;
  const classes = part === 'layer' ? { counting: newClasses(), notCounting: newClasses() } : null;

  function sampleRow(row: SourceRow, values: readonly Value[]): void {
    for (const { column, compiled, index } of watched) {
      const out = values[index] ?? null;
      if (out === null || !compiled) continue;
      column.filled++;
      if (column.samples.length >= SAMPLES) continue;
      const sample = { in: shown(compiled.raw(row.values)), out: shown(out) };
      if (!column.samples.some(other => other.in === sample.in)) column.samples.push(sample);
    }
  }

  return {
    get rows() {
      return rows;
    },
    add(row, onKey) {
      rows++;
      if (row.geometry !== null) withGeometry++;
      countFills(fills, row.values);
      const mapped = map(row);
      if (!mapped.ok) {
        if (mapped.reason === 'skipped') skipped++;
        else note(rejected, row.rowNo, mapped);
        return;
      }
      const misplaced = mapping.place?.(row, mapped) ?? null;
      if (misplaced) {
        note(misplaced.refuses ? rejected : dropped, row.rowNo, { field: 'geometry', ...misplaced });
        if (misplaced.refuses) return;
      }
      // Of other kinds than land layers nothing has a class.
      if (mapped.class !== null) usable++;
      if (mapped.sale) sales++;
      if (classes && mapped.label !== undefined)
        bumpClass(mapped.class === null ? classes.notCounting : classes.counting, mapped.label);
      if (mapped.key !== undefined) onKey(mapped.key);
      for (const fault of mapped.dropped ?? []) note(dropped, row.rowNo, fault);
      sampleRow(row, mapped.values);
    },
    addBad(bad) {
      rows++;
      note(rejected, bad.rowNo, bad);
    },
    keyOf(row, onKey) {
      const mapped = map(row);
      if (mapped.ok && mapped.key !== undefined) onKey(mapped.key);
    },
    result: () => ({
      part,
      source: [input.source].flat().join(', '),
      format: input.format,
      rows,
      usable,
      skipped,
      sales,
      withGeometry,
      classes,
      columns: watched.map(({ column }) => column),
      unmapped: unmapped(mapping, available, fills),
      unfilled: names.filter(name => mapping.columns[name] === undefined),
      rejected: byCount(rejected),
      dropped: byCount(dropped),
    }),
  };
}

type Watched = { column: ColumnCheck; compiled: CompiledColumn | null; index: number };

function watch({ kind, names, columns }: Mapping, available: readonly string[]): Watched[] {
  const resolve = resolver(available);
  const lastYear = new Date().getUTCFullYear() + 1;
  return names.flatMap((name, index) => {
    const spec = columns[name];
    if (!spec) return [];
    const target = targetSpec(kind, name);
    const compiled = compileColumn({ name, spec: target }, spec, { resolve, lastYear });
    const from = sourceColumns(spec).map(column => resolve(column) ?? column);
    const column = {
      target: name,
      unit: target.unit ?? null,
      from,
      absent: compiled === null,
      filled: 0,
      samples: [],
    };
    return [{ column, compiled, index }];
  });
}

function note(faults: Map<string, Fault>, rowNo: number, fault: Omit<Fault, 'count' | 'rowNo'>): void {
  const { field, reason, message } = fault;
  const known = faults.get(`${field}/${reason}`);
  if (known) known.count++;
  else faults.set(`${field}/${reason}`, { field, reason, count: 1, rowNo, message });
}

const byCount = (faults: Map<string, Fault>): Fault[] =>
  [...faults.values()].sort((a, b) => b.count - a.count);

function countFills(
  fills: Map<string, { filled: number; sample: string }>,
  values: Record<string, unknown>,
): void {
  for (const column in values) {
    const text = tidyText(values[column]);
    if (text === null) continue;
    const fill = fills.get(column);
    if (fill) fill.filled++;
    else fills.set(column, { filled: 1, sample: shown(text) });
  }
}

/** Columns of the source that no field, key or condition reads. */
function unmapped(
  mapping: Mapping,
  available: readonly string[],
  fills: Map<string, { filled: number; sample: string }>,
): PartCheck['unmapped'] {
  const resolve = resolver(available);
  const read = new Set(mapping.map.mentions.map(({ column }) => resolve(column)));
  return available
    .filter(column => !read.has(column))
    .map(column => ({ column, ...(fills.get(column) ?? { filled: 0, sample: '' }) }));
}
