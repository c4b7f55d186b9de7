import type { Input } from '../../../shared/feeds/ingest-runs.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { LISTING_FIELD_NAMES } from '../../../shared/model/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { ColumnSpec } from '../../feeds/column-schema.ts';
import type { Sales } from '../../feeds/feed.ts';
import { alternatives, sourceColumns } from '../../feeds/feed-columns.ts';
import { FIELD_NAMES, type MappedKind, targetSpec } from '../feed-schema.ts';
import { displayValue, tidyText } from '../../feeds/values/text-value.ts';
import type { TargetSpec } from '../../feeds/values/value-parser.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import { type BadRow, isTooDeep, type SourceRow, TOO_DEEP } from '../../formats/row-batch.ts';
import { MIN_OVERWRITTEN } from '../kinds/listings/listing-faults.ts';
import { type CompiledColumn, compileColumn } from './map-column.ts';
import type { MappedRow, Mapper } from './map-fields.ts';
import type { Deed, PriorSale } from '../kinds/listings/map-sale.ts';
import { columnsOf, type Resolve, resolver } from './source-columns.ts';
import { countClass, newClasses } from './run-counts.ts';
import { shortRow } from './stage-rows.ts';
import { compCounter } from '../kinds/listings/count-comps.ts';
import { doubtfulText } from './doubtful-text.ts';
import { largeLots } from '../kinds/assessor/large-lots.ts';

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
  /** Comps, and sales that are none because one deed covers several parcels. */
  sales: number;
  multiParcel: number;
  /** Of a roll. */
  priced: PricedSales | null;
  withGeometry: number;
  classes: { counting: Record<string, number>; notCounting: Record<string, number> } | null;
  columns: ColumnCheck[];
  unmapped: { column: string; filled: number; sample: string }[];
  unfilled: string[];
  rejected: Fault[];
  dropped: Fault[];
};

/** Rows with a day and a price of a sale of at least PRICED_FROM, comps or not. */
export type PricedSales = { rows: number; vacant: number; codes: Record<string, number> };

/** Below it prices are nominal. */
export const MIN_SALE_PRICE = 1_000;

/**
 * What is known of a mapped row beside its values: of a parcel key, county and sale; of a
 * feature class and label.
 */
export type RowFacts = {
  key?: string;
  fips?: number;
  sale?: boolean;
  deed?: Deed;
  prior?: PriorSale[] | null;
  class?: string | null;
  called?: string | null;
  at?: Position | null;
  label?: string;
};

export type GeometryFault = { reason: string; message: string; refuses: boolean };

export type Mapping = {
  kind: MappedKind;
  columns: Partial<Record<string, ColumnSpec>>;
  map: Mapper<MappedRow & RowFacts>;
  place?: (row: SourceRow, mapped: RowFacts) => GeometryFault | null;
  /** Where rows have sales. */
  sales?: Pick<Sales, 'minPrice'> | null;
};

const SAMPLES = 3;
/**
 * A parcel in as many parts is rare; lots of a common owner or a road that share a word for a key are not.
 */
const MANY_PARTS = 10;

/**
 * Counts what becomes of the rows of one source; `onKey` gets the keys of parcels.
 * @throws PlatError `feed_mapping` when the source lacks a column that the feed names
 */
export function openPart(
  part: PartCheck['part'],
  { source, format }: InputSpec,
  mapping: Mapping,
  firstRows: readonly SourceRow[],
  onKey: (key: string) => unknown,
) {
  const { kind, map, place } = mapping;
  map.prepare(firstRows);
  const available = columnsOf(firstRows);
  const compiled = compileColumns(mapping, resolver(available));
  /** How many rows fill each column of the source, and with what first. */
  const fills = new Map(available.map(column => [column, { filled: 0, sample: '' }]));
  /** Features by key, of keys without a digit but 0, such as "NA": they often stand for no parcel. */
  const wordKeys = new Map<string, number>();
  const sales = new Map<string, Set<string>>();
  const asked = { sales: 0, equal: 0 };
  const comps =
    mapping.sales && (kind === 'assessor' || kind === 'listings')
      ? compCounter(kind, mapping.sales.minPrice)
      : null;
  const doubtful = doubtfulText();
  const large = largeLots();
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
    priced: kind === 'assessor' ? { rows: 0, vacant: 0, codes: newClasses() } : null,
    withGeometry: 0,
    classes: part === 'layer' ? { counting: newClasses(), notCounting: newClasses() } : null,
    columns: compiled.map(({ column }) => column),
    unmapped: [],
    unfilled: FIELD_NAMES[kind].filter(name => mapping.columns[name] === undefined),
    rejected: [],
    dropped: [],
  };

  function judge(row: SourceRow): void {
    countFills(fills, row.values);
    const mapped = map(row);
    if (row.geometry !== null) check.withGeometry++;
    if (!mapped.ok) {
      if (mapped.reason === 'skipped') check.skipped++;
      else countFault(check.rejected, row.rowNo, mapped);
      return;
    }
    if (kind === 'listings') {
      noteSale(mapped.values, sales);
      noteAsked(mapped.values, asked);
    }
    if (check.priced) notePriced(check.priced, mapped.values);
    if (kind === 'assessor' && row.geometry === null) large.note(row.rowNo, mapped.values);
    const misplaced = place?.(row, mapped);
    if (misplaced) {
      if (isTooDeep(row)) throw new RangeError(TOO_DEEP.message);
      const faults = misplaced.refuses ? check.rejected : check.dropped;
      countFault(faults, row.rowNo, { field: 'geometry', ...misplaced });
      if (misplaced.refuses) return;
    }
    // Only features of land layers have a class, which is null where they do not count.
    if (mapped.class !== null) check.usable++;
    comps?.add(mapped);
    if (check.classes && mapped.label !== undefined)
      countClass(check.classes[mapped.class === null ? 'notCounting' : 'counting'], mapped.label);
    const { key } = mapped;
    if (key !== undefined) onKey(key);
    if (key !== undefined && row.geometry !== null && !/[1-9]/.test(key))
      wordKeys.set(key, (wordKeys.get(key) ?? 0) + 1);
    if (row.short !== undefined) countFault(check.dropped, row.rowNo, shortRow(row.short));
    for (const fault of mapped.dropped ?? []) countFault(check.dropped, row.rowNo, fault);
    for (const { column, read, index, spec } of compiled) {
      if (read === null) continue;
      if (spec !== null) doubtful.note(column.target, spec, read.raw(row.values));
      const out = mapped.values[index] ?? null;
      if (out === null) continue;
      column.filled++;
      const sample = { in: displayValue(read.raw(row.values)), out: displayValue(out) };
      if (column.samples.length < SAMPLES && column.samples.every(other => other.in !== sample.in))
        column.samples.push(sample);
    }
  }

  return {
    add(row: SourceRow): void {
      check.rows++;
      try {
        judge(row);
      } catch (error) {
        if (!(error instanceof RangeError && isTooDeep(row))) throw error;
        countFault(check.rejected, row.rowNo, TOO_DEEP);
      }
    },
    addBad(bad: BadRow): void {
      check.rows++;
      countFault(check.rejected, bad.rowNo, bad);
    },
    skip(rows: number): void {
      check.rows += rows;
      check.skipped += rows;
    },
    /** Faults by frequency, and the columns of the source that no field, key or condition reads. */
    finish(whole: boolean): PartCheck {
      const resolve = resolver(available);
      const read = new Set(map.mentions.map(({ column }) => resolve(column)));
      const { comps: sold = 0, multiParcel = 0 } = comps?.count() ?? {};
      const unread = [...fills].filter(([column]) => !read.has(column));
      for (const faults of [check.rejected, check.dropped]) faults.sort((a, b) => b.count - a.count);
      return {
        ...check,
        sales: sold,
        multiParcel,
        whole,
        unmapped: unread.map(([column, fill]) => ({ column, ...fill })),
      };
    },
    /** What may not be meant: features that become one parcel because a word stands where a key should. */
    warnings: (): string[] => [
      ...repeatWarnings(part, sales),
      ...askedWarnings(part, asked),
      ...doubtful.warnings(part),
      ...large.warnings(part),
      ...[...wordKeys]
        .filter(([, features]) => features >= MANY_PARTS)
        .map(
          ([key, features]) =>
            `${part}: the key ${key} stands on ${features} features, which become one parcel. If it means that there is none, leave them out with ${part}.skip_where.`,
        ),
    ],
  };
}

/** `spec` is null where the column says how its numbers are written. */
type Compiled = { column: ColumnCheck; read: CompiledColumn | null; index: number; spec: TargetSpec | null };

function compileColumns({ kind, columns }: Mapping, resolve: Resolve): Compiled[] {
  return FIELD_NAMES[kind].flatMap((name, index) => {
    const mapped = columns[name];
    if (!mapped) return [];
    const spec = targetSpec(kind, name);
    const read = compileColumn({ name, spec }, mapped, resolve);
    const from = sourceColumns(mapped).map(column => resolve(column) ?? column);
    const found = { unit: spec.unit ?? null, from, absent: read === null, filled: 0, samples: [] };
    const isDeclared = alternatives(mapped).some(way => way.decimal !== undefined);
    return [{ column: { target: name, ...found }, read, index, spec: isDeclared ? null : spec }];
  });
}

/** Notes what keeps a source from being read as a problem of the feed. @throws any other error */
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

const [ID, STATUS, DAY, PRICE, ASKED] = (
  ['source_id', 'status', 'sold_date', 'sold_price', 'list_price'] as const
).map(name => LISTING_FIELD_NAMES.indexOf(name)) as [number, number, number, number, number];

const [LAST_DAY, LAST_PRICE, VACANT, CODE] = (
  ['last_sale_date', 'last_sale_price', 'vacant', 'sale_price_code'] as const
).map(name => PARCEL_FIELD_NAMES.indexOf(name)) as [number, number, number, number];

function notePriced(priced: PricedSales, values: MappedRow['values']): void {
  const price = values[LAST_PRICE];
  if (values[LAST_DAY] === null || typeof price !== 'number' || price < MIN_SALE_PRICE) return;
  priced.rows++;
  if (values[VACANT] === true) priced.vacant++;
  if (values[CODE] !== null) countClass(priced.codes, String(values[CODE]));
}

/** The days and prices of the sales of each id. */
function noteSale(values: MappedRow['values'], sales: Map<string, Set<string>>): void {
  if (values[STATUS] !== 'SOLD' || values[DAY] === null) return;
  const id = String(values[ID]);
  const own = sales.get(id) ?? new Set();
  sales.set(id, own.add(`${values[DAY]} ${values[PRICE]}`));
}

type Asked = { sales: number; equal: number };

function noteAsked(values: MappedRow['values'], asked: Asked): void {
  if (values[STATUS] !== 'SOLD' || !values[ASKED]) return;
  asked.sales++;
  if (values[ASKED] === values[PRICE]) asked.equal++;
}

function askedWarnings(part: PartCheck['part'], { sales, equal }: Asked): string[] {
  if (sales < MIN_OVERWRITTEN || equal < sales) return [];
  return [
    `${part}: in all ${sales} sales the asking price equals the sale price, so the source probably overwrites it. A run leaves these asking prices out.`,
  ];
}

function repeatWarnings(part: PartCheck['part'], sales: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const repeated = [...sales.values()].filter(({ size }) => size > 1);
  if (repeated.length === 0) return [];
  const count = repeated.reduce((sum, { size }) => sum + size, 0);
  return [
    `${part}: ${repeated.length} ids stand on ${count} sales of different days or prices; each is kept, by its id, day and price.`,
  ];
}
