import { expect, test } from 'vitest';
import { type MapUnit, ring, surveyFiles, surveyZip } from '../../support/soil-survey.ts';
import { contextFor, makeZip, readAll, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const read = (...source: string[]) => readAll({ source, format: 'ssurgo' }, context);

const UNITS: MapUnit[] = [
  {
    mukey: '565058',
    symbol: '1',
    farmland: 'Prime farmland if drained',
    septic: 'Very limited',
    waterCm: 15,
  },
  {
    mukey: '565065',
    name: 'Ruston "stony" loam | 3 to 8\npercent',
    septic: 'Not limited',
    hydric: 0,
    bedrockCm: 100,
  },
];
const at = (mukey: string, west = -91.5) => ({ mukey, ring: ring(west, 33.2) });

test("polygons get their map unit's columns from both tables", async () => {
  folder.put('a.zip', surveyZip('AR003', UNITS, [at('565065'), at('565058', -91.4), at('565065', -91.3)]));
  const { rows, bad } = await read('a.zip');
  expect(bad).toEqual([]);
  expect(rows.map(({ rowNo, values, short }) => [rowNo, values.MUKEY, values.engstafdcd, short])).toEqual([
    [1, '565065', 'Not limited', undefined],
    [2, '565058', 'Very limited', undefined],
    [3, '565065', 'Not limited', undefined],
  ]);
  expect(rows[0]!.values).toMatchObject({
    AREASYMBOL: 'AR003',
    MUSYM: 'A',
    muname: 'Ruston "stony" loam | 3 to 8\npercent',
    farmlndcl: null,
    brockdepmin: '100',
    wtdepannmin: null,
    hydclprs: '0',
  });
  expect(rows[1]!.values).toMatchObject({
    MUSYM: '1',
    farmlndcl: 'Prime farmland if drained',
    wtdepannmin: '15',
  });
  expect(rows[0]!.geometry).toMatchObject({ type: 'Polygon' });
  // Under one name each, so that a feed does not have to choose.
  expect(Object.keys(rows[0]!.values).filter(name => /^mu(key|sym)$/i.test(name))).toEqual([
    'MUSYM',
    'MUKEY',
  ]);
});

test('a map unit without a rating keeps its polygons, and the row says which table lacks it', async () => {
  const units: MapUnit[] = [...UNITS, { mukey: '7', tables: ['mapunit'], farmland: 'Not prime farmland' }];
  folder.put('b.zip', surveyZip('AR003', units, [at('7'), at('8', -91.4), at('565058', -91.3)]));
  const { rows } = await read('b.zip');
  expect(rows.map(({ values, short }) => [values.farmlndcl, values.engstafdcd, short])).toEqual([
    ['Not prime farmland', null, expect.stringMatching(/\b7\b.*muaggatt/)],
    [null, null, expect.stringMatching(/\b8\b.*mapunit.*muaggatt/)],
    ['Prime farmland if drained', 'Very limited', undefined],
  ]);
});

test('several survey areas are read in order, from several zips or from one', async () => {
  const other: MapUnit[] = [{ mukey: '565058', septic: 'Somewhat limited' }];
  const areas = [
    surveyFiles('AR003', UNITS, [at('565058')]),
    surveyFiles('AR017', other, [at('565058', -91.4)]),
  ];
  folder.put('c.zip', makeZip(areas[0]!));
  folder.put('d.zip', makeZip(areas[1]!));
  folder.put('state.zip', makeZip(Object.assign({}, ...areas)));
  for (const sources of [['c.zip', 'd.zip'], ['state.zip']]) {
    const { rows } = await read(...sources);
    expect(rows.map(({ rowNo, values }) => [rowNo, values.AREASYMBOL, values.engstafdcd])).toEqual([
      [1, 'AR003', 'Very limited'],
      [2, 'AR017', 'Somewhat limited'],
    ]);
  }
});

test('a polygon layer that was unpacked finds its tables in the folder next to its own', async () => {
  const { mkdirSync } = await import('node:fs');
  for (const part of ['spatial', 'tabular']) mkdirSync(`${folder.path}/AR003/${part}`, { recursive: true });
  for (const [name, content] of Object.entries(surveyFiles('AR003', UNITS, [at('565058')])))
    folder.put(name, content);
  const { rows } = await read('AR003/spatial/soilmu_a_ar003.shp');
  expect(rows.map(({ values }) => values.engstafdcd)).toEqual(['Very limited']);
});

test('an area that is not surveyed yet has polygons, but no tables with rows', async () => {
  const units: MapUnit[] = [{ mukey: '9', symbol: 'NOTCOM', tables: [] }];
  folder.put('e.zip', surveyZip('NH604', units, [at('9')]));
  const { rows, bad } = await read('e.zip');
  expect([rows.map(({ values }) => [values.MUSYM, values.engstafdcd]), bad]).toEqual([
    [['NOTCOM', null]],
    [],
  ]);
});

test('bad lines of a table are reported, and the rest is used', async () => {
  const files = surveyFiles('AR003', UNITS, [at('565058'), at('565065', -91.4)]);
  const lines = files['AR003/tabular/muaggatt.txt']!.toString();
  folder.put(
    'f.zip',
    makeZip({
      ...files,
      'AR003/tabular/muaggatt.txt': `${lines}"2"|"cut off"|||1\n"3"|"text" after|\n${lines.slice(0, -2)}|"extra"\n`,
    }),
  );
  const { rows, bad } = await read('f.zip');
  expect(rows.map(({ values }) => values.engstafdcd)).toEqual(['Very limited', 'Not limited']);
  expect(bad.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['ragged_row', 'unreadable_row']));
  expect(bad.every(({ message }) => message.startsWith('muaggatt.txt: '))).toBe(true);
});

test('tables of another version, and zips without tables or polygons, are refused with the fix', async () => {
  const files = surveyFiles('AR003', UNITS, [at('565058')]);
  const table = 'AR003/tabular/muaggatt.txt';
  const dropped = files[table]!.toString().replace(/\|"(\d+)"$/gm, '');
  folder.put('g.zip', makeZip({ ...files, [table]: dropped }));
  await expect(read('g.zip')).rejects.toMatchObject({
    code: 'feed_format',
    message: expect.stringMatching(/40/),
  });
  const { [table]: _, ...bare } = files;
  folder.put('h.zip', makeZip(bare));
  await expect(read('h.zip')).rejects.toMatchObject({
    code: 'feed_source',
    message: expect.stringMatching(/tabular\/muaggatt\.txt/),
  });
  folder.put('i.zip', makeZip({ 'AR003/tabular/muaggatt.txt': '' }));
  await expect(read('i.zip')).rejects.toMatchObject({ code: 'feed_format' });
});
