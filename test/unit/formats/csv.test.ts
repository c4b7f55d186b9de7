import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../workers/formats/csv.ts';
import { contextFor, makeZip, readAll, readInChunks, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const values = (read: Awaited<ReturnType<typeof readAll>>) => read.rows.map(row => row.values);

describe('delimited text', () => {
  test('cells are strings, empty ones null, and rows count from 1', async () => {
    folder.put('a.csv', 'PID,OWNER,ACRES\r\n00012,"SMITH, JOHN ""JACK""",1.50\r\n00013,,\r\n\r\n');
    const read = await readAll({ source: 'a.csv', format: 'csv' }, context);
    expect(read.bad).toEqual([]);
    expect(read.rows).toEqual([
      { rowNo: 1, values: { PID: '00012', OWNER: 'SMITH, JOHN "JACK"', ACRES: '1.50' }, geometry: null },
      { rowNo: 2, values: { PID: '00013', OWNER: null, ACRES: null }, geometry: null },
    ]);
  });

  test.each([
    ['comma', ','],
    ['tab', '\t'],
    ['pipe', '|'],
    ['semicolon', ';'],
  ])('a %s is found to be the delimiter from the header', async (name, delimiter) => {
    const lines = [
      ['A', '"B,|;\tb"', 'C'],
      ['1', `"x${delimiter}y"`, '3'],
    ];
    folder.put(`${name}.txt`, lines.map(line => line.join(delimiter)).join('\n'));
    const read = await readAll({ source: `${name}.txt`, format: 'csv' }, context);
    expect(values(read)).toEqual([{ A: '1', 'B,|;\tb': `x${delimiter}y`, C: '3' }]);
  });

  test('a declared delimiter and quote are used', async () => {
    folder.put('declared.txt', "A^B\n'1^2'^3\n");
    const read = await readAll(
      { source: 'declared.txt', format: 'csv', delimiter: '^', quote: "'" },
      context,
    );
    expect(values(read)).toEqual([{ A: '1^2', B: '3' }]);
  });

  test('without quoting a quote is a letter like any other', async () => {
    folder.put('inches.txt', 'A|B\n5" pipe|"x\n');
    const read = await readAll({ source: 'inches.txt', format: 'csv', quote: '' }, context);
    expect(values(read)).toEqual([{ A: '5" pipe', B: '"x' }]);
  });

  test('a quoted cell may hold line ends, and a quote inside a bare cell is kept', async () => {
    folder.put('lines.csv', 'A,B\n"1\r\n2",5" pipe\n');
    expect(values(await readAll({ source: 'lines.csv', format: 'csv' }, context))).toEqual([
      { A: '1\r\n2', B: '5" pipe' },
    ]);
  });

  test('old Macintosh line ends are read', async () => {
    folder.put('mac.csv', 'A,B\r1,2\r3,4\r');
    expect(values(await readAll({ source: 'mac.csv', format: 'csv' }, context))).toEqual([
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ]);
  });

  test('columns can be named by the feed or numbered', async () => {
    folder.put('bare.csv', '1,2\n3,4\n');
    expect(values(await readAll({ source: 'bare.csv', format: 'csv', header: ['x', 'y'] }, context))).toEqual(
      [
        { x: '1', y: '2' },
        { x: '3', y: '4' },
      ],
    );
    const numbered = await readAll({ source: 'bare.csv', format: 'csv', header: false }, context);
    expect(values(numbered)).toEqual([
      { column_1: '1', column_2: '2' },
      { column_1: '3', column_2: '4' },
    ]);
  });

  test.each([
    ['A,B,A', /columns 1 and 3 are both called "A".*header/],
    ['A,,C', /column 2 has no name.*header/],
    ['A,__proto__', /__proto__/],
    ['', /empty: no header/],
  ])('the header "%s" is refused with the remedy', async (header, message) => {
    folder.put('header.csv', `${header}\n1,2,3\n`.replace(/^\n.*/s, ''));
    await expect(readAll({ source: 'header.csv', format: 'csv' }, context)).rejects.toThrow(message);
  });

  test('several files are read as one, with running row numbers', async () => {
    folder.put('one.csv', 'A\n1\n');
    folder.put('two.csv', 'A\n2\n');
    const read = await readAll({ source: ['one.csv', 'two.csv'], format: 'csv' }, context);
    expect(read.rows.map(row => [row.rowNo, row.values.A])).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
  });
});

describe('rows that cannot be used', () => {
  test('a ragged row is kept with its text, and the rest is read', async () => {
    folder.put('ragged.csv', 'A,B\n1,2\n3\n4,5,6\n7,8\n');
    const read = await readAll({ source: 'ragged.csv', format: 'csv' }, context);
    expect(read.rows.map(row => row.rowNo)).toEqual([1, 4]);
    expect(read.bad).toEqual([
      {
        rowNo: 2,
        reason: 'ragged_row',
        field: null,
        message: 'the row has 1 cells where the header has 2',
        raw: '3',
      },
      {
        rowNo: 3,
        reason: 'ragged_row',
        field: null,
        message: 'the row has 3 cells where the header has 2',
        raw: '4,5,6',
      },
    ]);
  });

  test.each([
    ['closed by the next quote', '2,"OPEN\n3,"x"\n'],
    ['never closed', '2,"OPEN\n3,x\n'],
  ])('a stray quote that is %s costs its own line alone', async (_, text) => {
    folder.put('stray.csv', `A,B\n1,x\n${text}`);
    const read = await readAll({ source: 'stray.csv', format: 'csv' }, context);
    expect(read.rows.map(row => [row.rowNo, row.values.A, row.values.B])).toEqual([
      [1, '1', 'x'],
      [3, '3', 'x'],
    ]);
    expect(read.bad).toMatchObject([{ rowNo: 2, reason: 'unreadable_row', raw: '2,"OPEN' }]);
  });

  test('a quote that never closes in a large file costs one line and bounded memory', async () => {
    folder.put('open.csv', `A,B\n1,"OPEN\n${'2,x\n'.repeat(50_000)}`);
    const bounded = contextFor(folder.path, { limits: { rowBytes: 100_000 } });
    const read = await readAll({ source: 'open.csv', format: 'csv' }, bounded);
    expect(read.rows).toHaveLength(50_000);
    expect(read.bad).toMatchObject([{ rowNo: 1, raw: '1,"OPEN' }]);
  });

  test('a line without end is one bad row', async () => {
    folder.put('long.csv', `A,B\n1,2\n3,${'x'.repeat(3_000_000)}\n4,5\n`);
    const bounded = contextFor(folder.path, { limits: { rowBytes: 100_000 } });
    const read = await readAll({ source: 'long.csv', format: 'csv' }, bounded);
    expect(read.rows.map(row => row.rowNo)).toEqual([1, 3]);
    expect(read.bad).toMatchObject([{ rowNo: 2, reason: 'row_too_long' }]);
    expect(read.bad[0]!.raw.length).toBeLessThan(70_000);
  });
});

describe('packing and encodings', () => {
  const text = 'OWNER,CITY\nPEÑA,Cañon\n';
  const expected = [{ OWNER: 'PEÑA', CITY: 'Cañon' }];

  test('gzip, zip, and gzip in zip', async () => {
    folder.put('p.csv.gz', gzipSync(text));
    folder.put('p.zip', makeZip({ 'readme.pdf': 'x', 'data/p.csv': text }));
    folder.put('pgz.zip', makeZip({ 'p.csv.gz': gzipSync(text) }));
    for (const source of ['p.csv.gz', 'p.zip', 'pgz.zip']) {
      expect(values(await readAll({ source, format: 'csv' }, context)), source).toEqual(expected);
    }
  });

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with BOM', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 LE with BOM', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 BE with BOM', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['Latin-1', Buffer.from(text, 'latin1')],
  ])('%s is recognised', async (_, bytes) => {
    folder.put('encoded.csv', bytes);
    expect(values(await readAll({ source: 'encoded.csv', format: 'csv' }, context))).toEqual(expected);
  });

  test('the first letter beyond ASCII decides even when it comes after megabytes', async () => {
    const filler = 'SMITH,Denver\n'.repeat(90_000);
    folder.put(
      'late.csv',
      Buffer.concat([Buffer.from(`OWNER,CITY\n${filler}`), Buffer.from('PEÑA,Cañon\n', 'latin1')]),
    );
    const read = await readAll({ source: 'late.csv', format: 'csv' }, context);
    expect(read.rows.at(-1)!.values).toEqual(expected[0]);
    folder.put('late8.csv', `OWNER,CITY\n${filler}PEÑA,Cañon\n`);
    expect((await readAll({ source: 'late8.csv', format: 'csv' }, context)).rows.at(-1)!.values).toEqual(
      expected[0],
    );
  });

  test('Windows-1252 punctuation is read, and a declared encoding wins over the guess', async () => {
    folder.put('w.csv', Buffer.from([...Buffer.from('A,B\n1,O'), 0x92, ...Buffer.from('BRIEN\n')]));
    expect(values(await readAll({ source: 'w.csv', format: 'csv' }, context))).toEqual([
      { A: '1', B: 'O’BRIEN' },
    ]);
    folder.put('dos.csv', Buffer.from([...Buffer.from('A\nPE'), 0xa5, ...Buffer.from('A\n')]));
    expect(values(await readAll({ source: 'dos.csv', format: 'csv', encoding: 'cp437' }, context))).toEqual([
      { A: 'PEÑA' },
    ]);
  });

  test('an unknown encoding is refused by name', async () => {
    folder.put('e.csv', 'A\n1\n');
    const read = readAll({ source: 'e.csv', format: 'csv', encoding: 'klingon' }, context);
    await expect(read).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringContaining('klingon'),
    });
  });
});

test('any table survives writing and reading, wherever the chunks fall', async () => {
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
        const read = await readInChunks(readCsv, Buffer.from(text), size, { format: 'csv', delimiter: ',' });
        expect(read.bad).toEqual([]);
        expect(values(read)).toEqual(
          rows.map(([a, b]) => ({ A: a === '' ? null : a, B: b === '' ? null : b })),
        );
      },
    ),
    { numRuns: 300 },
  );
});
