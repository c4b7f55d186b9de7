import { PlatError } from '../../../shared/base/errors.ts';
import { boxOfGeometry } from '../../../shared/geo/box.ts';
import { formatError } from '../../../shared/net/download-context.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { nearestCounty } from '../../../shared/regions/county-polygons.ts';
import type { PresetName } from '../../feeds/feed-schema.ts';
import { LAYER_DEFAULTS } from '../../feeds/layer-schema.ts';
import { parseFeed } from '../../feeds/load-feeds.ts';
import { readPreset } from '../../feeds/resolve-feed.ts';
import { measuredAcres } from '../../feeds/suggest/column-profile.ts';
import { salePresetOf } from '../../feeds/suggest/sale-file.ts';
import { type Suggestions, suggestColumns } from '../../feeds/suggest/suggest-columns.ts';
import { columnLines, type FeedHead, feedHead, inputLines } from '../../feeds/suggest/write-feed.ts';
import { readLayerInfo } from '../../formats/arcgis-layer.ts';
import { type InputSection, type InputSpec, inputSpec, readWindow } from '../../formats/format-input.ts';
import { readInput } from '../../formats/read-format.ts';
import type { ReadContext, RowBatch, SourceRow } from '../../formats/row-batch.ts';
import { columnsOf } from '../map/source-columns.ts';
import { checkFeed, type FeedCheck } from './check-feed.ts';
import { checkContext } from './check-files.ts';

export type SuggestRequest = {
  /** What to read; relative paths start at `baseDir`. */
  input: InputSection;
  baseDir: string;
  file: string;
  head: Omit<FeedHead, 'kind' | 'fips'> & { fips?: string | undefined };
  about?: readonly string[];
  rows: number;
  /** The column of the parcel number, where somebody knows it. */
  key?: string | undefined;
  /** Of a source in a known schema: nothing is suggested then. */
  preset?: PresetName | undefined;
  /** Switch the feed off, with its problems as comments, where it cannot run as it is. */
  switchOff?: boolean;
  sharedDir?: string;
  /** In place of what is suggested: what somebody has corrected. */
  suggest?: typeof suggestColumns;
  /** Default: it ends with its process. */
  signal?: AbortSignal | undefined;
};

export type SuggestedFeed = {
  text: string;
  kind: string;
  fips: string | null;
  rows: number;
  suggestions: Suggestions | null;
  /**
   * What the feed comes to on the rows that were read; null where it cannot be loaded, with the reason
   * among the problems.
   */
  check: FeedCheck | null;
  problems: string[];
};

/**
 * Writes a feed for a source by its first rows: kind, county, columns. @throws PlatError of the source;
 * `feed_format` when it has no rows
 */
export async function suggestFeed(request: SuggestRequest): Promise<SuggestedFeed> {
  const { head } = request;
  const context = readContext(request);
  const fipsCode = head.fips === undefined ? null : Number(head.fips);
  const written = request.preset ? readPreset(request.preset).input : {};
  const spec = {
    ...inputSpec({ ...written, ...request.input }),
    ...readWindow(request.input, fipsCode, 'parcels', refuse),
  };
  const layer = spec.format === 'arcgis' ? await readLayerInfo(spec, context) : null;
  const aliases = new Map(layer?.fields.map(({ name, alias }) => [name, alias]));
  const { batch, titles } = await rowsBelowTitles(spec, context, request.rows);
  const input = titles === 0 ? request.input : { ...request.input, skip_lines: titles };
  const { rows } = batch;
  const names = columnsOf(rows);
  const preset = request.preset ?? salePresetOf(names);
  const kind = preset ? readPreset(preset).kind : kindOf(names);
  const fips = head.fips ?? countyOf(rows);
  const suggestions =
    kind === 'assessor' && !preset
      ? (request.suggest ?? suggestColumns)({
          columns: names.map(name => ({
            name,
            alias: aliases.get(name),
            values: rows.map(({ values }) => values[name]),
          })),
          acres: measuredAcres(rows),
          key: request.key,
        })
      : null;
  const lines = inputLines(input);
  const body = suggestions
    ? ['', 'roll:', ...lines, ...columnLines(suggestions)]
    : preset
      ? [`preset: ${preset}`, '', kind === 'listings' ? 'listings:' : 'roll:', ...lines]
      : ['', 'layer:', ...lines];
  const textOf = (problems: readonly string[], comps: readonly string[] = []) => {
    const off = problems.length > 0;
    const about = [
      ...(request.about ?? []),
      preset
        ? `Checked on the first ${rows.length} rows.`
        : `Suggested from the first ${rows.length} rows. The percentages tell how sure a column is, and why; see docs/feeds.md.`,
      ...(off ? ['Switched off, because it cannot run as it is. Correct it and take `disabled` away:'] : []),
      ...problems.map(problem => `- ${problem}`),
    ];
    const schema = '# yaml-language-server: $schema=../feed.schema.json';
    const attribution = head.attribution ?? (layer?.copyrightText || undefined);
    const top = [schema, ...feedHead({ ...head, attribution, kind, fips, disabled: off }, about)];
    return `${[...top, ...body, ...salesLines(comps)].join('\n')}\n`;
  };
  const { check, problems } = await checkText(textOf([]), request.file, batch);
  const text = textOf(request.switchOff ? problems : [], check?.comps);
  return { text, kind, fips, rows: rows.length, suggestions, check, problems };
}

/** What the rows tell of sales, as comments at the end of a feed. */
const salesLines = (comps: readonly string[]): string[] =>
  comps.length === 0 ? [] : ['', ...comps.map(line => `# ${line}`)];

async function checkText(
  text: string,
  file: string,
  batch: RowBatch,
): Promise<{ check: FeedCheck | null; problems: string[] }> {
  try {
    const feed = parseFeed(text, file);
    const read = async function* () {
      yield batch;
    };
    const check = await checkFeed(feed, { rows: batch.rows.length, read });
    return { check, problems: check.problems };
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    return { check: null, problems: error.message.split('\n') };
  }
}

function refuse(message: string): never {
  throw formatError(`within: ${message}.`);
}

function readContext({ baseDir, rows, sharedDir, signal }: SuggestRequest): ReadContext {
  // People wait for it: three tries, and not the half minute that a run waits.
  const limits = { tries: 3 };
  return {
    ...checkContext(baseDir),
    rows,
    limits,
    ...(sharedDir !== undefined && { sharedDir }),
    ...(signal && { signal }),
  };
}

/** How many lines of titles may stand above the header of a table. */
const MOST_TITLES = 10;

/** The first rows of a source; of a table under titles those below the line that names its columns. */
async function rowsBelowTitles(
  spec: InputSpec,
  context: ReadContext,
  wanted: number,
): Promise<{ batch: RowBatch; titles: number }> {
  const mayHaveTitles = spec.format === 'csv' || spec.format === 'xlsx';
  const isGiven = spec.header !== undefined || spec.skip_lines !== undefined;
  if (!mayHaveTitles || isGiven) return { batch: await firstRows(spec, context, wanted), titles: 0 };
  let first: unknown;
  for (let titles = 0; titles <= MOST_TITLES; titles++) {
    try {
      const read = titles === 0 ? spec : { ...spec, skip_lines: titles };
      const batch = await firstRows(read, context, wanted);
      const isTable = batch.rows.length >= batch.bad.length;
      if (isTable && (titles === 0 || columnsOf(batch.rows).every(isColumnName))) return { batch, titles };
      first ??= formatError(
        `${[spec.source].flat()[0]}: most rows have another number of cells than its header.`,
      );
    } catch (error) {
      if (!(error instanceof PlatError) || error.code !== 'feed_format') throw error;
      first ??= error;
    }
  }
  throw first;
}

/** What is a number or a date is a value of a row, and names no column. */
const isColumnName = (name: string): boolean =>
  /[a-z]/i.test(name) && !/^\d+[\s/-]/.test(name) && name.length <= 64;

async function firstRows(input: InputSpec, context: ReadContext, wanted: number): Promise<RowBatch> {
  const sample: RowBatch = { rows: [], bad: [] };
  for await (const { rows, bad } of readInput(input, context)) {
    sample.rows.push(...rows);
    sample.bad.push(...bad);
    if (sample.rows.length >= wanted || sample.bad.length >= wanted) break;
  }
  if (sample.rows.length === 0) throw formatError(`${[input.source].flat()[0]} has no usable rows.`);
  sample.rows = sample.rows.slice(0, wanted);
  return sample;
}

function kindOf(names: readonly string[]): string {
  const there = new Set(names.map(name => name.toUpperCase()));
  const has = (column: string) => there.has(column) || there.has(column.slice(0, 10));
  const { mtfcc } = LAYER_DEFAULTS.roads;
  if (has(String(mtfcc))) return 'roads';
  if (has('WETLAND_TYPE') && has('ATTRIBUTE')) return 'wetlands';
  return has('FLD_ZONE') ? 'flood' : 'assessor';
}

/** How many of the rows have to lie in one county for it to be the feed's. */
const IN_COUNTY = 0.9;

function countyOf(rows: readonly SourceRow[]): string | null {
  const counties = new Map<number, number>();
  let placed = 0;
  for (const { geometry } of rows) {
    const box = boxOfGeometry(geometry);
    const fips = box && nearestCounty((box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
    if (fips == null) continue;
    placed++;
    counties.set(fips, (counties.get(fips) ?? 0) + 1);
  }
  const [most] = [...counties].sort((a, b) => b[1] - a[1]);
  return most && most[1] >= IN_COUNTY * placed ? fiveDigits(most[0]) : null;
}
