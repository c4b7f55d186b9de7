import { tmpdir } from 'node:os';
import { LISTING_FIELD_NAMES } from '../../../shared/domain/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/domain/parcel-fields.ts';
import { PlatError } from '../../../shared/errors.ts';
import type { Box } from '../../../shared/geo/types.ts';
import type { AssessorFeed, Feed, LayerFeed } from '../../feeds/feed.ts';
import { LAYER_FIELD_NAMES } from '../../feeds/layer-schema.ts';
import { readInput } from '../../formats/read.ts';
import type { BadRow, InputSpec, RowBatch } from '../../formats/rows.ts';
import { NO_USABLE_ROW } from '../gate/gate.ts';
import { noneCounts } from '../gate/layer.ts';
import { compileLayerMapper } from '../map/layer.ts';
import { compileListingMapper } from '../map/listing.ts';
import { compileParcelMapper } from '../map/parcel.ts';
import { checkElevation, type TilesCheck } from './elevation.ts';
import { type Mapping, newPartCheck, type PartCheck, type PartState } from './part.ts';
import { coverageWarnings, layerPlaces, type Places, parcelPlaces } from './place.ts';

/** What the first rows of a feed's sources come to. Plain data, for the terminal and for scripts. */
export type FeedCheck = {
  /** False when the feed cannot run as it is, or more rows would be rejected than its gate allows. */
  ok: boolean;
  feed: string;
  kind: Feed['kind'];
  file: string;
  preset: string | null;
  /** Why it is not ok. */
  problems: string[];
  /** What may not be meant, and keeps nothing from running. */
  warnings: string[];
  /** Roads, wetlands and flood: the box around what was read, in degrees; else null. */
  extent: Box | null;
  parts: PartCheck[];
  /** Kind elevation: what the headers of the first tiles say; null when none could be read. */
  tiles: TilesCheck | null;
  /** Two-file feeds: how many keys of the roll's first rows the whole shape file has. */
  keys: KeyCheck | null;
};

export type KeyCheck = { checked: number; matched: number; unmatched: string[] };

export type CheckOptions = {
  /** How many rows of each source to map. Default 1,000. */
  rows?: number;
  /** Reads a source; by default as an ingestion does. */
  read?: (spec: InputSpec) => AsyncIterable<RowBatch>;
};

const UNMATCHED_SHOWN = 5;

/**
 * Reads the first rows of a feed and shows what they map to, what is missing, what would be rejected and why.
 * Sources that cannot be read and columns that do not exist are problems of the result, not errors.
 */
export async function checkFeed(feed: Feed, options: CheckOptions = {}): Promise<FeedCheck> {
  const limit = options.rows ?? 1000;
  const read = options.read ?? (spec => readInput(spec, readContext(feed.baseDir)));
  const result: FeedCheck = {
    ok: true,
    feed: feed.name,
    kind: feed.kind,
    file: feed.file,
    preset: feed.preset,
    problems: [],
    warnings: [],
    extent: null,
    parts: [],
    tiles: null,
    keys: null,
  };
  if (feed.kind === 'assessor') {
    await checkAssessor(feed, limit, read, result);
  } else if (feed.kind === 'listings') {
    const mapping: Mapping = {
      kind: 'listings',
      names: LISTING_FIELD_NAMES,
      columns: feed.listings.columns,
      map: compileListingMapper(feed.listings),
    };
    await checkPart('listings', feed.listings.input, mapping, limit, read, result);
  } else if (feed.kind === 'elevation') {
    result.tiles = await checkElevation(feed, limit, result.problems, result.warnings);
  } else {
    const places = layerPlaces(feed);
    await checkPart('layer', feed.layer.input, layerMapping(feed, places), limit, read, result);
    result.problems.push(...places.problems());
    result.extent = places.extent();
    result.warnings.push(...coverageWarnings(feed, result.extent));
  }
  judgeEmpty(feed, result);
  for (const part of result.parts) judge(part, feed.gates.maxRejectPercent, result.problems);
  return { ...result, ok: result.problems.length === 0 };
}

type Read = NonNullable<CheckOptions['read']>;

/** A layer is its geometry: what would be rejected for it is shown with the rest. */
function layerMapping({ kind, layer }: LayerFeed, { take }: Places): Mapping {
  const { columns } = layer;
  return { kind, names: LAYER_FIELD_NAMES[kind], columns, map: compileLayerMapper(kind, layer), place: take };
}

async function checkAssessor(
  feed: AssessorFeed,
  limit: number,
  read: Read,
  result: FeedCheck,
): Promise<void> {
  const places = parcelPlaces(feed);
  const mapping = (part: 'roll' | 'shape'): Mapping => ({
    kind: 'assessor',
    names: PARCEL_FIELD_NAMES,
    columns: feed[part]?.columns ?? {},
    place: part === 'shape' ? places.ofShape : places.take,
    map: compileParcelMapper(feed[part] ?? feed.roll, {
      fips: feed.fips,
      sales: part === 'roll' ? feed.sales : null,
    }),
  });
  const keys = new Set<string>();
  await checkPart('roll', feed.roll.input, mapping('roll'), limit, read, result, key => keys.add(key));
  if (feed.shape === null) {
    result.problems.push(...places.problems());
    return;
  }
  const checked = keys.size;
  // The roll's first rows may lie anywhere in the geometry: read on until each has turned up.
  const sought = (key: string): boolean => keys.delete(key);
  await checkPart(
    'shape',
    feed.shape.input,
    mapping('shape'),
    limit,
    read,
    result,
    sought,
    () => keys.size > 0,
  );
  result.problems.push(...places.problems());
  result.keys = { checked, matched: checked - keys.size, unmatched: [...keys].slice(0, UNMATCHED_SHOWN) };
}

async function checkPart(
  part: PartCheck['part'],
  spec: InputSpec,
  mapping: Mapping,
  limit: number,
  read: Read,
  result: FeedCheck,
  onKey: (key: string) => unknown = () => {},
  readOn: () => boolean = () => false,
): Promise<void> {
  let state: PartState | undefined;
  let whole = true;
  const bad: BadRow[] = [];
  try {
    for await (const batch of read(spec)) {
      bad.push(...batch.bad);
      if (batch.rows.length === 0) continue;
      state ??= newPartCheck(part, spec, mapping, batch.rows.slice(0, limit));
      for (const row of batch.rows) {
        if (state.rows < limit) state.add(row, onKey);
        else {
          whole = false;
          if (readOn()) state.keyOf(row, onKey);
        }
      }
      if (state.rows >= limit && !readOn()) {
        // Whether more rows follow is not looked at.
        whole = false;
        break;
      }
    }
    if (state === undefined) result.problems.push(`${part}: the source has no usable rows.`);
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    whole = false;
    result.problems.push(...error.message.split('\n').map(line => `${part}: ${line}`));
  }
  state ??= bad.length > 0 ? newPartCheck(part, spec, mapping, []) : undefined;
  for (const row of bad) state?.addBad(row);
  if (state) result.parts.push({ ...state.result(), whole });
}

/** As the gate: of a source that was read in part, what is not among its first rows may follow. */
function judgeEmpty(feed: Feed, { parts, problems, warnings }: FeedCheck): void {
  if (parts.length === 0 || parts.some(({ usable }) => usable > 0)) return;
  // An incremental source may have nothing new.
  if (feed.kind === 'listings' && !feed.listings.snapshot) return;
  const layer = parts[0]!.part === 'layer';
  const read = parts.reduce((sum, { rows }) => sum + rows, 0);
  const name = parts.map(({ part }) => part).join(', ');
  if (parts.every(({ whole }) => whole))
    problems.push(`${name}: ${layer ? noneCounts(read, { rows: 'features' }) : NO_USABLE_ROW}`);
  else
    warnings.push(
      `${name}: of the first ${read} ${layer ? 'features none counts' : 'rows none is usable'}, and a run of which that holds is blocked; --rows reads more of them.`,
    );
}

function judge(part: PartCheck, maxRejectPercent: number, problems: string[]): void {
  const rejected = part.rejected.reduce((sum, { count }) => sum + count, 0);
  const percent = (100 * rejected) / Math.max(1, part.rows);
  if (percent <= maxRejectPercent) return;
  problems.push(
    `${part.part}: ${rejected} of ${part.rows} rows would be rejected (${percent.toFixed(1)} %, at most ${maxRejectPercent} %).`,
  );
}

function readContext(baseDir: string) {
  return { baseDir, tmpDir: tmpdir(), signal: new AbortController().signal, env: process.env };
}
