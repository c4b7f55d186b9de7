import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/base/root.ts';
import { readCatalogue } from '../../../shared/feeds/catalogue.ts';
import type { ColumnSpec } from '../../../workers/feeds/column-schema.ts';
import type { Columns } from '../../../workers/feeds/feed.ts';
import { alternatives, namesOf } from '../../../workers/feeds/feed-columns.ts';
import type { ParcelTarget } from '../../../workers/feeds/feed-schema.ts';
import { loadFeed, parseFeed } from '../../../workers/feeds/load-feeds.ts';
import { measuredAcres } from '../../../workers/feeds/suggest/column-profile.ts';
import { type Sample, SURE, suggestColumns } from '../../../workers/feeds/suggest/suggest-columns.ts';
import { fieldsOfName } from '../../../workers/feeds/suggest/suggest-names.ts';
import { columnLines, feedHead, inputLines } from '../../../workers/feeds/suggest/write-feed.ts';
import { isKnownCounty } from '../../../workers/feeds/values/place-value.ts';
import type { InputSpec } from '../../../workers/formats/format-input.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { SourceRow } from '../../../workers/formats/row-batch.ts';
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
      const names = namesOf(plain).flatMap(
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

test('of real layers, the sample and the presets nothing is mapped wrong, and most of it is mapped', async () => {
  const layers = readdirSync(FOLDER)
    .filter(file => file.endsWith('.json'))
    .map(file => file.slice(0, -5));
  const judged = [...layers.map(judgeLayer), ...(await bundled())];
  expect(judged.flatMap(({ name, wrong }) => wrong.map(each => `${name}: ${each}`))).toEqual([]);
  const right = judged.reduce((sum, each) => sum + each.right.length, 0);
  const missed = judged.reduce((sum, each) => sum + each.missed.length, 0);
  if (process.env.SUGGEST_FIGURES)
    process.stderr.write(`${JSON.stringify(judged, null, 1)}\n${right} of ${right + missed}\n`);
  // docs/feed-reference.md states the figures.
  expect(right / (right + missed)).toBeGreaterThan(0.8);
});

describe('what content says against a name', () => {
  const column = (name: string, values: unknown[]) => ({ name, values });
  const best = (sample: Sample, field: ParcelTarget) =>
    suggestColumns(sample).fields.find(each => each.field === field)?.mapped?.spec ?? null;
  const acres = Array.from({ length: 40 }, (_, i) => 0.5 + i / 7);

  test('the measured area tells the unit of a stated one, whatever its name', () => {
    const inUnit = (factor: number) => ({
      acres,
      columns: [
        column(
          'ACRES',
          acres.map(value => value * factor),
        ),
      ],
    });
    expect(best(inUnit(1), 'acres')).toEqual({ column: 'ACRES' });
    expect(best(inUnit(43_560), 'acres')).toEqual({ column: 'ACRES', unit: 'sqft' });
    expect(best(inUnit(4046.86), 'acres')).toEqual({ column: 'ACRES', unit: 'sqm' });
    // Neither acres nor any other unit: something else.
    expect(best(inUnit(317), 'acres')).toBeNull();
  });

  test('a parcel number whose name says nothing is known where the catalogue names it, if it is one', () => {
    const columns = [
      column(
        'SSL',
        acres.map((_, i) => `0${i} ${i * 7}`),
      ),
      column(
        'OBJECTID',
        acres.map((_, i) => 7 * i),
      ),
    ];
    const keyOf = (key?: string) => suggestColumns({ acres, columns, key }).key?.columns;
    expect([keyOf(), keyOf('ssl'), keyOf('OBJECTID')]).toEqual([['OBJECTID'], ['SSL'], ['OBJECTID']]);
  });

  test('a table counted through is no parcel number, an empty column nothing, an amount of zeros no value', () => {
    const rows = acres.map((_, i) => i);
    const [blank, zeros] = [rows.map(() => ' '), rows.map(() => 0)];
    const counted = suggestColumns({ acres, columns: [column('PIN', rows)] });
    expect([counted.fields, counted.key?.confidence]).toEqual([[], 0.5]);
    const columns = [column('PIN', blank), column('MARKET_VALUE', zeros)];
    expect(suggestColumns({ acres, columns })).toEqual({ key: null, fields: [] });
  });

  test('without parcel numbers an id that differs in every row is the key of last resort, and says so', () => {
    const rows = acres.map((_, i) => i);
    const key = (...columns: [string, unknown[]][]) =>
      suggestColumns({ acres, columns: columns.map(([name, values]) => column(name, values)) }).key;
    expect(key(['OBJECTID_1', rows], ['gid', rows])?.columns).toEqual(['gid']);
    const repeated = rows.map(i => i % 7);
    expect(key(['id', repeated], ['HOUSE', rows])).toBeNull();
    const found = suggestColumns({ acres, columns: [column('gid', rows)] });
    expect(columnLines(found)[0]).toMatch(
      /^ {2}key: gid {2}# 50 %: differs in every row, but is no parcel number/,
    );
  });

  test('values of no kind are of the kind of the others, else assessed', () => {
    const money = acres.map((_, i) => 10_000 + 531 * i);
    const fields = (...names: string[]) =>
      suggestColumns({
        acres,
        columns: names.map((name, at) =>
          column(
            name,
            money.map(value => value * (at + 2)),
          ),
        ),
      }).fields.flatMap(({ field, mapped }) => (mapped ? [`${field}: ${mapped.columns.join('+')}`] : []));
    expect(fields('total_value', 'land_value', 'building_value')).toEqual([
      'assessed_total_value: total_value',
      'assessed_land_value: land_value',
      'assessed_improvement_value: building_value',
    ]);
    expect(fields('MKT_VALUE', 'LAND_VAL', 'IMPROVEMENT_VALUE')).toEqual([
      'market_total_value: MKT_VALUE',
      'market_land_value: LAND_VAL',
      'market_improvement_value: IMPROVEMENT_VALUE',
    ]);
  });

  test('dates are read in the format that all of them have', () => {
    const dates = (value: (i: number) => string) => ({
      acres: [],
      columns: [
        column(
          'SALE_DATE',
          acres.map((_, i) => value(i)),
        ),
      ],
    });
    expect(
      best(
        dates(i => `2020-01-${String((i % 28) + 1).padStart(2, '0')}`),
        'last_sale_date',
      ),
    ).toEqual({ column: 'SALE_DATE' });
    expect(
      best(
        dates(i => `01/${String((i % 28) + 1).padStart(2, '0')}/99`),
        'last_sale_date',
      ),
    ).toEqual({ column: 'SALE_DATE', date: 'MM/DD/YY' });
    expect(
      best(
        dates(i => `lot ${i}`),
        'last_sale_date',
      ),
    ).toBeNull();
  });

  test("a city beside several states is the owner's", () => {
    const columns = [
      column(
        'ADDRESS',
        acres.map((_, i) => `PO BOX ${i}`),
      ),
      column(
        'CITY',
        acres.map((_, i) => `TOWN ${'ABCDEFGH'[i % 8]}`),
      ),
      column(
        'STATE',
        acres.map((_, i) => (i % 3 ? 'NH' : 'MA')),
      ),
    ];
    expect([
      best({ acres, columns }, 'mail_city'),
      best({ acres, columns }, 'mail_address'),
      best({ acres, columns }, 'situs_city'),
    ]).toEqual([{ column: 'CITY' }, { column: 'ADDRESS' }, null]);
  });
});

test('the parcel numbers of the catalogue are known by their names, in places that exist', () => {
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

test('names that stand for parcel numbers, and such that do not', () => {
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

test('what county layers call things that mean something else beside others', () => {
  const fields = (name: string) =>
    [...fieldsOfName(name)].filter(([, score]) => score >= 0.6).map(([field]) => field);
  // A number at an address is the house's; an area that software measures is not stated.
  for (const name of ['SITUSNUMBER', 'Prop_Num', 'loc_num', 'Shape_Area', 'ADDRZIP', 'street_add'])
    expect([name, fields(name)]).toEqual([name, []]);
  expect(fields('TOTAL_SALE_DATE')).toEqual(['last_sale_date']);
  expect(fields('LAND_SALE_PRICE')).toEqual([]);
  expect(fields('PSTLCITY')).toEqual(['mail_city']);
  expect(fields('DEED_HOLDER_STATE')).toEqual(['mail_state']);
});

test("an address is the parcel's where nothing speaks of owners, nobody's where owners and parcels have one", () => {
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

test('whatever a source holds, each field reads columns that are there, none twice, surely, and the text is a feed', () => {
  const words = [...'PIN OWNER ADDR CITY SALE DATE VAL LAND ACRES 1 2 _ " [ $'.split(' '), ': #', '\n'];
  const name = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
    .map(parts => parts.join(''));
  const cell = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.constantFrom('12 MAIN ST', 'MN', '2020-02-30', '$1,200'),
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
      const read = found.fields.flatMap(({ mapped }) => (mapped ? mapped.columns : []));
      expect(new Set(read).size).toBe(read.length);
      expect(read.every(each => names.includes(each))).toBe(true);
      expect(found.fields.every(({ mapped }) => mapped === null || mapped.confidence >= SURE)).toBe(true);
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
    { numRuns: 200 },
  );
});
