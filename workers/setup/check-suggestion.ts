import type { LoadedFeed } from '../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { type PresetName, readPreset } from '../feeds/presets.ts';
import type { Candidate } from '../feeds/suggest/column-profile.ts';
import { isReso, listingColumns } from '../feeds/suggest/listing-file.ts';
import { overlayPresetOf } from '../feeds/suggest/overlay-file.ts';
import { saleColumns, salePresetOf, salesSection } from '../feeds/suggest/sale-file.ts';
import { type Sample, type Suggestions, suggestColumns } from '../feeds/suggest/suggest-columns.ts';
import {
  columnLines,
  type FeedHead,
  feedHead,
  inputLines,
  plainColumnLines,
} from '../feeds/suggest/write-feed.ts';
import { decimalPoint, newNotation, noteNotation } from '../feeds/values/number-notation.ts';
import type { InputSection } from '../formats/format-input.ts';
import type { SourceRow } from '../formats/row-batch.ts';
import { type CheckOptions, checkFeed } from '../ingest/check-feed.ts';
import type { FeedCheck } from '../ingest/engine/dry-run.ts';
import type { FindLoaded } from '../ingest/kinds/assessor/loaded-feeds.ts';
import { parseFeed } from '../ingest/load-feeds.ts';
import { guessCounty } from './county-of-rows.ts';
import { columnsSampled, kindOfColumns, readSample } from './read-sample.ts';

export type SuggestRequest = {
  /** What to read. Relative paths are resolved against `baseDir`. */
  input: InputSection;
  baseDir: string;
  file: string;
  head: Omit<FeedHead, 'kind' | 'fips'> & { fips?: string | undefined };
  about?: readonly string[];
  rows: number;
  /** The parcel number column, if it is known. */
  key?: string | undefined;
  /** The preset for a source in a known schema. Plat then suggests no columns. */
  preset?: PresetName | undefined;
  /** Whether to disable the feed, with its problems as comments, if it can't run yet. */
  switchOff?: boolean;
  sharedDir?: string;
  /** A person's corrections, instead of the suggestions. */
  suggest?: typeof suggestColumns;
  /** Undefined if there is no database. */
  findLoaded?: FindLoaded | undefined;
  /** Default: a signal that never aborts. */
  signal?: AbortSignal | undefined;
};

export type SuggestedFeed = {
  text: string;
  kind: string;
  fips: string | null;
  /** Why Plat chose this county. Null if the rows' locations are in it. */
  fipsWhy: string | null;
  rows: number;
  suggestions: Suggestions | null;
  /** The check of the feed on the sampled rows. Null, with a problem, if the feed can't be loaded. */
  check: FeedCheck | null;
  problems: string[];
  /** Feeds that have already loaded parcels in these rows. */
  loaded: LoadedFeed[];
};

/** @throws PlatError from the source; `feed_format` if it has no rows */
export async function suggestFeed(request: SuggestRequest): Promise<SuggestedFeed> {
  const { head } = request;
  const sample = await readSample(request.input, { ...request, fips: head.fips });
  const { input, batch, names, layer } = sample;
  const { rows } = batch;
  const preset =
    request.preset ?? salePresetOf(names) ?? overlayPresetOf(names) ?? (isReso(names) ? 'reso' : undefined);
  const known = preset ? readPreset(preset).kind : kindOfColumns(names);
  const suggest = withDecimalCommas(request.suggest ?? suggestColumns);
  const columns = columnsSampled(sample, request.key);
  const isOpen = known === 'assessor' && !preset;
  const offered = isOpen ? listingColumns(columns) : null;
  const suggestions = isOpen && !offered ? suggest(columns) : null;
  const county = head.fips ? { fips: head.fips, why: null } : guessCounty(rows, suggestions);
  const fips = county?.fips ?? null;
  const values = rows.map(row => row.values);
  const hasAreas = columns.acres.some(acres => acres !== null);
  const sold = suggestions && !hasAreas ? saleColumns(suggestions, values, names) : undefined;
  const kind = sold || offered ? 'listings' : known;
  const lines = inputLines(input);
  const body = suggestions
    ? suggestedLines(suggestions, sold, lines, values)
    : offered
      ? ['', 'listings:', ...lines, ...plainColumnLines(offered.columns)]
      : preset
        ? [`preset: ${preset}`, '', SECTIONS[kind] ?? 'roll:', ...lines]
        : ['', 'layer:', ...lines];
  const textOf = (problems: readonly string[], comps: readonly string[] = []) => {
    const off = problems.length > 0;
    const about = [
      ...(request.about ?? []),
      preset
        ? `Checked on the first ${rows.length} rows.`
        : offered
          ? `Suggested from the first ${rows.length} rows. They are listings, because of ${offered.marks.join(', ')}.`
          : `Suggested from the first ${rows.length} rows. The percentages show how sure Plat is of each column; see docs/feeds.md.`,
      ...(off ? ['Disabled, because it cannot run yet. Fix these problems, then remove `disabled`:'] : []),
      ...problems.map(problem => `- ${problem}`),
    ];
    const attribution = head.attribution ?? (layer?.copyrightText || undefined);
    const top = [
      '# yaml-language-server: $schema=../feed.schema.json',
      ...feedHead({ ...head, attribution, kind, fips, fipsWhy: county?.why, disabled: off }, about),
    ];
    return `${[...top, ...body, ...salesLines(comps)].join('\n')}\n`;
  };
  const read = async function* () {
    yield batch;
  };
  const checked = await checkText(textOf([]), request, rows, { rows: rows.length, read });
  const { check, problems, loaded } = checked;
  const text = textOf(request.switchOff ? problems : [], check?.comps);
  const fipsWhy = county?.why ?? null;
  return { text, kind, fips, fipsWhy, rows: rows.length, suggestions, check, problems, loaded };
}

const SECTIONS: Record<string, string> = { listings: 'listings:', overlay: 'layer:' };

function suggestedLines(
  suggestions: Suggestions,
  sold: ReturnType<typeof saleColumns>,
  lines: readonly string[],
  values: readonly Record<string, unknown>[],
): string[] {
  if (sold === undefined) return ['', 'roll:', ...lines, ...columnLines(suggestions)];
  return ['', 'listings:', ...lines, ...columnLines(sold), ...salesSection(sold, values)];
}

/** Notes about sales, in the form of comments at the end of a feed. */
const salesLines = (comps: readonly string[]): string[] =>
  comps.length === 0 ? [] : ['', ...comps.map(line => `# ${line}`)];

/** Loads and checks the text of a suggested feed. @param first the first rows */
export async function checkText(
  text: string,
  { file, findLoaded }: Pick<SuggestRequest, 'file' | 'findLoaded'>,
  first: readonly SourceRow[],
  options: CheckOptions,
): Promise<Pick<SuggestedFeed, 'check' | 'problems' | 'loaded'>> {
  try {
    const feed = parseFeed(text, file);
    const check = await checkFeed(feed, options);
    const loaded = check.problems.length === 0 ? await findLoaded?.(feed, first) : undefined;
    return { check, problems: check.problems, loaded: loaded ?? [] };
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    return { check: null, problems: error.message.split('\n'), loaded: [] };
  }
}

type Suggest = (sample: Sample) => Suggestions;

/**
 * If a file has decimal commas, converts the numbers before suggesting columns, and adds `decimal: ","` to
 * the columns that have them.
 */
const withDecimalCommas =
  (suggest: Suggest): Suggest =>
  sample => {
    const commas = commaColumns(sample.columns);
    if (commas.size === 0) return suggest(sample);
    const columns = sample.columns.map(column =>
      commas.has(column.name) ? { ...column, values: column.values.map(decimalPoint) } : column,
    );
    const { key, fields } = suggest({ ...sample, columns });
    const declare = (candidate: Candidate): Candidate => {
      const isNumber = NUMERIC.has(PARCEL_FIELDS[candidate.field as keyof typeof PARCEL_FIELDS]?.type);
      if (!isNumber || !candidate.columns.every(name => commas.has(name))) return candidate;
      return { ...candidate, spec: { ...candidate.spec, decimal: ',' } };
    };
    return {
      key,
      fields: fields.map(({ field, mapped, others }) => ({
        field,
        mapped: mapped && declare(mapped),
        others: others.map(declare),
      })),
    };
  };

const NUMERIC = new Set<string>(['number', 'money', 'integer']);

/**
 * The columns with decimal commas. If at least one column clearly has them, also includes the columns that
 * may have them.
 */
function commaColumns(columns: Sample['columns']): Set<string> {
  const noted = columns.map(({ name, values }) => {
    const notation = newNotation();
    for (const value of values) noteNotation(notation, value);
    return { name, ...notation };
  });
  const possible = noted.filter(({ comma, either, point }) => comma + either > 0 && point === 0);
  return new Set(possible.some(({ comma }) => comma > 0) ? possible.map(({ name }) => name) : []);
}
