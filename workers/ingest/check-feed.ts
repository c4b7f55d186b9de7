import type { Box } from '../../shared/geo/geometry-types.ts';
import type { AssessorFeed, DncFeed, Feed, LayerFeed, MappedInput, ParcelInput } from '../feeds/feed.ts';
import { readDnc } from '../formats/dnc-file.ts';
import type { InputSpec } from '../formats/format-input.ts';
import { readInput } from '../formats/read-format.ts';
import type { BadRow, RowBatch, SourceRow } from '../formats/row-batch.ts';
import { openSource } from '../formats/source.ts';
import { NO_USABLE_ROWS, SAME_FORM } from './engine/gate.ts';
import { noUsableFeatures } from './layers/gate-layer.ts';
import { compileBlockMapper } from './kinds/numbering/map-block.ts';
import { compileContactMapper } from './kinds/contacts/map-contact.ts';
import { compileLayerMapper } from './layers/map-layer.ts';
import { compileListingMapper } from './kinds/listings/map-listing.ts';
import { compileParcelMapper, showsSales } from './kinds/assessor/map-parcel.ts';
import { compileRecordedMapper } from './kinds/listings/map-recorded.ts';
import { compsOf } from './kinds/listings/check-comps.ts';
import { checkElevation, type TilesCheck } from './kinds/elevation/check-elevation.ts';
import { checkContext } from './layers/check-files.ts';
import { checkImagery, type ImageryCheck } from './kinds/imagery/check-imagery.ts';
import { addProblem, type Mapping, openPart, type PartCheck } from './engine/check-part.ts';
import { coverageWarnings, layerPlaces, parcelPlaces } from './layers/check-place.ts';

/** What the first rows of a feed's sources come to. Plain data, for the terminal and for scripts. */
export type FeedCheck = {
  /** False when the feed cannot run as it is, or more rows would be rejected than its gate allows. */
  ok: boolean;
  feed: string;
  kind: Feed['kind'];
  file: string;
  preset: string | null;
  problems: string[];
  warnings: string[];
  /** What becomes of the sales: how many would be comps, by which choice, or why there are none. */
  comps: string[];
  /** Roads, wetlands and flood: the box around what was read, in degrees; else null. */
  extent: Box | null;
  parts: PartCheck[];
  /** Kind elevation: what the headers of the first tiles say; null when none could be read. */
  tiles: TilesCheck | null;
  /** Kind imagery: where it is and how fine; null when none could be read. */
  imagery: ImageryCheck | null;
  /** Two-file feeds: how many keys of the roll's first rows the whole shape file has. */
  keys: KeyCheck | null;
};

export type KeyCheck = { checked: number; matched: number; unmatched: string[] };

export type CheckOptions = {
  /** How many rows of each source to map. Default 1,000. */
  rows?: number;
  sharedDir?: string;
  read?: (spec: InputSpec) => AsyncIterable<RowBatch>;
};

const UNMATCHED_SHOWN = 5;

type Check = { limit: number; read: NonNullable<CheckOptions['read']>; result: FeedCheck };

/**
 * What the first rows of a feed map to. Sources that cannot be read and columns that do not exist are
 * problems of the result, not errors.
 */
export async function checkFeed(feed: Feed, options: CheckOptions = {}): Promise<FeedCheck> {
  const result: FeedCheck = {
    ok: true,
    feed: feed.name,
    kind: feed.kind,
    file: feed.file,
    preset: feed.preset,
    problems: [],
    warnings: [],
    comps: [],
    extent: null,
    parts: [],
    tiles: null,
    imagery: null,
    keys: null,
  };
  const limit = options.rows ?? 1000;
  const shared = options.sharedDir !== undefined && { sharedDir: options.sharedDir };
  const onShortfall = (announced: number, sent: number) =>
    void result.warnings.push(
      `The server counts ${announced} rows and sent ${sent}: ask its owner which number is right.`,
    );
  const read =
    options.read ??
    (spec => readInput(spec, { ...checkContext(feed.baseDir), rows: limit + 1, onShortfall, ...shared }));
  const check: Check = { limit, read, result };
  if (feed.kind === 'assessor') await checkAssessor(check, feed);
  else if (feed.kind === 'listings')
    await checkPart(check, feed.kind, feed.listings, {
      kind: feed.kind,
      map: feed.listings.recorded
        ? compileRecordedMapper(feed.listings, feed.listings.recorded)
        : compileListingMapper(feed.listings),
      sales: feed.listings.recorded?.sales ?? null,
    });
  else if (feed.kind === 'contacts')
    await checkPart(check, feed.kind, feed.contacts, {
      kind: feed.kind,
      map: compileContactMapper(feed.contacts),
    });
  else if (feed.kind === 'numbering')
    await checkPart(check, feed.kind, feed.numbering, {
      kind: feed.kind,
      map: compileBlockMapper(feed.numbering),
    });
  else if (feed.kind === 'dnc') await checkRegistry(check, feed);
  else if (feed.kind === 'elevation')
    result.tiles = await checkElevation(feed, check.limit, result.problems, result.warnings);
  else if (feed.kind === 'imagery')
    result.imagery = await checkImagery(feed, check.limit, result.problems, result.warnings);
  else await checkLayer(check, feed);
  judgeEmpty(feed, result);
  result.comps = compsOf(feed, result.parts);
  for (const part of result.parts) judgeRejects(part, feed.gates.max_reject_percent, result.problems);
  return { ...result, ok: result.problems.length === 0 };
}

/** How many numbers the files hold; a list is read whole, which takes a minute for the nation's. */
async function checkRegistry({ result }: Check, { baseDir, dnc }: DncFeed): Promise<void> {
  const columns = dnc.list === 'changes' ? dnc.columns : null;
  for (const source of dnc.sources) {
    const [numbers, faults] = [{ added: 0, removed: 0 }, [] as string[]];
    try {
      const opened = await openSource(
        source,
        { extensions: ['.txt', '.csv', '.xml'] },
        checkContext(baseDir),
      );
      const lines = await readDnc(opened.bytes(), columns, {
        add: () => void numbers.added++,
        remove: () => void numbers.removed++,
        bad: (lineNo, what) =>
          void (faults.length < UNMATCHED_SHOWN && faults.push(`dnc: ${source} line ${lineNo} ${what}`)),
      }).finally(opened.close);
      if (numbers.added + numbers.removed === 0)
        result.problems.push(`dnc: ${source} holds no number in ${lines} lines.`);
      result.warnings.push(...faults);
    } catch (error) {
      addProblem(result.problems, 'dnc', error);
    }
  }
}

async function checkLayer(check: Check, feed: LayerFeed): Promise<void> {
  const { kind, layer } = feed;
  const { result } = check;
  const places = layerPlaces(feed);
  await checkPart(check, 'layer', layer, { kind, map: compileLayerMapper(kind, layer), place: places.add });
  result.problems.push(...places.problems());
  result.extent = places.extent();
  result.warnings.push(...coverageWarnings(feed, result.extent));
}

async function checkAssessor(check: Check, feed: AssessorFeed): Promise<void> {
  const { result } = check;
  const places = parcelPlaces(feed);
  const mapping = (input: ParcelInput, place: NonNullable<Mapping['place']>) => {
    const sales = input !== feed.shape && showsSales(input) ? feed.sales : null;
    return {
      kind: 'assessor' as const,
      map: compileParcelMapper(input, { fips: feed.fips, sales }),
      place,
      sales,
    };
  };
  const keys = new Set<string>();
  await checkPart(check, 'roll', feed.roll, mapping(feed.roll, places.add), key => keys.add(key));
  for (const [i, input] of feed.furtherRolls.entries())
    await checkPart(check, `roll ${i + 2}`, input, mapping(input, places.add));
  if (feed.shape !== null) {
    const checked = keys.size;
    const ofShape = mapping(feed.shape, places.addShape);
    // The roll's first rows may lie anywhere in the geometry: read on until each has turned up. A server is
    // not asked for so much.
    const isServer = feed.shape.input.format === 'arcgis';
    const more = () => !isServer && keys.size > 0;
    let example: string | undefined;
    const onKey = (key: string) => {
      example ??= key;
      keys.delete(key);
    };
    await checkPart(check, 'shape', feed.shape, ofShape, onKey, more);
    const unmatched = [...keys].slice(0, UNMATCHED_SHOWN);
    if (!isServer) {
      result.keys = { checked, matched: checked - keys.size, unmatched };
      // The keys of rows that were not read may be there.
      const told = result.parts[0]!.whole ? result.problems : result.warnings;
      if (checked > 0 && checked === keys.size && example !== undefined)
        told.push(
          `shape: none of the first ${checked} keys of the roll, such as ${unmatched[0]}, is in the shape file, which has keys such as ${example}. ${SAME_FORM}`,
        );
    } else
      result.warnings.push(
        "shape: only the layer's first rows were read, so whether the roll's keys are among them is not known.",
      );
  }
  result.problems.push(...places.problems());
  result.warnings.push(...places.warnings());
}

async function checkPart(
  { limit, read, result }: Check,
  name: PartCheck['part'],
  { input: spec, columns }: MappedInput<string>,
  rest: Omit<Mapping, 'columns'>,
  onKey: (key: string) => unknown = () => {},
  readOn: () => boolean = () => false,
): Promise<void> {
  const open = (firstRows: readonly SourceRow[]) =>
    openPart(name, spec, { ...rest, columns }, firstRows, onKey);
  let part: ReturnType<typeof openPart> | undefined;
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
        if (rows < limit) part.add(row);
        else if (readOn()) {
          const mapped = rest.map(row);
          if (mapped.ok && mapped.key !== undefined) onKey(mapped.key);
        }
        rows++;
      }
      whole = rows <= limit;
      if (rows < limit || readOn()) continue;
      // Whether more rows follow is not looked at.
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
  for (const row of bad) part.addBad(row);
  part.skip(skipped);
  result.warnings.push(...part.warnings());
  result.parts.push(part.finish(whole));
}

/** With the reason of the first. */
export function noUsableRows([first]: readonly Pick<BadRow, 'rowNo' | 'message'>[]): string {
  return `the source has no usable rows${first ? `: row ${first.rowNo}: ${first.message}` : ' at all: it is empty'}.`;
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
    problems.push(
      `${name}: ${layer ? noUsableFeatures(read, { rows: 'features' }) : NO_USABLE_ROWS}${firstReject(parts)}`,
    );
  else
    warnings.push(
      `${name}: of the first ${read} ${layer ? 'features none counts' : 'rows none is usable'}, and a run of which that holds is blocked; --rows reads more of them.`,
    );
}

function firstReject(parts: readonly PartCheck[]): string {
  const [first] = parts.flatMap(({ rejected }) => rejected).sort((a, b) => a.rowNo - b.rowNo);
  return first === undefined ? '' : ` Row ${first.rowNo}: ${first.message}.`;
}

function judgeRejects(part: PartCheck, max_reject_percent: number, problems: string[]): void {
  const rejected = part.rejected.reduce((sum, { count }) => sum + count, 0);
  const percent = (100 * rejected) / Math.max(1, part.rows);
  if (percent <= max_reject_percent) return;
  problems.push(
    `${part.part}: ${rejected} of ${part.rows} rows would be rejected (${percent.toFixed(1)} %, at most ${max_reject_percent} %).`,
  );
}
