import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PARCEL_FIELD_NAMES, type ParcelField } from '../../../shared/model/parcel-fields.ts';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import type { FeedCheck } from '../../../workers/ingest/engine/dry-run.ts';
import { compileParcelMapper } from '../../../workers/ingest/kinds/assessor/map-parcel.ts';
import { suggestFeed } from '../../../workers/setup/check-suggestion.ts';
import { readSample } from '../../../workers/setup/read-sample.ts';
import { testFolder } from '../../support/folder.ts';
import { feedOf } from '../../support/ingest.ts';
import { makeDbf } from '../formats/make.ts';

const folder = testFolder();

type Columns = Record<string, unknown>;

/** The check of a roll, and its first values of these fields. */
async function check(name: string, content: string | Buffer, columns: Columns, more: Columns = {}) {
  writeFileSync(join(folder, name), content);
  const format = name.endsWith('.dbf') ? 'dbf' : 'csv';
  const roll = { source: name, format, key: 'PID', columns, ...more };
  return checkFeed(feedOf(folder, { name: 'dirty', kind: 'assessor', fips: '33019', roll }));
}

const samplesOf = ({ parts: [roll] }: FeedCheck, field: string) =>
  roll!.columns.find(column => column.target === field)?.samples.map(({ out }) => out);
const droppedOf = ({ parts: [roll] }: FeedCheck) =>
  roll!.dropped.map(({ field, reason, count, rowNo }) => [field, reason, count, rowNo]);

test("a number that doesn't fit is null and counted, in any field", async () => {
  const columns = ['PID', 'OWNER', 'VALUE', 'LOT'].map(name => ({
    name,
    type: name === 'OWNER' ? 'C' : 'N',
    length: 6,
  }));
  const table = makeDbf(columns, [
    { cells: ['     1', 'SMITH ', '******', '******'] },
    { cells: ['     2', '***   ', '    51', '     7'] },
    { cells: ['******', 'LEE   ', '    52', '     8'] },
  ]);
  const found = await check('o.dbf', table, { owner_name: 'OWNER', market_total_value: 'VALUE', apn: 'LOT' });
  expect(droppedOf(found)).toEqual([
    ['apn', 'overflow', 1, 1],
    ['market_total_value', 'overflow', 1, 1],
    ['owner_name', 'overflow', 1, 2],
  ]);
  // Two parcels whose numbers did not fit are not one parcel.
  expect(found.parts[0]!.rejected).toMatchObject([{ field: 'key', reason: 'missing_key', rowNo: 3 }]);
  expect(samplesOf(found, 'market_total_value')).toEqual(['51', '52'].slice(0, 1));
});

test('full-width and no-break spaces are spaces', () => {
  const map = compileParcelMapper(
    { key: { columns: ['PID'] }, columns: { owner_name: { column: 'OWNER' } }, skipWhere: [] },
    { fips: 33019 },
  );
  for (const space of ['\u00a0', '\u3000', '\u2003', '\u202f', ' \u00a0 ']) {
    const values = { PID: `12${space}34`, OWNER: `${space}SMITH${space}JOHN\u200b${space}` };
    const row = map({ rowNo: 1, values, geometry: null });
    expect(row).toMatchObject({ ok: true, key: '1234' });
    expect(row.ok && row.values[PARCEL_FIELD_NAMES.indexOf('owner_name' as ParcelField)]).toBe('SMITH JOHN');
  }
});

const EURO = 'PID;OWNER;ACRES;VALUE\n00001;PENA;2,5;51.000\n00002;LEE;3,0;1.252.000\n00003;KIM;(1,5);900\n';

test('numbers with a decimal comma are read if the column says so', async () => {
  const comma = (column: string) => ({ column, decimal: ',' });
  const found = await check('e.csv', EURO, { acres: comma('ACRES'), market_total_value: comma('VALUE') });
  expect(samplesOf(found, 'acres')).toEqual(['2.5', '3']);
  expect(samplesOf(found, 'market_total_value')).toEqual(['51000', '1252000', '900']);
  expect(droppedOf(found)).toEqual([['acres', 'negative', 1, 3]]);
  expect(found.warnings).toEqual([]);
  const points = await check('p.csv', 'PID;ACRES\n1;2.5\n2;1,500\n3;1.500\n4;2.500,50\n', {
    acres: comma('ACRES'),
  });
  // Of 2.5 nobody can say what is meant.
  expect(droppedOf(points)).toEqual([['acres', 'not_a_number', 1, 1]]);
  expect(samplesOf(points, 'acres')).toEqual(['1.5', '1500', '2500.5']);
});

test('numbers with a decimal comma lead to a warning if the column does not say so', async () => {
  const found = await check('w.csv', EURO, { acres: 'ACRES', market_total_value: 'VALUE' });
  expect(found.warnings.map(text => /for (\w+)/.exec(text)?.[1])).toEqual(['acres', 'market_total_value']);
  const alone = await check('a.csv', 'PID,VALUE\n1,51.000\n2,52.000\n', { market_total_value: 'VALUE' });
  expect(alone.warnings).toHaveLength(1);
  for (const rest of ['ACRES\n1,2.500\n', 'ACRES\n1,"1,200"\n2,1.200\n', 'ACRES\n1,2.125\n2,2.5\n'])
    expect((await check('u.csv', `PID,${rest}`, { acres: 'ACRES' })).warnings).toEqual([]);
});

test('a totals row is not a parcel', async () => {
  const totals = [
    'Total;2 records;5,5',
    'GRAND TOTAL:;;9',
    '(59 rows affected);;',
    'Sub-total 12;;',
    'End of report;;',
  ];
  const found = await check('t.csv', `PID;OWNER;ACRES\nTOTAL-1A;A;1\n${totals.join('\n')}\n`, {
    owner_name: 'OWNER',
  });
  expect(found.parts[0]).toMatchObject({ usable: 1, skipped: totals.length, rejected: [] });
});

test('text read in the wrong encoding leads to a warning', async () => {
  const utf8 = 'PID,OWNER\n1,PEÑA JOSÉ\n2,SÃO PAULO LLC\n';
  expect((await check('m.csv', utf8, { owner_name: 'OWNER' })).warnings).toEqual([]);
  const wrong = await check('m.csv', utf8, { owner_name: 'OWNER' }, { encoding: 'windows-1252' });
  expect(wrong.warnings).toEqual([expect.stringContaining('2 texts for owner_name')]);
});

test('rows that end early are used and counted', async () => {
  const found = await check('s.csv', 'PID,OWNER,ACRES\n1,A,2\n2,B\n', { owner_name: 'OWNER' });
  expect(droppedOf(found)).toEqual([['row', 'short_row', 1, 2]]);
  expect(found.parts[0]).toMatchObject({ rows: 2, usable: 2 });
});

test('only a mapped column has to be unambiguous, and the message lists the choices', async () => {
  const text = 'PID,OWNER,,OWNER,ACRES,\n1,A,x,B,2,\n';
  expect((await check('d.csv', text, { acres: 'ACRES' })).problems).toEqual([]);
  expect((await check('d.csv', text, { owner_name: 'OWNER' })).problems).toEqual([
    expect.stringMatching(/OWNER \(column 2\) or OWNER \(column 4\)/),
  ]);
  expect(samplesOf(await check('d.csv', text, { owner_name: 'OWNER (column 4)' }), 'owner_name')).toEqual([
    'B',
  ]);
});

test('a missing header is reported, for a feed and when suggesting one', async () => {
  const text = '00001,SMITH,2.5\n00002,LEE,3.0\n';
  const problems = (await check('h.csv', text, { acres: 'ACRES' })).problems;
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toContain('"header"');
  const sample = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return readSample({ source: name, format: 'csv' }, { baseDir: folder, rows: 100 });
  };
  await expect(sample('h.csv', text)).rejects.toMatchObject({
    code: 'feed_format',
    message: expect.stringContaining('"header"'),
  });
  expect((await sample('i.csv', `,PID,OWNER\n${'0,00001,SMITH\n'.repeat(3)}`)).names).toEqual([
    'column_1',
    'PID',
    'OWNER',
  ]);
  const titled = await sample(
    'j.csv',
    `County roll,,\nas of 2026,,\nPID,OWNER,ACRES\n${'1,SMITH,2\n'.repeat(3)}`,
  );
  expect([titled.names, titled.input.skip_lines]).toEqual([['PID', 'OWNER', 'ACRES'], 2]);
});

test('a source without a usable row says why, by its first row', async () => {
  const found = await check('n.csv', 'PID,OWNER\n1,A,B\n2,C,D\n', { owner_name: 'OWNER' });
  expect(found.problems).toEqual(
    expect.arrayContaining([expect.stringMatching(/row 1: the row has 3 cells/)]),
  );
  const keyless = await check('k.csv', 'PID,OWNER\n,A\n,B\n', { owner_name: 'OWNER' });
  expect(keyless.problems).toEqual(expect.arrayContaining([expect.stringMatching(/Row 1: no key/)]));
});

test('a file with a decimal comma is suggested with that setting', async () => {
  const rows = Array.from(
    { length: 30 },
    (_, i) => `12-${i};DOE JOHN ${i};${((7 * i) % 40) + 1},5;${100 + i}.000;${i % 7}.250`,
  );
  writeFileSync(join(folder, 'f.csv'), `PARCEL_ID;OWNER;ACRES;LAND_VALUE;BLDG_VALUE\n${rows.join('\n')}\n`);
  const found = await suggestFeed({
    input: { source: 'f.csv', format: 'csv' },
    baseDir: folder,
    file: join(folder, 'f.yaml'),
    rows: 500,
    head: { name: 'f', fips: '33019' },
  });
  const { columns } = found.check!.parts[0]!;
  const outOf = (target: string) => columns.find(column => column.target === target)?.samples[0]?.out;
  expect(['acres', 'assessed_land_value'].map(outOf)).toEqual(['1.5', '100000']);
  expect(found.check!.warnings).toEqual([]);
});
