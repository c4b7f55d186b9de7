import type { GateResult, RunCounts } from '../../../shared/runs.ts';
import { AREA_UNITS, type AreaUnit } from '../../feeds/column-schema.ts';
import type { Gates } from '../../feeds/definition.ts';
import { TO_ACRES } from '../map/column.ts';
import { total } from '../run/counts.ts';
import type { OutsideParcels } from './place.ts';

export type RowFigures = {
  read: number;
  rejected: number;
  rows: number;
  filled: Record<string, number>;
  /** Of the last accepted run; null before the first. */
  last: { rows: number; filled: Record<string, number> } | null;
};

/** What a run of parcels or listings is judged by. */
export type GateFigures = RowFigures & {
  /** Keys that both files of a two-file roll have, or rows with geometry of a one-file roll. */
  matchedKeys: number;
  /** Parcels on the roll before, and how many of them this run would retire. */
  before: number;
  retired: number;
  outside: OutsideParcels;
  /** Null of listings. */
  acreage: Acreage | null;
  /** Comps that the feed's sales have made, and how many of them this run takes off the market. */
  sales: { before: number; leaving: number };
  last: (NonNullable<RowFigures['last']> & { matchedKeys: number }) | null;
};

/** How the stated acreages compare with the measured ones. */
export type Acreage = {
  /** Parcels that have both. */
  parcels: number;
  /** Of stated by measured. */
  median: number;
  /** How many are off by more than a factor of 4. */
  off: number;
  /** What the feed says the source's figures are in; null where each row says it. */
  unit: AreaUnit | null;
};

/** Fewer parcels may all be oddities. */
const FEWEST_ACREAGES = 20;

/** What the gate says of a run that would make no parcel and no listing. */
export const NO_USABLE_ROW = 'The run has no usable row.';

/**
 * Compares a run with the last accepted one. Every reason that blocks it is named, not only the first.
 */
export function judge(figures: GateFigures, limits: Gates): GateResult {
  const { last } = figures;
  const blocked: GateResult['blocked'] = [];
  const block = (gate: string, message: string) => blocked.push({ gate, message });

  if (figures.rows === 0) block('empty', NO_USABLE_ROW);
  judgeRows(figures, limits, 'rows', block);
  if (last)
    compareDrop(
      'matched_keys',
      'keys with geometry',
      last.matchedKeys,
      figures.matchedKeys,
      limits.max_key_drop_percent,
      block,
    );
  const retired = percent(figures.retired, figures.before);
  if (retired > limits.max_key_drop_percent) {
    block(
      'known_keys',
      `${figures.retired} of ${figures.before} parcels would be retired (${show(retired)} %, at most ${limits.max_key_drop_percent} %): have the keys changed their form?`,
    );
  }
  const { before, leaving } = figures.sales;
  const left = percent(leaving, before);
  if (left > limits.max_key_drop_percent) {
    block(
      'sales',
      `${leaving} of ${before} sales would no longer be comps (${show(left)} %, at most ${limits.max_key_drop_percent} %): are sales.where and sales.min_price right?`,
    );
  }
  const elsewhere = outsideParcels(figures.outside, limits);
  if (elsewhere !== null) block('extent', elsewhere);
  const wrongUnit = figures.acreage && wrongAcreage(figures.acreage, limits);
  if (wrongUnit !== null) block('acreage', wrongUnit);
  return { blocked, figures };
}

/** What the gate says of parcels that lie outside their county, or null. */
export function outsideParcels(
  { points, outside, where }: OutsideParcels,
  { max_outside_percent }: Gates,
): string | null {
  if (percent(outside, points) <= max_outside_percent) return null;
  return `${outside} of ${points} parcels lie outside the county (${where}): is the CRS right?`;
}

/** What the gate says of stated acreages that are far from the measured ones, with the unit that would fit, or null. */
function wrongAcreage(
  { parcels, median, off, unit }: Acreage,
  { max_acreage_off_percent: most }: Gates,
): string | null {
  const fits = (ratio: number) => ratio >= 0.5 && ratio <= 2;
  const share = percent(off, parcels);
  if (parcels < FEWEST_ACREAGES || most === 100 || (fits(median) && share <= most)) return null;
  const other = unit && AREA_UNITS.find(each => fits((median * TO_ACRES[each](1)) / TO_ACRES[unit](1)));
  const advice =
    other && other !== unit ? `: unit: ${other} would fit` : ': is its column, unit or scale right?';
  return `The stated acreage is ${Number(median.toPrecision(3))} times the measured one in the median parcel (0.5 to 2 may be), and off by more than a factor of 4 in ${off} of ${parcels} (${show(share)} %, at most ${most} %)${advice}.`;
}

/** Judges a run of rows that have neither keys nor a place: contacts, blocks of numbers. */
export function judgeList(
  { counts, last }: { counts: RunCounts; last: { counts: RunCounts } | null },
  rows: number,
  limits: Gates,
  words: string,
): GateResult {
  const { superseded = 0 } = counts.rejected;
  const figures = {
    ...{ read: total(counts.read), rejected: rejectedRows(counts) - superseded, rows, filled: counts.filled },
    last: lastFigures(last?.counts),
  };
  const blocked: GateResult['blocked'] = [];
  const block: Block = (gate, message) => blocked.push({ gate, message });
  if (rows === 0) block('empty', NO_USABLE_ROW);
  judgeRows(figures, limits, words, block);
  return { blocked, figures };
}

export type Block = (gate: string, message: string) => void;

/** What is judged of every kind of feed: fewer rows than the last time, a column that turned empty, rows that were rejected. */
export function judgeRows(
  { rows, read, rejected, filled, last }: RowFigures,
  limits: Gates,
  words: string,
  block: Block,
): void {
  if (last) compareDrop('rows', words, last.rows, rows, limits.max_row_drop_percent, block);
  for (const [column, count] of Object.entries(last?.filled ?? {}))
    if (limits.empty_columns && count > 0 && !filled[column])
      block('empty_column', `Column ${column} was filled in ${count} rows of the last run and is empty now.`);
  const rejects = percent(rejected, read);
  if (rejects > limits.max_reject_percent)
    block(
      'rejects',
      `${rejected} of ${read} ${words} were rejected (${show(rejects)} %, at most ${limits.max_reject_percent} %).`,
    );
}

export function compareDrop(
  gate: string,
  what: string,
  before: number,
  now: number,
  limit: number,
  block: Block,
): void {
  const drop = percent(before - now, before);
  if (drop > limit)
    block(gate, `${what} fell from ${before} to ${now} (${show(drop)} %, at most ${limit} %).`);
}

export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

export function show(value: number): string {
  return value.toFixed(1);
}

/** The last accepted run's figures as the gate compares them. */
export function lastFigures(counts: RunCounts | undefined): GateFigures['last'] {
  if (counts === undefined) return null;
  return {
    rows: Number(counts.rows ?? 0),
    matchedKeys: Number(counts.matched_keys ?? 0),
    filled: counts.filled,
  };
}

export function rejectedRows(counts: RunCounts): number {
  return total(counts.rejected);
}
