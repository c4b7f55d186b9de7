import type { KeySpec } from '../feeds/column-schema.ts';
import { averageLength, type Profile, profileOf } from '../feeds/suggest/column-profile.ts';
import { readInput } from '../formats/read-format.ts';
import type { SourceRow } from '../formats/row-batch.ts';
import { compileKey } from '../ingest/engine/map-key.ts';
import { resolver } from '../ingest/engine/source-columns.ts';
import { readContext, type Sample, type SampleRequest } from './read-sample.ts';

/** Which columns of two sources hold the same keys, and how many of those of the first's first rows. */
export type KeyMatch = { own: KeySpec; other: KeySpec; matched: number; checked: number };

/** How many columns of a source may hold its keys. */
const MAX_COLUMNS = 5;
/** Shorter values agree by chance. */
const MIN_CHARS = 4;

/** Columns whose values differ from row to row, those first that differ most; counters are none. */
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

/** What a parcel is worth, measures or is called agrees in two sources as well, and is no key. */
const FACTS =
  'not value price total market assessed taxable land bldg acre area sqft measured date year own payer name mail addr situs street house sale'.split(
    ' ',
  );
const isFact = ({ ideas }: Profile): boolean =>
  FACTS.some(idea => ideas.has(idea)) && !ideas.has('pin') && !ideas.has('parcel');

const isId = ({ ideas }: Profile): number => Number(['pin', 'parcel', 'id'].some(idea => ideas.has(idea)));

/** The same numbers are written in several ways: with dashes or without, with leading zeros or without. */
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

/** Matching keys, best first. Reads the other source until all match, of a server only its first rows. */
export async function matchKeys(own: Sample, other: Sample, request: SampleRequest): Promise<KeyMatch[]> {
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
