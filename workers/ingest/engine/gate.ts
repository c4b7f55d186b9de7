import type { LoadedFeed } from '../../../shared/feeds/file-feeds.ts';
import type { GateResult, RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { AREA_UNITS, type AreaUnit } from '../../feeds/column-schema.ts';
import type { Gates } from '../feed-schema.ts';
import { TO_ACRES } from './map-column.ts';
import { total } from './run-counts.ts';
import type { BestRun } from './run-record.ts';
import type { OutsideParcels } from '../layers/gate-place.ts';

export type RowFigures = {
  read: number;
  rejected: number;
  rows: number;
  filled: Record<string, number>;
  last: { rows: number; filled: Record<string, number>; best: BestRun | null } | null;
};

export type GateFigures = RowFigures & {
  /** Keys that both files of a two-file roll have, or rows with geometry of a one-file roll. */
  matchedKeys: number;
  /** Parcels on the roll before, and how many of them this run would retire. */
  before: number;
  retired: number;
  outside: OutsideParcels;
  /** Feeds that have some of these parcels, if that blocks the run. */
  overlap: readonly LoadedFeed[];
  /** What an undone run had changed and this one would change again. */
  undone: UndoneAgain | null;
  /** Rows whose shape could not be used. */
  unusableShapes: number;
  /** Of a feed of two files: the parcels that only one of them has. */
  unjoined: { roll: number; shape: number } | null;
  /** Null of listings. */
  acreage: Acreage | null;
  /** Comps that the feed's sales have made, and how many of them this run takes off the market. */
  sales: { before: number; leaving: number };
  last: (NonNullable<RowFigures['last']> & { matchedKeys: number }) | null;
};

/** The run that was undone, the number of parcels it touched, and how many would be as they were after it. */
export type UndoneAgain = { run: number; undone: number; again: number };

export type Acreage = {
  parcels: number;
  /** Of stated by measured. */
  median: number;
  /** How many are off by more than a factor of 4. */
  off: number;
  /** What the feed says the source's figures are in; null where each row says it. */
  unit: AreaUnit | null;
};

/** Fewer parcels may all be exceptions. */
const MIN_ACREAGES = 20;

/** The message for a run without a usable parcel or listing. */
export const NO_USABLE_ROWS = 'The run has no usable row.';

/** Why a gate blocks a run: null where it passes. */
export type Fault = readonly [gate: string, message: string | null];

/** Reports every fault, not only the first. */
export function gateResult(figures: object, faults: readonly Fault[]): GateResult {
  const blocked = faults.flatMap(([gate, message]) => (message === null ? [] : [{ gate, message }]));
  return { blocked, figures };
}

export function checkGates(figures: GateFigures, limits: Gates): GateResult {
  const { last, before, retired, sales } = figures;
  const most = limits.max_key_drop_percent;
  return gateResult(figures, [
    ['empty', figures.rows === 0 ? NO_USABLE_ROWS : null],
    ...rowFaults(figures, limits, 'rows'),
    [
      'matched_keys',
      last
        ? (dropFault('keys with geometry', last.matchedKeys, figures.matchedKeys, most) ??
          bestFault('keys with geometry', last.best?.matchedKeys, figures.matchedKeys, most))
        : unjoinedFault(figures),
    ],
    ['shapes', unusableShapesFault(figures.unusableShapes, figures.matchedKeys)],
    [
      'known_keys',
      overLimit(retired, before, most, share => {
        return `${retired} of ${before} parcels would be retired (${share}): have the keys changed their form?`;
      }),
    ],
    [
      'sales',
      overLimit(sales.leaving, sales.before, most, share => {
        const gone = `${sales.leaving} of ${sales.before} sales would no longer be comps (${share})`;
        return `${gone}: are sales.where and sales.min_price right?`;
      }),
    ],
    ['overlap', overlapFault(figures.overlap)],
    ['undone', undoneFault(figures.undone)],
    ['extent', outsideParcelsFault(figures.outside, limits)],
    ['acreage', figures.acreage && wrongAcreage(figures.acreage, limits)],
  ]);
}

/** A first run of two files that share no key would load every parcel twice, in halves. */
function unjoinedFault({ matchedKeys, unjoined }: GateFigures): string | null {
  if (unjoined === null || matchedKeys > 0 || unjoined.roll === 0 || unjoined.shape === 0) return null;
  return `None of the ${unjoined.roll} keys of the roll is among the ${unjoined.shape} of the shape file. ${SAME_FORM}`;
}

/** What to do when two files share no key. */
export const SAME_FORM =
  'Write both keys in the same form: where one of them lost its leading zeros, set strip_leading_zeros in both.';

/** Why a run won't load parcels that other feeds have, and what to choose. */
export function overlapFault(feeds: readonly LoadedFeed[]): string | null {
  if (feeds.length === 0) return null;
  const loaded = feeds.map(
    ({ feed, parcels, again }) =>
      `feed ${feed} has already loaded ${again} of these parcels (it has ${parcels})`,
  );
  return `${loaded.join('; ')}: set overlap in this feed to update them, to replace that feed, or to add only new parcels.`;
}

/** A file that corrects what was wrong leaves more of it out, and one of the next day adds little to it. */
const MAX_UNDONE_PERCENT = 95;

function undoneFault(undone: UndoneAgain | null): string | null {
  if (undone === null || percent(undone.again, undone.undone) < MAX_UNDONE_PERCENT) return null;
  const again = `${undone.again} of the ${undone.undone} parcels it changed would change back`;
  return `This looks like the data of run ${undone.run}, which was undone: ${again}. Correct the source, or force the run.`;
}

/** Fewer shapes may all be exceptions. */
const MIN_SHAPES = 20;

/** Why the shapes of a source can't be used: none or few of them can. */
export function unusableShapesFault(unusable: number, usable: number): string | null {
  const isMost = usable === 0 ? unusable > 0 : unusable > usable && unusable + usable >= MIN_SHAPES;
  if (!isMost) return null;
  return `${unusable} of ${unusable + usable} shapes can't be used: is the CRS right?`;
}

export function outsideParcelsFault(
  { points, outside, where }: OutsideParcels,
  { max_outside_percent }: Gates,
): string | null {
  if (percent(outside, points) <= max_outside_percent) return null;
  return `${outside} of ${points} parcels lie outside the county (${where}): is the CRS right?`;
}

/**
 * Why stated acreages are too far from the measured ones, with the unit that would fit; null when they agree.
 */
function wrongAcreage(
  { parcels, median, off, unit }: Acreage,
  { max_acreage_off_percent: most }: Gates,
): string | null {
  const fits = (ratio: number) => ratio >= 0.5 && ratio <= 2;
  const share = percent(off, parcels);
  if (parcels < MIN_ACREAGES || most === 100 || (fits(median) && share <= most)) return null;
  const other = unit && AREA_UNITS.find(each => fits((median * TO_ACRES[each](1)) / TO_ACRES[unit](1)));
  const advice =
    other && other !== unit ? `: unit: ${other} would fit` : ': is its column, unit or scale right?';
  return `The stated acreage is ${Number(median.toPrecision(3))} times the measured one in the median parcel (0.5 to 2 may be), and off by more than a factor of 4 in ${off} of ${parcels} (${oneDecimal(share)} %, at most ${most} %)${advice}.`;
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
 * The checks of every kind of feed: fewer rows than the last time, columns that turned empty, rejected rows.
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
        `Column ${column} was filled in ${count} rows of the last run and is empty now.`,
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

const dropFault = (what: string, before: number, now: number, most: number): string | null =>
  overLimit(before - now, before, most, share => `${what} fell from ${before} to ${now} (${share}).`);

/** A loss that is small from run to run adds up. */
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
        share => `${what} fell from ${best}, the most in the last 12 months, to ${now} (${share}).`,
      );

function overLimit(part: number, whole: number, most: number, say: (share: string) => string): string | null {
  const share = percent(part, whole);
  return share > most ? say(`${oneDecimal(share)} %, at most ${most} %`) : null;
}

export const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

export const oneDecimal = (value: number): string => value.toFixed(1);

type LastRun = { counts: RunCounts; best?: BestRun };

export function lastFigures(last: LastRun | null): GateFigures['last'] {
  if (last === null) return null;
  const { rows = 0, matched_keys = 0, filled } = last.counts;
  return { rows: Number(rows), matchedKeys: Number(matched_keys), filled, best: last.best ?? null };
}

export const rejectedRows = (counts: RunCounts): number => total(counts.rejected);
