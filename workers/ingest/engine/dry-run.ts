import { tmpdir } from 'node:os';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { FeedKindName } from '../../../shared/model/feed-kinds.ts';
import type { MappedInput } from '../../feeds/feed.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import type { BadRow, RowBatch, SourceRow } from '../../formats/row-batch.ts';
import {
  addProblem,
  addRow,
  countFault,
  type Fault,
  finishPart,
  type Mapping,
  type OpenPart,
  openPart,
  type PartCheck,
  warningsOf,
} from './check-part.ts';

/** The result of checking a feed on its first rows. Plain data, for the terminal and for scripts. */
export type FeedCheck = {
  /** False if the feed can't run, or if its gate would block the share of rejected rows. */
  ok: boolean;
  feed: string;
  kind: FeedKindName;
  file: string;
  preset: string | null;
  problems: string[];
  warnings: string[];
  /** How many sales would become comps and under which settings, or why there are none. */
  comps: string[];
  /** Roads, wetlands, and flood: the bounding box of what was read, in degrees. Otherwise null. */
  extent: Box | null;
  parts: PartCheck[];
  /** Kind elevation: what the first tiles' headers say. Null if none could be read. */
  tiles: TilesCheck | null;
  /** Kind imagery: location and resolution. Null if none could be read. */
  imagery: ImageryCheck | null;
  /** Two-file feeds: how many of the keys in the roll's first rows are in the whole shape file. */
  keys: KeyCheck | null;
};

export type KeyCheck = { checked: number; matched: number; unmatched: string[] };

export type FilesCheck = {
  named: number;
  read: number;
  /** Tiles in a template that don't exist. */
  absent: number;
  rejected: Fault[];
};

export type TileCheck = {
  source: string;
  width: number;
  height: number;
  /** Size of a cell, in the CRS's units. */
  cell: [number, number];
  crs: string;
  /** Meters per unit of elevation. */
  unitM: number;
  /** Whether the file or the feed states the unit. Otherwise, it is the default. */
  unitStated: boolean;
  nodata: number | null;
  /** Values of a few sampled cells. Null if they were not read. */
  heights: HeightSample | null;
  extent: Box;
};

export type TilesCheck = FilesCheck & { tiles: TileCheck[] };

export type HeightSample = {
  cells: number;
  /** Meters, or null if no cell has an elevation. */
  lowestM: number | null;
  highestM: number | null;
  /** Number of cells with impossible values, and the first of these values, in the file's unit. */
  dropped: number;
  droppedValue: number | null;
};

export type ImageryCheck = FilesCheck & {
  sources: {
    source: string;
    /** In meters on the ground. */
    pixelM: number;
    extent: Box;
    /** For a file, its size and contents. */
    file: {
      width: number;
      height: number;
      bands: number;
      bits: number;
      overviews: number;
      crs: string;
    } | null;
  }[];
};

export type DryRun = {
  limit: number;
  read(spec: InputSpec): AsyncIterable<RowBatch>;
  result: FeedCheck;
  /** A source without usable rows may be fine: an incremental source can have nothing new. */
  mayBeEmpty?: boolean;
};

/**
 * The context for reading in a check. The signal never aborts, because a check stops only when its process
 * does.
 */
export function checkContext(baseDir: string) {
  return { baseDir, tmpDir: tmpdir(), signal: new AbortController().signal, env: process.env };
}

/**
 * Reports a source that can't be read as a problem, not an error.
 * @param readOn whether to keep reading for more keys
 */
export async function checkPart(
  { limit, read, result }: DryRun,
  name: PartCheck['part'],
  { input: spec, columns }: MappedInput<string>,
  rest: Omit<Mapping, 'columns'>,
  onKey: (key: string) => unknown = () => {},
  readOn: () => boolean = () => false,
): Promise<void> {
  const open = (firstRows: readonly SourceRow[]) =>
    openPart(name, spec, { ...rest, columns }, firstRows, onKey);
  let part: OpenPart | undefined;
  let rows = 0;
  let whole = true;
  const bad: BadRow[] = [];
  let skipped = 0;
  try {
    for await (const batch of read(spec)) {
      bad.push(...batch.bad);
      skipped += batch.skipped ?? 0;
      if (batch.rows.length === 0) continue;
      part ??= open(batch.rows.slice(0, limit));
      for (const row of batch.rows) {
        if (rows < limit) addRow(part, row);
        else if (readOn()) {
          const mapped = rest.map(row);
          if (mapped.ok && mapped.key !== undefined) onKey(mapped.key);
        }
        rows++;
      }
      whole = rows <= limit;
      if (rows < limit || readOn()) continue;
      // Don't check whether more rows follow.
      whole = false;
      break;
    }
    if (part === undefined) result.problems.push(`${name}: ${noUsableRows(bad)}`);
  } catch (error) {
    addProblem(result.problems, name, error);
    whole = false;
  }
  part ??= bad.length > 0 ? open([]) : undefined;
  if (part === undefined) return;
  const { check } = part;
  for (const row of bad) countFault(check.rejected, row.rowNo, row);
  check.rows += bad.length + skipped;
  check.skipped += skipped;
  result.warnings.push(...warningsOf(part));
  result.parts.push(finishPart(part, whole));
}

/** Includes the reason from the first bad row. */
export function noUsableRows([first]: readonly Pick<BadRow, 'rowNo' | 'message'>[]): string {
  return `the source has no usable rows${first ? `: row ${first.rowNo}: ${first.message}` : ' at all, because it is empty'}.`;
}
