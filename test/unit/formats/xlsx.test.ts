import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../shared/platform/http/download-context.ts';
import { tidyText } from '../../../workers/feeds/values/text-value.ts';
import { memberStream, openArchive } from '../../../workers/formats/zip.ts';
import { contextFor, fixtures, makeZip, readAll, readerOf, values } from './make.ts';
import { date, error, number, text, workbook } from './workbook.ts';

const read = readerOf('xlsx', 'roll.xlsx');
const real = readFileSync(`${fixtures}washington-roll.xlsx`);

test('the real roll, as a file and in a ZIP, is read as is', async () => {
  const one = await read(real);
  expect(one.bad).toEqual([]);
  expect(one.rows).toHaveLength(25);
  expect(one.rows[0]!.values).toMatchObject({
    PID: '000000000001000000',
    ACRES: 0,
    TOTTXVAL: 786_700,
    SALEDATE: null,
  });
  // A date stays one, so that a key that Excel made of a number is told from text.
  const sold = one.rows.find(row => row.values.SALEDATE !== null)!.values.SALEDATE;
  expect([sold instanceof Date, tidyText(sold)]).toEqual([true, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
  read.folder.put('zipped.zip', makeZip({ 'in/roll.xlsx': real, 'readme.txt': 'x' }));
  const zipped = await readAll({ source: 'zipped.zip', format: 'xlsx' }, contextFor(read.folder.path));
  expect(zipped.rows).toEqual(one.rows);
});

describe('cells', () => {
  const rows = [
    [text('PIN'), text('SOLD'), text('ACRES'), '<c/>'],
    [text('a'), date(45413), number(1.5)],
    [],
    [number(7), date(45413.5), error('#DIV/0!')],
  ];

  test('days, times, errors, and empty rows', async () => {
    expect((await read(workbook({ Roll: rows }))).rows).toEqual([
      { rowNo: 1, values: { PIN: 'a', SOLD: new Date('2024-05-01'), ACRES: 1.5 }, geometry: null },
      { rowNo: 3, values: { PIN: 7, SOLD: new Date('2024-05-01T12:00Z'), ACRES: null }, geometry: null },
    ]);
    const [first] = values(await read(workbook({ Roll: rows }, true)));
    expect(first!.SOLD).toEqual(new Date('2028-05-02'));
  });

  test.each(['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A', '#SPILL!', '#CALC!'])(
    'the error %s is an empty cell',
    async shown => {
      // A sheet of pasted values has it as text.
      const header = [text('PIN'), text('ACRES'), text('OWNER')];
      const sheet = workbook({ Roll: [header, [text('a'), error(shown), text(shown)]] });
      expect(values(await read(sheet))).toEqual([{ PIN: 'a', ACRES: null, OWNER: null }]);
    },
  );

  test('titles above the header, and no header', async () => {
    const titled = workbook({ Roll: [[text('Roll of 2025')], ...rows] });
    expect(values(await read(titled, { skip_lines: 1 }))[0]).toEqual({
      PIN: 'a',
      SOLD: new Date('2024-05-01'),
      ACRES: 1.5,
    });
    const bare = workbook({ Roll: rows.slice(1) });
    expect(values(await read(bare, { header: ['p', 's', 'a'] }))[0]).toEqual({
      p: 'a',
      s: new Date('2024-05-01'),
      a: 1.5,
    });
    expect(Object.keys(values(await read(bare, { header: false }))[0]!)).toEqual([
      'column_1',
      'column_2',
      'column_3',
    ]);
    const unnamed = workbook({
      Roll: [
        [text('PIN'), '<c/>'],
        [text('a'), text('b')],
      ],
    });
    expect(values(await read(unnamed))).toEqual([{ PIN: 'a', column_2: 'b' }]);
  });

  test('one of several sheets has to be named', async () => {
    const two = workbook({ 'Roll 2025': rows, Notes: [[text('n')]] });
    await expect(read(two)).rejects.toMatchObject({ details: { layer: ['Roll 2025', 'Notes'] } });
    expect((await read(two, { layer: 'roll 2025' })).rows).toHaveLength(2);
  });
});

test('empty sheets are never chosen, and 18-digit numbers keep their digits', async () => {
  const key = '<c><v>490711113003000102</v></c>';
  const sheets = {
    Sheet1: [],
    Roll: [
      [text('PIN'), text('OWNER')],
      [key, text('LEE')],
    ],
    Sheet3: [['<c/>']],
  };
  expect(values(await read(workbook(sheets)))).toEqual([{ PIN: '490711113003000102', OWNER: 'LEE' }]);
});

describe('unreadable workbooks', () => {
  test.each([
    ['another format', Buffer.from('PID,OWNER\n'), 'feed_format', /\.xlsx/],
    ['cut', real.subarray(0, 3_000), 'feed_source', /zip/],
    ['a zip of something else', makeZip({ '[Content_Types].xml': 'x' }), 'feed_format', /workbook/],
    ['no row', workbook({ Roll: [] }), 'feed_format', /./],
  ])('%s', async (_, bytes, code, message) => {
    await expect(read(bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('a bomb is stopped at the limit, before it is parsed', async () => {
    const bomb = workbook({ Roll: Array(5_000).fill([text('x'.repeat(100))]) });
    await expect(read(bomb, {}, { limits: { xlsxBytes: 100_000 } })).rejects.toThrow(/ 100000 bytes.*CSV/);
  });
});

test('a workbook whose parts are in another folder, or in none', async () => {
  const members: Record<string, Buffer> = {};
  read.folder.put('usual.xlsx', workbook({ roll: [[text('PID')], [text('1-1')]] }));
  const archive = await openArchive(join(read.folder.path, 'usual.xlsx'), 'usual.xlsx', LIMITS);
  for (const entry of archive.entries)
    members[entry.fileName] = await buffer(await memberStream(archive, entry, entry.fileName));
  archive.close();
  const moved = (to: string, target: string) =>
    makeZip({
      ...Object.fromEntries(
        Object.entries(members).map(([path, bytes]) => [path.replace(/^xl\//, to), bytes]),
      ),
      '_rels/.rels': `<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${target}"/></Relationships>`,
    });
  for (const [to, target] of [
    ['', '/workbook.xml'],
    ['a/b/', 'a/b/workbook.xml'],
  ] as const)
    expect(values(await read(moved(to, target)))).toEqual([{ PID: '1-1' }]);
  await expect(read(moved('', 'nowhere.xml'))).rejects.toMatchObject({ code: 'feed_format' });
});
