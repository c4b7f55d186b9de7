import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../workers/formats/csv.ts';
import { runs } from '../../support/runs.ts';
import { makeZip, readerOf, readInChunks, values } from './make.ts';

const read = readerOf('csv', 'a.csv');
const rowsOf = async (...given: Parameters<typeof read>) => values(await read(...given));

describe('delimited text', () => {
  test('cells are strings, empty ones null, and rows count from 1', async () => {
    const found = await read('PID,OWNER,ACRES\r\n00012,"SMITH, JOHN ""JACK""",1.50\r\n00013,,\r\n\r\n');
    expect(found.bad).toEqual([]);
    expect(found.rows).toEqual([
      { rowNo: 1, values: { PID: '00012', OWNER: 'SMITH, JOHN "JACK"', ACRES: '1.50' }, geometry: null },
      { rowNo: 2, values: { PID: '00013', OWNER: null, ACRES: null }, geometry: null },
    ]);
  });

  test.each([',', '\t', '|', ';'])('the delimiter %j is found from the header', async delimiter => {
    const lines = [
      ['A', '"B,|;\tb"', 'C'],
      ['1', `"x${delimiter}y"`, '3'],
    ];
    const text = lines.map(line => line.join(delimiter)).join('\n');
    expect(await rowsOf(`${text}\n`)).toEqual([{ A: '1', 'B,|;\tb': `x${delimiter}y`, C: '3' }]);
  });

  test.each([
    ['a declared delimiter and quote', "A^B\n'1^2'^3\n", { delimiter: '^', quote: "'" }, ['1^2', '3']],
    ['no quoting: a quote is a letter', 'A|B\n5" pipe|"x\n', { quote: '' }, ['5" pipe', '"x']],
    [
      'line ends in a quoted cell, a quote in a bare one',
      'A,B\n"1\r\n2",5" pipe\n',
      {},
      ['1\r\n2', '5" pipe'],
    ],
    ['line ends of old Macintoshes', 'A,B\r1,2\r', {}, ['1', '2']],
  ])('%s', async (_, text, spec, [A, B]) => expect(await rowsOf(text, spec)).toEqual([{ A, B }]));

  test('columns can be named by the feed or numbered', async () => {
    expect(await rowsOf('1,2\n3,4\n', { header: ['x', 'y'] })).toEqual([
      { x: '1', y: '2' },
      { x: '3', y: '4' },
    ]);
    expect(await rowsOf('1,2\n', { header: false })).toEqual([{ column_1: '1', column_2: '2' }]);
  });

  test('title lines are skipped', async () => {
    const rows = [{ A: '1', B: '2' }];
    for (const eol of ['\n', '\r\n', '\r'])
      expect(await rowsOf(`The roll, of 2026;"${eol}${eol}A,B${eol}1,2${eol}`, { skip_lines: 2 })).toEqual(
        rows,
      );
    await expect(read('one\ntwo\n', { skip_lines: 2 })).rejects.toMatchObject({ code: 'feed_format' });
  });

  test.each([
    ['A,B,A\n1,2,3\n', { 'A (column 1)': '1', B: '2', 'A (column 3)': '3' }],
    ['A,A (column 1),A\n1,2,3\n', { 'A (column 1)_': '1', 'A (column 1)': '2', 'A (column 3)': '3' }],
    ['A,,C\n1,2,3\n', { A: '1', column_2: '2', C: '3' }],
    ['A,__proto__\n1,2\n', { A: '1', column_2: '2' }],
    ['A,B,\n1,2,\n', { A: '1', B: '2', column_3: null }],
    ['A,B,\n1,2\n', { A: '1', B: '2', column_3: null }],
    ['A,PARCEL\u00a0ID\n1,2\n', { A: '1', 'PARCEL ID': '2' }],
  ])('every column of the header %j has a name of its own', async (text, row) => {
    const found = await read(text);
    expect(found).toEqual({ rows: [{ rowNo: 1, values: row, geometry: null }], bad: [] });
  });

  test('a file without a header, and names that the feed repeats, are refused', async () => {
    await expect(read('')).rejects.toMatchObject({ code: 'feed_format' });
    await expect(read('1,2\n', { header: ['A', 'A'] })).rejects.toMatchObject({ code: 'feed_format' });
  });

  test("Excel's formula for a number stays text", async () => {
    const lines = [
      '="00012345",A',
      '"=""00012346""",B',
      '="1,2",="x ""y"", z"',
      '="",C',
      '=1+2,"=D"',
      '="open,E',
    ];
    const rows = await rowsOf(`="PID",OWNER\n${lines.join('\n')}\n`);
    expect(rows.map(row => [row.PID, row.OWNER])).toEqual([
      ['00012345', 'A'],
      ['00012346', 'B'],
      ['1,2', 'x "y", z'],
      [null, 'C'],
      ['=1+2', '=D'],
      ['="open', 'E'],
    ]);
  });

  test("extra empty cells don't count, and missing ones at the end are empty", async () => {
    const { rows, bad } = await read('PID,OWNER,ACRES,VALUE\n1,A,2,3,,\n2,B\n3,C,4,5,6\n4\n5,D,,\nX Y,E\n');
    const found = rows.map(({ rowNo, values: row, short }) => [
      rowNo,
      Object.values(row),
      short !== undefined,
    ]);
    expect(found).toEqual([
      [1, ['1', 'A', '2', '3'], false],
      [2, ['2', 'B', null, null], true],
      [5, ['5', 'D', null, null], false],
    ]);
    // A value too many, a note, and what does not start as rows do: the rest of one that was broken in two.
    expect(bad.map(({ rowNo, reason, raw }) => [rowNo, reason, raw])).toEqual([
      [3, 'ragged_row', '3,C,4,5,6'],
      [4, 'ragged_row', '4'],
      [6, 'ragged_row', 'X Y,E'],
    ]);
  });

  test('several files are read as one, with continuous row numbers', async () => {
    read.folder.put('one.csv', 'A\n1\n');
    read.folder.put('two.csv', 'A\n2\n');
    const { rows } = await read('', { source: ['one.csv', 'two.csv'] });
    expect(rows).toMatchObject([
      { rowNo: 1, values: { A: '1' } },
      { rowNo: 2, values: { A: '2' } },
    ]);
  });
});

describe('unusable rows', () => {
  test('a ragged row is kept with its text, and the rest is read', async () => {
    const { rows, bad } = await read('A,B\n1,2\n3\n4,5,6\n7,8\n');
    expect(rows.map(row => row.rowNo)).toEqual([1, 4]);
    const message = (cells: number) => expect.stringMatching(new RegExp(`\\b${cells} cells?\\b.*\\b2\\b`));
    expect(bad).toEqual([
      { rowNo: 2, reason: 'ragged_row', field: null, message: message(1), raw: '3' },
      { rowNo: 3, reason: 'ragged_row', field: null, message: message(3), raw: '4,5,6' },
    ]);
  });

  test.each([
    ['closed by the next quote', '2,"OPEN\n3,"x"\n'],
    ['never closed', '2,"OPEN\n3,x\n'],
  ])('a stray quote that is %s costs its own line alone', async (_, text) => {
    const { rows, bad } = await read(`A,B\n1,x\n${text}`);
    expect(rows.map(row => [row.rowNo, row.values.A, row.values.B])).toEqual([
      [1, '1', 'x'],
      [3, '3', 'x'],
    ]);
    expect(bad).toMatchObject([{ rowNo: 2, reason: 'unreadable_row', raw: '2,"OPEN' }]);
  });

  test('an unclosed quote in a large file costs one line and bounded memory', async () => {
    const { rows, bad } = await read(
      `A,B\n1,"OPEN\n${'2,x\n'.repeat(50_000)}`,
      {},
      { limits: { csvRowChars: 100_000 } },
    );
    expect(rows).toHaveLength(50_000);
    expect(bad).toMatchObject([{ rowNo: 1, raw: '1,"OPEN' }]);
  });

  test.each([
    ['a row', 'A,B\n1,2\n3', /1 of 2 cells/],
    ['a quoted cell', 'A,B\n1,2\n3,"x', /quoted cell/],
    ['a line of a quoted cell', 'A,B\n1,2\n3,"x\ny', /./],
    ['a quoted cell that ends its line', 'A,B\n1,2\n3,"x\n', /./],
  ])('a file that ends in the middle of %s is refused', (_, text, message) =>
    expect(read(text)).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringMatching(message),
    }),
  );

  test('a complete last row needs no line end', async () =>
    expect(await rowsOf('A,B\n1,2\n3,"4"')).toHaveLength(2));

  test('an endless line is one bad row', async () => {
    const long = `A,B\n1,2\n3,${'x'.repeat(3_000_000)}\n4,5\n`;
    const { rows, bad } = await read(long, {}, { limits: { csvRowChars: 100_000 } });
    expect(rows.map(row => row.rowNo)).toEqual([1, 3]);
    expect(bad).toMatchObject([{ rowNo: 2, reason: 'row_too_long' }]);
    expect(bad[0]!.raw.length).toBeLessThan(70_000);
  });
});

describe('packing and encodings', () => {
  const text = 'OWNER,CITY\nPEÑA,Cañon\n';
  const expected = { OWNER: 'PEÑA', CITY: 'Cañon' };

  test.each([
    ['gzip', gzipSync(text)],
    ['zip', makeZip({ 'readme.pdf': 'x', 'data/p.csv': text })],
    ['gzip in zip', makeZip({ 'p.csv.gz': gzipSync(text) })],
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with BOM', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 LE with BOM', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 BE with BOM', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['Latin-1', Buffer.from(text, 'latin1')],
  ])('%s is recognised', async (_, bytes) => expect(await rowsOf(bytes)).toEqual([expected]));

  test.each(['latin1', 'utf8'] as const)(
    'the first letter beyond ASCII decides even when it comes after megabytes: %s',
    async encoding => {
      const rows = await rowsOf(
        Buffer.from(`OWNER,CITY\n${'SMITH,Denver\n'.repeat(90_000)}PEÑA,Cañon\n`, encoding),
      );
      expect(rows.at(-1)).toEqual(expected);
    },
  );

  test('Windows-1252 punctuation is read, and a declared encoding takes precedence over the guess', async () => {
    expect(await rowsOf(Buffer.from('A,B\n1,O\x92BRIEN\n', 'latin1'))).toEqual([{ A: '1', B: 'O’BRIEN' }]);
    expect(await rowsOf(Buffer.from('A\nPE\xa5A\n', 'latin1'), { encoding: 'cp437' })).toEqual([
      { A: 'PEÑA' },
    ]);
  });

  test('an unknown encoding is refused by name', () =>
    expect(read('A\n1\n', { encoding: 'klingon' })).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringContaining('klingon'),
    }));
});

test('any table survives writing and reading, wherever the chunks are cut', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ñ', ' ', '漢', '|') });
  const table = fc.array(fc.tuple(cell, cell), { maxLength: 30 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 50 }),
      async (rows, eol, size) => {
        const text = `A,B${eol}${rows.map(row => row.map(quoted).join(',') + eol).join('')}`;
        const found = await readInChunks(readCsv, Buffer.from(text), size, { format: 'csv', delimiter: ',' });
        expect(found.bad).toEqual([]);
        expect(values(found)).toEqual(
          rows.map(([a, b]) => ({ A: a === '' ? null : a, B: b === '' ? null : b })),
        );
      },
    ),
    { numRuns: runs(300) },
  );
});
