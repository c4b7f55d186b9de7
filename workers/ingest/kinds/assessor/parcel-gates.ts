import type { LoadedFeed } from '../../../../shared/feeds/file-feeds.ts';
import type { GateResult } from '../../../../shared/feeds/ingest-runs.ts';
import { AREA_UNITS, type AreaUnit } from '../../../feeds/column-schema.ts';
import type { Gates } from '../../../feeds/gates-schema.ts';
import {
  gateResult,
  type KeyedLast,
  keyFault,
  NO_USABLE_ROWS,
  oneDecimal,
  overLimit,
  percent,
  type RowFigures,
  rowFaults,
} from '../../engine/gate.ts';
import { TO_ACRES } from '../../engine/map-column.ts';
import { salesFault } from '../listings/listing-gates.ts';

export type OutsideParcels = { points: number; outside: number; where: string };

type GateFigures = RowFigures & {
  /** Number of keys found in both files of a two-file roll, or of rows with geometry in a one-file roll. */
  matchedKeys: number;
  /** Number of parcels on the previous roll, and how many of them this run would retire. */
  before: number;
  retired: number;
  outside: OutsideParcels;
  /** Feeds that have some of these parcels, if that blocks the run. */
  overlap: readonly LoadedFeed[];
  /** Changes of an undone run that this run would make again. */
  undone: UndoneAgain | null;
  unusableShapes: number;
  /** For a feed with two files: the number of parcels that are in only one of them. */
  unjoined: { roll: number; shape: number } | null;
  acreage: Acreage | null;
  /** Number of comps from the feed's sales, and how many of them this run takes off the market. */
  sales: { before: number; leaving: number };
  last: KeyedLast | null;
};

/** The undone run, its number of parcels, and how many would change back. */
export type UndoneAgain = { run: number; undone: number; again: number };

export type Acreage = {
  parcels: number;
  /** Median ratio of stated to measured acres. */
  median: number;
  /** Number of parcels that are off by more than a factor of 4. */
  off: number;
  /** The unit of the source's figures, according to the feed. Null if each row has its own. */
  unit: AreaUnit | null;
};

/** If there are fewer parcels, all of their acreages may be exceptions. */
const MIN_ACREAGES = 20;

/** What to do when two files share no key. */
export const SAME_FORM =
  'Write both keys in the same format. If one of them lost its leading zeros, set strip_leading_zeros in both.';

export function checkParcelGates(figures: GateFigures, limits: Gates): GateResult {
  const { last, before, retired, sales } = figures;
  const most = limits.max_key_drop_percent;
  return gateResult(figures, [
    ['empty', figures.rows === 0 ? NO_USABLE_ROWS : null],
    ...rowFaults(figures, limits, 'rows'),
    ['matched_keys', last ? keyFault(figures, limits) : unjoinedFault(figures)],
    ['shapes', unusableShapesFault(figures.unusableShapes, figures.matchedKeys)],
    [
      'known_keys',
      overLimit(retired, before, most, share => {
        return `${retired} of ${before} parcels would be retired (${share}). Check whether the format of the keys has changed.`;
      }),
    ],
    ['sales', salesFault(sales, limits)],
    ['overlap', overlapFault(figures.overlap)],
    ['undone', undoneFault(figures.undone)],
    ['extent', outsideParcelsFault(figures.outside, limits)],
    ['acreage', figures.acreage && wrongAcreage(figures.acreage, limits)],
  ]);
}

/**
 * Blocks a first run if its two files share no key, because it would load every parcel twice: once without a
 * shape, and once without attributes.
 */
function unjoinedFault({ matchedKeys, unjoined }: GateFigures): string | null {
  if (unjoined === null || matchedKeys > 0 || unjoined.roll === 0 || unjoined.shape === 0) return null;
  return `None of the ${unjoined.roll} keys in the roll match the ${unjoined.shape} keys in the shape file. ${SAME_FORM}`;
}

/** Why a run won't load parcels that other feeds have, and what to choose. */
export function overlapFault(feeds: readonly LoadedFeed[]): string | null {
  if (feeds.length === 0) return null;
  const loaded = feeds.map(
    ({ feed, parcels, again }) =>
      `feed ${feed} has already loaded ${again} of these parcels (it has ${parcels})`,
  );
  return `${loaded.join('; ')}. To update them, replace that feed, or add only new parcels, set overlap in this feed.`;
}

/**
 * Blocks a run that would change back at least this share of the undone parcels. A corrected file repeats
 * fewer of the changes, but the next daily file with the same error repeats nearly all of them.
 */
const MAX_UNDONE_PERCENT = 95;

function undoneFault(undone: UndoneAgain | null): string | null {
  if (undone === null || percent(undone.again, undone.undone) < MAX_UNDONE_PERCENT) return null;
  const again = `${undone.again} of the ${undone.undone} parcels it changed would change back`;
  return `This looks like the data of run ${undone.run}, which was undone: ${again}. Correct the source, or force the run.`;
}

/** If there are fewer shapes, the unusable ones may be exceptions. */
const MIN_SHAPES = 20;

/** Why a source's shapes can't be used, if few or none of them can. */
export function unusableShapesFault(unusable: number, usable: number): string | null {
  const isMost = usable === 0 ? unusable > 0 : unusable > usable && unusable + usable >= MIN_SHAPES;
  if (!isMost) return null;
  return `${unusable} of ${unusable + usable} shapes can't be used. Check the CRS.`;
}

export function outsideParcelsFault(
  { points, outside, where }: OutsideParcels,
  { max_outside_percent }: Gates,
): string | null {
  if (percent(outside, points) <= max_outside_percent) return null;
  return `${outside} of ${points} parcels are outside the county (${where}). Check the CRS.`;
}

/** Explains that stated acreages are too far from the measured ones, and names the unit that would fit. */
function wrongAcreage(
  { parcels, median, off, unit }: Acreage,
  { max_acreage_off_percent: most }: Gates,
): string | null {
  const fits = (ratio: number) => ratio >= 0.5 && ratio <= 2;
  const share = percent(off, parcels);
  if (parcels < MIN_ACREAGES || most === 100 || (fits(median) && share <= most)) return null;
  const other = unit && AREA_UNITS.find(each => fits((median * TO_ACRES[each](1)) / TO_ACRES[unit](1)));
  const advice =
    other && other !== unit ? ` Unit ${other} would fit.` : ' Check its column, unit, and scale.';
  return `The stated acreage of the median parcel is ${Number(median.toPrecision(3))} times the measured one (expected: 0.5 to 2). The stated acreage is off by more than a factor of 4 for ${off} of ${parcels} parcels (${oneDecimal(share)}%, limit ${most}%).${advice}`;
}
