import { PlatError } from '../../shared/platform/errors.ts';
import type { KeySpec } from '../feeds/column-schema.ts';
import { averageLength, type Profile, profileOf } from '../feeds/suggest/column-profile.ts';
import { isReso, listingColumns } from '../feeds/suggest/listing-file.ts';
import { saleColumns, salePresetOf } from '../feeds/suggest/sale-file.ts';
import {
  type Sample as ColumnSample,
  type Suggestions,
  suggestColumns,
} from '../feeds/suggest/suggest-columns.ts';
import { columnLines, feedHead, inline, inputLines } from '../feeds/suggest/write-feed.ts';
import type { InputSection } from '../formats/format-input.ts';
import { readInput } from '../formats/read-format.ts';
import type { SourceRow } from '../formats/row-batch.ts';
import { compileKey } from '../ingest/engine/map-fields.ts';
import { resolver } from '../ingest/engine/source-columns.ts';
import { checkText, type SuggestedFeed, type SuggestRequest } from './check-suggestion.ts';
import { guessCounty } from './county-of-rows.ts';
import {
  columnsSampled,
  kindOfColumns,
  readContext,
  readSample,
  type Sample,
  type SampleRequest,
} from './read-sample.ts';

type JoinRequest = Pick<SuggestRequest, 'baseDir' | 'file' | 'head' | 'rows' | 'findLoaded'> & {
  inputs: readonly InputSection[];
};

export type JoinedFeed = SuggestedFeed & {
  /** For each other source, how many of the keys in the first roll's first rows it has. */
  joins: { source: string; columns: [string, string]; matched: number; checked: number }[];
};

/** If fewer keys match, they match by chance, or the sources are from different counties. */
const MIN_SHARE = 0.5;

/** Joins sources by the columns whose values agree. @throws PlatError for a source, `feed_definition` */
export async function suggestJoined(request: JoinRequest): Promise<JoinedFeed> {
  const { head, inputs, rows, baseDir } = request;
  const reading = { baseDir, rows, fips: head.fips };
  const samples: Sample[] = [];
  for (const input of inputs) samples.push(await readSample(input, reading));
  const { rolls, shape } = partsOf(samples);
  const [first, ...further] = rolls;
  const others = [...further, ...(shape ? [shape] : [])];
  const matches = await Promise.all(others.map(other => matchKeys(first!, other, reading)));
  const own = bestKey(matches);
  const joins = matches.map(all => all.find(match => inline(match.own) === own) ?? null);
  const problems = others.flatMap((other, i) => unmatched(first!, other, joins[i] ?? null));
  const placed = shape ?? first!;
  const county = head.fips
    ? { fips: head.fips, why: null }
    : guessCounty(placed.batch.rows, suggestColumns(columnsSampled(placed)));
  const fips = county?.fips ?? null;
  const fipsWhy = county?.why ?? null;
  const isJoined = problems.length === 0;
  const parts = { first: first!, further, shape };
  const { body, suggestions } = sectionsOf(parts, isJoined ? joins : []);
  const about = [
    `Suggested from the first ${rows} rows of each source. The percentages show how sure Plat is of each column; see docs/feeds.md.`,
  ];
  const schema = '# yaml-language-server: $schema=../feed.schema.json';
  const top = [schema, ...feedHead({ ...head, kind: 'assessor', fips, fipsWhy }, about)];
  const text = `${[...top, ...body].join('\n')}\n`;
  const { check, problems: faults, loaded } = await checkText(text, request, first!.batch.rows, { rows });
  return {
    text,
    kind: 'assessor',
    fips,
    fipsWhy,
    rows: first!.batch.rows.length,
    suggestions: withKey(suggestions, isJoined ? joins[0]?.own : undefined),
    check,
    problems: [...problems, ...faults],
    loaded,
    joins: others.flatMap((other, i) => {
      const join = joins[i];
      return join
        ? [
            {
              source: nameOf(other),
              columns: [columnOf(join.own), columnOf(join.other)],
              matched: join.matched,
              checked: join.checked,
            },
          ]
        : [];
    }),
  };
}

type Parts = { first: Sample; further: Sample[]; shape: Sample | null };

/** @param joins the key matches with the other sources, or null for a source without common keys */
function sectionsOf(
  { first, further, shape }: Parts,
  joins: readonly (KeyMatch | null)[],
): { body: string[]; suggestions: Suggestions } {
  const mapped = new Set<string>();
  const section = (sample: Sample, key: KeySpec | undefined, why: string | undefined) => {
    const all = suggestColumns(columnsSampled(sample));
    // Skip fields that an earlier roll has, and coordinates if there are boundaries.
    const fields =
      sample === shape
        ? all.fields
        : all.fields.filter(({ field }) => !mapped.has(field) && !(shape && isPlace(field)));
    for (const { field, mapped: best } of fields) if (best) mapped.add(field);
    const line = key && `  key: ${inline(shortKey(key))}${why === undefined ? '' : `  # ${why}`}`;
    return {
      suggestions: all,
      lines: [...inputLines(sample.input), ...columnLines({ ...all, fields }, line)],
    };
  };
  const head = section(first, joins[0]?.own, undefined);
  const rest = [...further, ...(shape ? [shape] : [])].map((other, i) => {
    const join = joins[i];
    const why = join && `matches ${join.matched} of ${join.checked} keys of the first roll`;
    return section(other, join?.other, why ?? undefined).lines;
  });
  const rolls = [head.lines, ...rest.slice(0, further.length)];
  const body = [
    '',
    'roll:',
    ...(rolls.length === 1 ? head.lines : rolls.flatMap(asItem)),
    ...(shape ? ['', 'shape:', ...rest.at(-1)!] : []),
  ];
  return { body, suggestions: head.suggestions };
}

const isPlace = (field: string): boolean => field === 'longitude' || field === 'latitude';

/** Whether a sample is a table of sales, with one sale per row and no boundaries. */
const isOfSales = ({ batch, names }: Sample, columns: ColumnSample): boolean =>
  columns.acres.every(acres => acres === null) &&
  saleColumns(
    suggestColumns(columns),
    batch.rows.map(({ values }) => values),
    names,
  ) !== undefined;

const nameOf = ({ input }: Sample): string => String([input.source].flat()[0]);
const columnOf = ({ columns }: KeySpec): string => String(columns[0]);
const shortKey = (key: KeySpec): unknown => (Object.keys(key).length === 1 ? key.columns[0] : key);

/** Determines which samples are rolls and which one has the boundaries. */
function partsOf(samples: readonly Sample[]): { rolls: Sample[]; shape: Sample | null } {
  const refuse = (message: string) => new PlatError('feed_definition', message);
  for (const sample of samples) {
    const columns = columnsSampled(sample);
    if (isReso(sample.names) || listingColumns(columns))
      throw refuse(`${nameOf(sample)} is an export of listings. Suggest a feed for it on its own.`);
    if (salePresetOf(sample.names) || isOfSales(sample, columns))
      throw refuse(`${nameOf(sample)} is a sales file. Suggest a feed for it on its own.`);
    const kind = kindOfColumns(sample.names);
    if (kind !== 'assessor')
      throw refuse(`${nameOf(sample)} contains ${kind}, not parcels. Suggest a feed for it on its own.`);
  }
  const shapes = samples.filter(({ batch }) => batch.rows.some(({ geometry }) => geometry !== null));
  if (shapes.length > 1)
    throw refuse(
      `${shapes.map(nameOf).join(' and ')} both have shapes, but a feed has one source of boundaries. Use only one of them.`,
    );
  const [shape = null] = shapes;
  return { rolls: samples.filter(sample => sample !== shape), shape };
}

/**
 * The first roll's key with the best worst case, which is the key with the highest share of matches in the
 * source that it matches least.
 */
function bestKey(matches: readonly KeyMatch[][]): string | null {
  const shares = new Map<string, number>();
  for (const { own } of matches[0] ?? []) {
    const key = inline(own);
    const best = matches.map(all => all.find(match => inline(match.own) === key));
    shares.set(key, Math.min(...best.map(match => (match ? shareOf(match) : 0))));
  }
  const [most] = [...shares].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}

function unmatched(first: Sample, other: Sample, join: KeyMatch | null): string[] {
  if (join && shareOf(join) >= MIN_SHARE) return [];
  const best = join
    ? `the closest, ${columnOf(join.own)} and ${columnOf(join.other)}, match in ${join.matched} of ${join.checked} rows`
    : 'no column is unique in both';
  return [
    `${nameOf(first)} and ${nameOf(other)} have no column with the same keys: ${best}. Set the \`key\` of each section.`,
  ];
}

/** Formats the lines of a section as a list item. */
const asItem = (lines: readonly string[]): string[] =>
  lines.map((line, i) => (i === 0 ? `  - ${line.trimStart()}` : `  ${line}`));

function withKey(suggestions: Suggestions, key: KeySpec | undefined): Suggestions {
  if (key === undefined) return suggestions;
  const columns = [columnOf(key)];
  const why = 'the keys of the other sources';
  return {
    ...suggestions,
    key: { field: 'apn', columns, spec: { column: columns[0]! }, confidence: 0.95, why },
  };
}

/** Columns in two sources that have the same keys, and how many of the first source's first keys match. */
type KeyMatch = { own: KeySpec; other: KeySpec; matched: number; checked: number };

const MAX_COLUMNS = 5;
/** Shorter values often match by chance. */
const MIN_CHARS = 4;

/** Columns whose values differ from row to row, most distinct first. Excludes row counters. */
function keyColumns({ names, batch }: Sample): string[] {
  const differs = ({ filled, texts, distinct, serial }: Profile) =>
    filled.length >= 0.9 * texts.length && distinct >= 0.8 * filled.length && !serial;
  return names
    .map(name =>
      profileOf(
        name,
        undefined,
        batch.rows.map(({ values }) => values[name]),
      ),
    )
    .filter(each => differs(each) && !isFact(each) && averageLength(each) >= MIN_CHARS)
    .filter(({ numbers }) => numbers.every(value => value === null || Number.isInteger(value)))
    .sort((a, b) => isId(b) - isId(a) || b.distinct - a.distinct)
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
}

/**
 * Words in the names of columns that aren't keys, even though parcels' values, sizes, and names also match
 * across sources.
 */
const FACTS =
  'not value price total market assessed taxable land bldg acre area sqft measured date year own payer name mail addr situs street house sale'.split(
    ' ',
  );
const isFact = ({ ideas }: Profile): boolean =>
  FACTS.some(idea => ideas.has(idea)) && !ideas.has('pin') && !ideas.has('parcel');

const isId = ({ ideas }: Profile): number => Number(['pin', 'parcel', 'id'].some(idea => ideas.has(idea)));

/** The same numbers can be written with or without dashes and leading zeros. */
const FORMS: readonly Omit<KeySpec, 'columns'>[] = [
  {},
  { split: '-', join: '' },
  { split: '-', strip_leading_zeros: true },
];

type Candidate = { spec: KeySpec; form: number; keyOf: (row: SourceRow) => string | null };

function candidatesOf(sample: Sample): Candidate[] {
  const resolve = resolver(sample.names);
  return keyColumns(sample).flatMap(column =>
    FORMS.map((form, i) => {
      const spec = { columns: [column], ...form };
      const read = compileKey(spec, resolve);
      return { spec, form: i, keyOf: ({ values }: SourceRow) => read(values) };
    }),
  );
}

/**
 * Matching keys, best first. Reads the other source until all keys match. For a server, reads only the first
 * rows.
 */
async function matchKeys(own: Sample, other: Sample, request: SampleRequest): Promise<KeyMatch[]> {
  const wanted = candidatesOf(own).map(candidate => ({
    ...candidate,
    keys: new Set(own.batch.rows.map(candidate.keyOf).filter(key => key !== null)),
  }));
  const pairs = candidatesOf(other).flatMap(there =>
    wanted.filter(({ form }) => form === there.form).map(here => ({ here, there, left: new Set(here.keys) })),
  );
  const isServer = other.spec.format === 'arcgis' || other.spec.format === 'reso';
  const batches = isServer
    ? [other.batch]
    : readInput(other.spec, readContext({ ...request, rows: undefined }));
  for await (const { rows } of batches) {
    for (const row of rows)
      for (const { there, left } of pairs) {
        const key = there.keyOf(row);
        if (key !== null) left.delete(key);
      }
    if (pairs.some(({ here, left }) => here.keys.size > 0 && left.size === 0)) break;
  }
  return pairs
    .map(({ here, there, left }) => ({
      own: here.spec,
      other: there.spec,
      matched: here.keys.size - left.size,
      checked: here.keys.size,
    }))
    .sort((a, b) => shareOf(b) - shareOf(a));
}

export const shareOf = ({ matched, checked }: KeyMatch): number => matched / Math.max(1, checked);
