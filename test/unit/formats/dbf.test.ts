import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DBFFile } from 'dbffile';
import { describe, expect, test } from 'vitest';
import { readDbf } from '../../../workers/formats/dbf.ts';
import { fixtures, makeDbf, makeZip, readerOf, readInChunks, values } from './make.ts';

const read = readerOf('dbf', 'a.dbf');
const COLUMNS = [
  { name: 'PID', type: 'C', length: 6 },
  { name: 'ACRES', type: 'N', length: 12 },
  { name: 'SALEDATE', type: 'D', length: 8 },
  { name: 'VACANT', type: 'L', length: 1 },
];
const valuesOf = async (...given: Parameters<typeof read>) => values(await read(...given));

describe('dBASE', () => {
  test('text, numbers, dates, and booleans; blank is null', async () => {
    const cells = [
      ['00012 ', '      12.500', '20120816', 'T'],
      ['      ', '            ', '        ', '?'],
      ['A', '************', '00000000', 'n'],
      ['B', '1234567890123456', '\0\0\0\0\0\0\0\0', ' '],
      ['C', 'N/A', '2012-08-', 'Y'],
    ];
    expect(
      await valuesOf(
        makeDbf(
          COLUMNS,
          cells.map(each => ({ cells: each })),
        ),
      ),
    ).toEqual([
      { PID: '00012', ACRES: 12.5, SALEDATE: '2012-08-16', VACANT: true },
      { PID: null, ACRES: null, SALEDATE: null, VACANT: null },
      { PID: 'A', ACRES: '************', SALEDATE: null, VACANT: false },
      { PID: 'B', ACRES: 123456789012, SALEDATE: null, VACANT: null },
      { PID: 'C', ACRES: 'N/A', SALEDATE: '2012-08-', VACANT: true },
    ]);
  });

  test('a number too long for a double stays text', async () => {
    expect(
      await valuesOf(makeDbf([{ name: 'APN', type: 'N', length: 19 }], [{ cells: ['1234567890123456789'] }])),
    ).toEqual([{ APN: '1234567890123456789' }]);
  });

  test('deleted records are skipped and keep their number', async () => {
    const table = makeDbf(COLUMNS.slice(0, 1), [
      { cells: ['1'] },
      { deleted: true, cells: ['2'] },
      { cells: ['3'] },
    ]);
    const { rows } = await read(table);
    expect(rows.map(row => [row.rowNo, row.values.PID])).toEqual([
      [1, '1'],
      [3, '3'],
    ]);
  });

  test('FoxPro types and memo columns', async () => {
    const double = Buffer.alloc(8);
    double.writeDoubleLE(2.5);
    const money = Buffer.alloc(8);
    money.writeBigInt64LE(1_234_500n);
    const time = Buffer.alloc(8);
    time.writeInt32LE(2_456_156, 0); // 2012-08-16
    time.writeInt32LE(3_600_000, 4);
    const integer = Buffer.alloc(4);
    integer.writeInt32LE(-7);
    const columns = [
      { name: 'B', type: 'B', length: 8 },
      { name: 'Y', type: 'Y', length: 8 },
      { name: 'T', type: 'T', length: 8 },
      { name: 'I', type: 'I', length: 4 },
      { name: 'NOTE', type: 'M', length: 10 },
    ];
    expect(
      await valuesOf(makeDbf(columns, [{ cells: [double, money, time, integer, '         1'] }])),
    ).toEqual([{ B: 2.5, Y: 123.45, T: '2012-08-16T01:00:00.000Z', I: -7 }]);
  });

  test("Clipper's text columns longer than 255 bytes", async () => {
    const columns = [
      { name: 'LEGAL', type: 'C', length: 300 },
      { name: 'PID', type: 'C', length: 2 },
    ];
    expect(await valuesOf(makeDbf(columns, [{ cells: ['x'.repeat(290), '7'] }]))).toEqual([
      { LEGAL: 'x'.repeat(290), PID: '7' },
    ]);
  });

  test("the assessor's export of Washington is read the same as by another reader", async () => {
    const path = `${fixtures}washington-assessor.dbf`;
    const reference = await (await DBFFile.open(path)).readRecords();
    const expected = reference.map(record =>
      Object.fromEntries(
        Object.entries(record).map(([key, value]) => [
          key,
          value === '' ? null : value instanceof Date ? value.toISOString().slice(0, 10) : value,
        ]),
      ),
    );
    expect(expected).toHaveLength(25);
    expect(expected.some(row => row.SALEDATE === null) && expected.some(row => row.SALEDATE !== null)).toBe(
      true,
    );
    const bytes = readFileSync(path);
    for (const packed of [bytes, gzipSync(bytes), makeZip({ 'out/W.DBF': bytes, 'out/readme.txt': '' })])
      expect(await valuesOf(packed)).toEqual(expected);
    for (const size of [1, 33, 1164, 5000]) {
      const chunked = await readInChunks(readDbf, bytes, size, { format: 'dbf' });
      expect(chunked.rows.map(row => row.values)).toEqual(expected);
    }
  });
});

describe('encodings of dBASE', () => {
  const column = [{ name: 'OWNER', type: 'C', length: 8 }];
  const of = (text: Buffer, language = 0) => makeDbf(column, [{ cells: [text] }], language);

  test.each([
    ['UTF-8 without a word', of(Buffer.from('PEÑA')), undefined],
    ['Windows-1252 without a word', of(Buffer.from('PEÑA', 'latin1')), undefined],
    ['the language byte of code page 437', of(Buffer.from([0x50, 0x45, 0xa5, 0x41]), 1), undefined],
    ["the feed's declaration", of(Buffer.from([0x50, 0x45, 0xa5, 0x41])), 'cp850'],
  ])('%s', async (_, table, encoding) => {
    expect(await valuesOf(table, encoding === undefined ? {} : { encoding })).toEqual([{ OWNER: 'PEÑA' }]);
  });

  test.each([
    ['a .cpg of Windows-1252', '1252', 'PEÑA JOSÉ', Buffer.from('PEÑA JOSÉ')],
    ['a .cpg of Latin-1', 'ISO-8859-1', 'PEÑA JOSÉ', Buffer.from('PEÑA JOSÉ')],
    ['a .cpg of UTF-8', 'UTF-8', 'PEÑA JOSÉ', Buffer.from('PEÑA JOSÉ', 'latin1')],
    ['the right .cpg', '1252', 'PEÑA JOSÉ', Buffer.from('PEÑA JOSÉ', 'latin1')],
    [
      'UTF-8 cut inside of its last letter',
      'UTF-8',
      'PEÑA MUÑOZ',
      Buffer.from('PEÑA MUÑOZÉ').subarray(0, 13),
    ],
    ['a .cpg of Vietnamese, code page 1258', '1258', 'ĐƯA', Buffer.from([0xd0, 0xdd, 0x41])],
    ['Latin-1 that ends in an accent', '1252', 'PENA JOSEFAAÉ', Buffer.from('PENA JOSEFAAÉ', 'latin1')],
  ])('%s: text that is valid UTF-8 is UTF-8, other text is not', async (_, cpg, owner, text) => {
    read.folder.put('l.cpg', cpg);
    const table = makeDbf([{ name: 'OWNER', type: 'C', length: 13 }], [{ cells: [text] }]);
    read.folder.put('l.dbf', table);
    expect(await valuesOf('', { source: 'l.dbf' })).toEqual([{ OWNER: owner }]);
  });

  test("the feed's encoding is used even if it is wrong; a language byte isn't", async () => {
    const utf8 = of(Buffer.from('PEÑA'), 3);
    expect(await valuesOf(utf8, { encoding: 'windows-1252' })).toEqual([{ OWNER: 'PEÃ‘A' }]);
    expect(await valuesOf(utf8)).toEqual([{ OWNER: 'PEÑA' }]);
  });

  test.each([['437'], ['CP437'], ['OEM 437']])('a .cpg of "%s" beside the table', async name => {
    read.folder.put('b.CPG', `${name}\r\n`);
    read.folder.put('b.dbf', of(Buffer.from([0x50, 0x45, 0xa5, 0x41])));
    expect(await valuesOf('', { source: 'b.dbf' })).toEqual([{ OWNER: 'PEÑA' }]);
  });
});

describe('unreadable tables', () => {
  const table = makeDbf(COLUMNS.slice(0, 1), [{ cells: ['1'] }, { cells: ['2'] }]);

  test.each([
    ['cut in a record', table.subarray(0, table.length - 5), 'feed_source', /\b1 of 2\b/],
    ['cut in the header', table.subarray(0, 40), 'feed_format', /dBASE/],
    ['empty', Buffer.alloc(0), 'feed_format', /dBASE/],
    ['a CSV', Buffer.from('PID,OWNER\n1,2\n'.repeat(10)), 'feed_format', /dBASE/],
  ])('%s', async (_, bytes, code, message) => {
    const found = read(bytes);
    await expect(found).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(found).rejects.toThrow(/a\.dbf/);
  });

  test('columns with the same name are distinguished by position, unless the feed names them', async () => {
    const twice = makeDbf([COLUMNS[0]!, COLUMNS[0]!], [{ cells: ['1', '2'] }]);
    expect(await valuesOf(twice)).toEqual([{ 'PID (column 1)': '1', 'PID (column 2)': '2' }]);
    expect(await valuesOf(twice, { header: ['A', 'B'] })).toEqual([{ A: '1', B: '2' }]);
    await expect(read(twice, { header: ['A'] })).rejects.toThrow(/\b2 columns.*header.*\b1\b/);
  });
});
