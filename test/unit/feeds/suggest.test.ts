import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCatalogue } from '../../../shared/feeds/catalogue.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import type { ColumnSpec } from '../../../workers/feeds/column-schema.ts';
import type { Columns } from '../../../workers/feeds/feed.ts';
import { alternatives, columnNamesOf } from '../../../workers/feeds/feed-columns.ts';
import type { ParcelTarget } from '../../../workers/feeds/parcel-targets.ts';
import { measuredAcres } from '../../../workers/feeds/suggest/column-profile.ts';
import { listingColumns } from '../../../workers/feeds/suggest/listing-file.ts';
import { saleColumns } from '../../../workers/feeds/suggest/sale-file.ts';
import {
  MIN_CONFIDENCE,
  type Sample,
  suggestColumns,
} from '../../../workers/feeds/suggest/suggest-columns.ts';
import { fieldsOfName } from '../../../workers/feeds/suggest/suggest-names.ts';
import { columnLines, feedHead, inputLines } from '../../../workers/feeds/suggest/write-feed.ts';
import { isKnownCounty } from '../../../workers/feeds/values/place-value.ts';
import type { InputSpec } from '../../../workers/formats/format-input.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { SourceRow } from '../../../workers/formats/row-batch.ts';
import { loadFeed, parseFeed } from '../../../workers/ingest/load-feeds.ts';
import { runs } from '../../support/runs.ts';
import { assessor, presetFixtures, sampleFeeds } from './support.ts';

const FOLDER = join(rootDir, 'test', 'fixtures', 'feeds', 'suggest');

/** By field the columns, any of whose groups is right. */
type Truth = Partial<Record<ParcelTarget, string[]>>;

type Judged = { name: string; right: string[]; wrong: string[]; missed: string[] };

function judge(name: string, sample: Sample, truth: Truth): Judged {
  const { fields } = suggestColumns(sample);
  const mapped = new Map(fields.flatMap(({ field, mapped: best }) => (best ? [[field, best] as const] : [])));
  const isRight = (field: ParcelTarget) => truth[field]?.includes(mapped.get(field)?.columns.join('+') ?? '');
  return {
    name,
    right: [...mapped.keys()].filter(isRight),
    wrong: [...mapped]
      .filter(([field]) => !isRight(field))
      .map(([field, { columns }]) => `${field}: ${columns}`),
    missed: (Object.keys(truth) as ParcelTarget[]).filter(field => !mapped.has(field)),
  };
}

/** A layer, and by field the columns that are right, read off it by hand. */
function judgeLayer(name: string): Judged {
  const { right, columns, rows, acres } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as {
    right: Truth;
    columns: [string, string][];
    rows: unknown[][];
    acres: (number | null)[];
  };
  const values = columns.map(([column, alias], i) => ({
    name: column,
    alias,
    values: rows.map(row => row[i]),
  }));
  return judge(name, { acres, columns: values }, right);
}

async function rowsOf(input: InputSpec, baseDir: string): Promise<SourceRow[]> {
  const context = { baseDir, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };
  const rows: SourceRow[] = [];
  for await (const batch of readInput(input, context)) {
    rows.push(...batch.rows);
    if (rows.length >= 500) break;
  }
  return rows.slice(0, 500);
}

function sampleOf(rows: readonly SourceRow[]): Sample {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const columns = names.map(name => ({ name, values: rows.map(({ values }) => values[name]) }));
  return { columns, acres: measuredAcres(rows) };
}

/** What a mapping made by hand says of filled columns that it reads as they are. */
function truthOf(columns: Columns<ParcelTarget>, { columns: there }: Sample): Truth {
  const filled = there.filter(({ values }) =>
    values.some(value => value !== null && String(value ?? '').trim() !== ''),
  );
  const own = new Map(filled.map(({ name }) => [name.toLowerCase(), name]));
  const truth: Truth = {};
  for (const [field, spec] of Object.entries(columns) as [ParcelTarget, ColumnSpec][]) {
    const ways = alternatives(spec).flatMap(way => {
      const recoded = Object.keys(way.values ?? {}).length > 1 || way.otherwise !== undefined;
      const { unit: _, ...plain } = way;
      const names = columnNamesOf(plain).flatMap(
        name => own.get(name.toLowerCase()) ?? own.get(name.slice(0, 10).toLowerCase()) ?? [],
      );
      return names.length === 0 || recoded ? [] : [names.join('+')];
    });
    if (ways.length > 0) truth[field] = ways;
  }
  return truth;
}

/** Columns that mean the same as those of the bundled mappings, or that these leave out with a reason. */
const ALSO: Record<string, Truth> = {
  'roll of washington-nh': { apn: ['PIDCSTM'] },
  'roll of bangor-me': { situs_address: ['PROP_ADDRS'] },
  texas_stratmap: { apn: ['prop_id'] },
};

async function bundled(): Promise<Judged[]> {
  const judged: Judged[] = [];
  const add = async (name: string, input: InputSpec, baseDir: string, columns: Columns<ParcelTarget>) => {
    const sample = sampleOf(await rowsOf(input, baseDir));
    const truth = truthOf(columns, sample);
    for (const [field, more] of Object.entries(ALSO[name] ?? {}))
      truth[field as ParcelTarget] = [...(truth[field as ParcelTarget] ?? []), ...more];
    judged.push(judge(name, sample, truth));
  };
  for (const name of ['washington-nh', 'bangor-me']) {
    const feed = assessor(await loadFeed(join(sampleFeeds, `${name}.yaml`)));
    await add(`roll of ${name}`, feed.roll.input, feed.baseDir, feed.roll.columns);
    if (feed.shape) await add(`shape of ${name}`, feed.shape.input, feed.baseDir, feed.shape.columns);
  }
  for (const [preset, source, format] of [
    ['florida_nal', 'florida-nal.csv', 'csv'],
    ['regrid', 'regrid.csv', 'csv'],
    ['texas_stratmap', 'texas-stratmap.geojson', 'geojson'],
  ] as const) {
    const feed = parseFeed(
      JSON.stringify({ name: 'a', kind: 'assessor', preset, fips: '48085', roll: { source, format } }),
      join(presetFixtures, 'a.json'),
    );
    await add(preset, assessor(feed).roll.input, presetFixtures, assessor(feed).roll.columns);
  }
  return judged;
}

test('real layers, the sample, and the presets are mapped without mistakes, and mostly complete', async () => {
  const layers = readdirSync(FOLDER)
    .filter(file => file.endsWith('.json'))
    .map(file => file.slice(0, -5));
  const judged = [...layers.map(judgeLayer), ...(await bundled())];
  expect(judged.flatMap(({ name, wrong }) => wrong.map(each => `${name}: ${each}`))).toEqual([]);
  const right = judged.reduce((sum, each) => sum + each.right.length, 0);
  const missed = judged.reduce((sum, each) => sum + each.missed.length, 0);
  if (process.env.SUGGEST_FIGURES)
    process.stderr.write(`${JSON.stringify(judged, null, 1)}\n${right} of ${right + missed}\n`);
  // docs/benchmarks.md states the figures.
  expect(right / (right + missed)).toBeGreaterThan(0.8);
});

test("the catalog's parcel numbers are recognized by their names, in existing places", () => {
  const { sources } = readCatalogue();
  const wrong = sources.filter(({ place }) =>
    place.length === 5 ? !isKnownCounty(Number(place)) : place.length !== 2 && place.length !== 7,
  );
  expect(wrong).toEqual([]);
  const names = sources.flatMap(({ key }) => (key?.length === 1 ? key : []));
  const known = names.filter(name => (fieldsOfName(name).get('apn') ?? 0) >= 0.7);
  if (process.env.SUGGEST_FIGURES)
    process.stderr.write(`parcel numbers: ${known.length} of ${names.length}\n`);
  expect(known.length / names.length).toBeGreaterThan(0.85);
});

test("names that mean parcel numbers, and names that don't", () => {
  for (const name of [
    'PIN',
    'parcel_id',
    'APN',
    'MAPTAXLOT',
    'GIS_Parcel_Number',
    'sde.SDE.Parcels.PIN_',
    'TaxParcelNumber',
  ])
    expect([name, fieldsOfName(name).get('apn')]).toEqual([name, expect.closeTo(0.9, 0)]);
  for (const name of ['OBJECTID', 'OLD_PIN', 'Shape_Area', 'GlobalID', 'PARENT_PARCEL'])
    expect([name, fieldsOfName(name).get('apn') ?? 0]).toEqual([name, 0]);
});

test("county layers' names for things that mean something else beside others", () => {
  const fields = (name: string) =>
    [...fieldsOfName(name)].filter(([, score]) => score >= 0.6).map(([field]) => field);
  // A number at an address is the house's; an area that software measures is not stated.
  for (const name of ['SITUSNUMBER', 'Prop_Num', 'loc_num', 'Shape_Area', 'ADDRZIP', 'street_add'])
    expect([name, fields(name)]).toEqual([name, []]);
  expect(fields('TOTAL_SALE_DATE')).toEqual(['last_sale_date']);
  expect(fields('LAND_SALE_PRICE')).toEqual([]);
  expect(fields('PSTLCITY')).toEqual(['mail_city']);
  for (const name of [
    'LEGAL_DESC',
    'legaldesc',
    'S_LEGAL',
    'Legal1',
    'LegalDescriptionShort',
    'abb_legal',
    'parcellgl',
  ])
    expect([name, fields(name)]).toEqual([name, ['legal_description']]);
  for (const name of ['LEGAL_AREA', 'legal_acreage']) expect([name, fields(name)]).toEqual([name, ['acres']]);
  for (const name of ['LEGAL_OWNER', 'legal_desc_2', 'OLD_LEGAL'])
    expect([name, fields(name)]).toEqual([name, []]);
  expect(fields('DEED_HOLDER_STATE')).toEqual(['mail_state']);
});

test("an address is the parcel's if nothing mentions owners, and nobody's if owners and parcels share one", () => {
  const table = (...names: string[]) => ({
    acres: [],
    columns: names.map(name => ({
      name,
      values: Array.from({ length: 30 }, (_, i) =>
        /name/i.test(name)
          ? 'OAK STREET'
          : /nbr/i.test(name)
            ? `${100 + 7 * i}`
            : /own/i.test(name)
              ? `DOE JOHN ${i} LLC`
              : `${9 + 3 * i} MAIN ST`,
      ),
    })),
  });
  const situs = (...names: string[]) =>
    suggestColumns(table(...names)).fields.find(({ field }) => field === 'situs_address')?.mapped?.columns;
  expect(situs('street_add')).toEqual(['street_add']);
  expect(situs('owner', 'street_add')).toBeUndefined();
  expect(situs('SITUS_STREET_NBR', 'SITUS_STREET_NAME', 'owner', 'street_add')).toEqual([
    'SITUS_STREET_NBR',
    'SITUS_STREET_NAME',
  ]);
});

test('whatever a source contains, each field reads existing columns, none twice, and the text is a valid feed', () => {
  const words = [
    ...'PIN OWNER ADDR CITY SALE DATE VAL LAND ACRES LIST PRICE STATUS LAT LON 1 2 _ " [ $'.split(' '),
    ': #',
    '\n',
  ];
  const name = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
    .map(parts => parts.join(''));
  const cell = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.constantFrom('12 MAIN ST', 'MN', '2020-02-30', '$1,200', 'SOLD', '-72.1', '43.2'),
  );
  const table = fc
    .uniqueArray(name, { minLength: 1, maxLength: 8 })
    .chain(names =>
      fc
        .array(fc.tuple(...names.map(() => cell)), { minLength: 0, maxLength: 12 })
        .map(rows => ({ names, rows })),
    );
  fc.assert(
    fc.property(table, ({ names, rows }) => {
      const columns = names.map((each, i) => ({ name: each, values: rows.map(row => row[i]) }));
      const found = suggestColumns({ columns, acres: rows.map(() => 1) });
      const sampled = { columns, acres: rows.map(() => null) };
      const values = rows.map(row => Object.fromEntries(names.map((each, i) => [each, row[i]])));
      // Whatever they are, they are told without an error.
      listingColumns(sampled);
      saleColumns(suggestColumns(sampled), values, names);
      const read = found.fields.flatMap(({ mapped }) => (mapped ? mapped.columns : []));
      expect(new Set(read).size).toBe(read.length);
      expect(read.every(each => names.includes(each))).toBe(true);
      expect(found.fields.every(({ mapped }) => mapped === null || mapped.confidence >= MIN_CONFIDENCE)).toBe(
        true,
      );
      const head = feedHead({ name: 'a', kind: 'assessor', fips: '55025' }, ['about\nit']);
      const text = [
        ...head,
        'roll:',
        ...inputLines({ source: 'a.csv', format: 'csv' }),
        ...columnLines(found),
        ...(found.key ? [] : ['  key: PIN']),
      ].join('\n');
      const feed = assessor(parseFeed(text, '/tmp/a.yaml'));
      expect(Object.keys(feed.roll.columns).length).toBe(found.fields.filter(({ mapped }) => mapped).length);
    }),
    { numRuns: runs(200) },
  );
});
