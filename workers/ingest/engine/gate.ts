import type { GateResult, RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import { total } from './run-counts.ts';
import type { BestRun } from './run-record.ts';

export type RowFigures = {
  read: number;
  rejected: number;
  rows: number;
  filled: Record<string, number>;
  last: { rows: number; filled: Record<string, number>; best: BestRun | null } | null;
};

/** Figures from the last accepted run of a feed whose rows have keys. */
export type KeyedLast = NonNullable<RowFigures['last']> & { matchedKeys: number };

/** The message for a run without a usable parcel or listing. */
export const NO_USABLE_ROWS = 'The run has no usable rows.';

/** Why a gate blocks a run. Null if it passes. */
export type Fault = readonly [gate: string, message: string | null];

/** Reports every fault, not only the first. */
export function gateResult(figures: object, faults: readonly Fault[]): GateResult {
  const blocked = faults.flatMap(([gate, message]) => (message === null ? [] : [{ gate, message }]));
  return { blocked, figures };
}

export function checkListGates(
  { counts, last }: { counts: RunCounts; last: LastRun | null },
  rows: number,
  limits: Gates,
  words: string,
): GateResult {
  const { superseded = 0 } = counts.rejected;
  const figures = {
    read: total(counts.read),
    rejected: total(counts.rejected) - superseded,
    rows,
    filled: counts.filled,
    last: lastFigures(last),
  };
  const empty: Fault = ['empty', rows === 0 ? NO_USABLE_ROWS : null];
  return gateResult(figures, [empty, ...rowFaults(figures, limits, words)]);
}

/**
 * The checks for every kind of feed: fewer rows than last time, columns that became empty, and rejected rows.
 */
export function rowFaults(
  { rows, read, rejected, filled, last }: RowFigures,
  limits: Gates,
  words: string,
): Fault[] {
  const emptied = Object.entries(last?.filled ?? {}).filter(
    ([column, count]) => limits.empty_columns && count > 0 && !filled[column],
  );
  return [
    [
      'rows',
      last &&
        (dropFault(words, last.rows, rows, limits.max_row_drop_percent) ??
          bestFault(words, last.best?.rows, rows, limits.max_row_drop_percent)),
    ],
    ...emptied.map(
      ([column, count]): Fault => [
        'empty_column',
        `Column ${column} had values in ${count} rows of the last run and is now empty.`,
      ],
    ),
    [
      'rejects',
      overLimit(rejected, read, limits.max_reject_percent, share => {
        return `${rejected} of ${read} ${words} were rejected (${share}).`;
      }),
    ],
  ];
}

/**
 * Compares the number of keys with the last run and the best run of the year. Null if there is no last run.
 */
export function keyFault(
  { matchedKeys, last }: { matchedKeys: number; last: KeyedLast | null },
  { max_key_drop_percent: most }: Gates,
): string | null {
  if (last === null) return null;
  const words = 'keys with geometry';
  return (
    dropFault(words, last.matchedKeys, matchedKeys, most) ??
    bestFault(words, last.best?.matchedKeys, matchedKeys, most)
  );
}

const dropFault = (what: string, before: number, now: number, most: number): string | null =>
  overLimit(before - now, before, most, share => `${what} fell from ${before} to ${now} (${share}).`);

/** Small losses from run to run add up, so compare with the best run too. */
const bestFault = (
  what: string,
  best: number | null | undefined,
  now: number,
  most: number,
): string | null =>
  best == null
    ? null
    : overLimit(
        best - now,
        best,
        most,
        share => `${what} fell from ${best}, the highest in the last 12 months, to ${now} (${share}).`,
      );

export function overLimit(
  part: number,
  whole: number,
  most: number,
  say: (share: string) => string,
): string | null {
  const share = percent(part, whole);
  return share > most ? say(`${oneDecimal(share)}%, limit ${most}%`) : null;
}

export const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

export const oneDecimal = (value: number): string => value.toFixed(1);

type LastRun = { counts: RunCounts; best?: BestRun };

export function lastFigures(last: LastRun | null): KeyedLast | null {
  if (last === null) return null;
  const { rows = 0, matched_keys = 0, filled } = last.counts;
  return { rows: Number(rows), matchedKeys: Number(matched_keys), filled, best: last.best ?? null };
}

export const rejectedRows = (counts: RunCounts): number => total(counts.rejected);
