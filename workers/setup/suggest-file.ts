import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  type AddFilePayload,
  type AddFileResult,
  type ColumnGuess,
  type FileChoice,
  type PartCheckResult,
  type ReadSettings,
  type Upload,
  type UploadFormat,
  uploadFolder,
} from '../../shared/feeds/file-feeds.ts';
import type { Config } from '../../shared/platform/config.ts';
import { writeErrorCode } from '../../shared/platform/disk.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { PARCEL_TARGETS } from '../feeds/parcel-targets.ts';
import type { Candidate } from '../feeds/suggest/column-profile.ts';
import { type Sample, type Suggestions, suggestColumns } from '../feeds/suggest/suggest-columns.ts';
import { displayValue, tidyText } from '../feeds/values/text-value.ts';
import type { FileFormat } from '../formats/file-formats.ts';
import type { InputSection } from '../formats/format-input.ts';
import { guessFormat } from '../formats/guess-format.ts';
import { formatOf } from '../formats/read-format.ts';
import type { FeedCheck } from '../ingest/engine/dry-run.ts';
import type { FindLoaded } from '../ingest/kinds/assessor/loaded-feeds.ts';
import { suggestFeed } from './check-suggestion.ts';
import { correctSuggestions, meaningsOf } from './correct-suggestions.ts';
import { feedName } from './feed-name.ts';

/** The same numbers of rows as `plat feed suggest` and `plat feed check`. */
const SUGGEST_ROWS = 500;
const CHECK_ROWS = 1_000;

const SAMPLES = 3;
const SAMPLE_CHARS = 60;

export type SuggestedFile = Omit<AddFileResult, 'written' | 'refused' | 'run'>;

/** Suggests a feed for an uploaded file, or applies a person's corrections, and checks it. */
export async function suggestFile(
  { upload, reading, name: given, county, choices, overlap }: AddFilePayload,
  config: Config,
  { signal, findLoaded }: { signal: AbortSignal; findLoaded: FindLoaded },
): Promise<SuggestedFile> {
  const path = join(uploadFolder(config, upload), upload.file);
  const format = await uploadedFormat(path, upload, reading);
  const name = given ?? feedName(upload.original);
  const feedFile = join(config.FEEDS_DIR, `${name}.yaml`);
  const source = relative(config.FEEDS_DIR, path);
  const plain = messagesFor({ path, source, feedFile }, upload.original);
  let found: { sample: Sample; suggestions: Suggestions } | undefined;
  const suggested = await suggestFeed({
    input: { ...reading, source, format } as InputSection,
    baseDir: config.FEEDS_DIR,
    file: feedFile,
    rows: choices ? CHECK_ROWS : SUGGEST_ROWS,
    head: { name, ...(county !== undefined && { fips: fiveDigits(county) }), overlap },
    about: [`Created at /admin from the uploaded file ${displayValue(upload.original)}.`],
    signal,
    findLoaded,
    suggest(sample) {
      const suggestions = suggestColumns(sample);
      found = { sample, suggestions };
      return choices ? correctSuggestions(suggestions, sample, choices) : suggestions;
    },
  }).catch(error => {
    if (!(error instanceof PlatError)) throw error;
    const choose = choiceOf(error);
    if (choose !== null) return { choose, problem: plain(error.message) };
    throw new PlatError(error.code, plain(error.message), { retryable: error.retryable, cause: error });
  });
  if ('choose' in suggested) return unread(name, feedFile, suggested);
  const { check, kind, fips, rows, problems, text } = suggested;
  return {
    choose: null,
    name,
    kind,
    preset: check?.preset ?? null,
    fips,
    fipsWhy: suggested.fipsWhy,
    rows,
    ...mappingOf(found, suggested.suggestions),
    parts: check?.parts.map(findingsOf) ?? [],
    problems: [...problems.map(plain), ...(await nameProblems(feedFile, text))],
    warnings: (check?.warnings ?? []).map(plain),
    comps: check?.comps ?? [],
    loaded: suggested.loaded,
    text,
    feedFile,
    notWritable: await writeErrorCode(config.FEEDS_DIR),
  };
}

/**
 * Makes messages use the file's original name, and removes line numbers, because they refer to a feed file
 * that doesn't exist yet.
 */
const messagesFor =
  ({ path, source, feedFile }: { path: string; source: string; feedFile: string }, original: string) =>
  (message: string): string =>
    message
      .replaceAll(path, original)
      .replaceAll(source, original)
      .split(`${feedFile}:`)
      .map((part, i) => (i === 0 ? part : part.replace(/^\d+: /, '')))
      .join('');

/** @throws PlatError `feed_source` if the upload is missing, `feed_format` if its format is unclear */
async function uploadedFormat(
  path: string,
  { original }: Upload,
  { format, member }: ReadSettings,
): Promise<UploadFormat | FileFormat> {
  if (!existsSync(path))
    throw new PlatError(
      'feed_source',
      `The worker can't find ${original} at ${path}. The API and the workers must share PLAT_DIR. An upload without a feed is deleted after a day.`,
    );
  const guessed =
    format ?? formatOf(member ?? '') ?? ((await guessFormat(path, original)) as FileFormat | null);
  if (guessed !== null) return guessed as UploadFormat | FileFormat;
  throw new PlatError('feed_format', `Can't tell the format of ${original} by its name. Choose its format.`);
}

function choiceOf({ details }: PlatError): FileChoice | null {
  const { layer, member } = (details ?? {}) as FileChoice;
  return layer || member ? { ...(layer && { layer }), ...(member && { member }) } : null;
}

const unread = (
  name: string,
  feedFile: string,
  { choose, problem }: { choose: FileChoice; problem: string },
): SuggestedFile => ({
  choose,
  name,
  kind: '',
  preset: null,
  fips: null,
  fipsWhy: null,
  rows: 0,
  ...mappingOf(undefined, null),
  parts: [],
  problems: [problem],
  warnings: [],
  comps: [],
  loaded: [],
  text: '',
  feedFile,
  notWritable: null,
});

/** Reports a problem instead of overwriting another feed's file. */
async function nameProblems(file: string, text: string): Promise<string[]> {
  const there = existsSync(file) ? await readFile(file, 'utf8') : text;
  // Ignore `overlap`, because a person can set it later for the same upload.
  const withoutOverlap = (feed: string) => feed.replace(/^overlap: .*\n/m, '');
  return withoutOverlap(there) === withoutOverlap(text)
    ? []
    : [`${file} already exists. Choose another name for the feed.`];
}

type Mapping = Pick<AddFileResult, 'columns' | 'key' | 'fields'>;

function mappingOf(
  found: { sample: Sample; suggestions: Suggestions } | undefined,
  chosen: Suggestions | null,
): Mapping {
  if (found === undefined || chosen === null)
    return { columns: [], key: { chosen: null, guess: null }, fields: [] };
  const { sample, suggestions } = found;
  return {
    columns: sample.columns.map(({ name, values }) => ({ name, ...samplesOf(values) })),
    key: { chosen: chosen.key?.columns[0] ?? null, guess: suggestions.key && guessOf(suggestions.key) },
    fields: PARCEL_TARGETS.map(field => {
      const guesses = suggestions.fields.find(each => each.field === field);
      const best = guesses?.mapped ?? null;
      const mapped = chosen.fields.find(each => each.field === field)?.mapped;
      return {
        field,
        chosen: mapped?.columns ?? [],
        meanings: mapped ? meaningsOf(field, mapped.spec, sample) : null,
        guess: best && guessOf(best),
        options: (guesses?.others ?? []).map(guessOf),
      };
    }),
  };
}

const guessOf = ({ columns, confidence, why }: Candidate): ColumnGuess => ({ columns, confidence, why });

function samplesOf(values: readonly unknown[]): { filled: number; samples: string[] } {
  const texts = values.flatMap(value => {
    const text = tidyText(
      typeof value === 'object' && !(value instanceof Date) ? JSON.stringify(value) : value,
    );
    return text === null ? [] : [text];
  });
  const samples = [...new Set(texts)].slice(0, SAMPLES).map(each => each.slice(0, SAMPLE_CHARS));
  return { filled: texts.length, samples };
}

function findingsOf({
  part,
  rows,
  sales,
  withGeometry,
  rejected,
  dropped,
  columns,
}: FeedCheck['parts'][number]): PartCheckResult {
  const fields = columns
    .filter(({ absent }) => !absent)
    .map(({ target, filled, samples }) => ({ field: target, filled, samples }));
  return { part, rows, sales, withGeometry, rejected, dropped, fields };
}
