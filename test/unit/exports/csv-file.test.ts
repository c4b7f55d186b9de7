import { expect, test } from 'vitest';
import type { ExportColumn } from '../../../shared/exports/export-columns.ts';
import { copyValue } from '../../../shared/platform/copy.ts';
import { openCsv } from '../../../workers/exports/csv-file.ts';

const COLUMNS: ExportColumn[] = [
  { name: 'owner_name', type: 'text' },
  { name: 'acres', type: 'number' },
  { name: 'vacant', type: 'boolean' },
  { name: 'sources', type: 'text' },
];
const CREDIT = 'Roll, "County of X"';
const TEXTS = [
  '',
  'Ellery',
  'Ellery, Felix',
  '5" pipe, "Joe"',
  '=1+1',
  '@home, away',
  ' - a dash',
  '\u00a0=1',
  '＝1+1',
  '＋1',
  '－1, x',
  '＠SUM(A1)',
  '+1',
  '+1+1',
  '-A1',
  '-12.5',
  'a\tb\nc\r\\d',
  'Peña',
  'Ñandú, S.A.',
  'x'.repeat(5_000),
  '"',
];

test('lines of COPY produce the same as their rows', () => {
  const rows = TEXTS.map((text, i) => [text, ['-1.5', ''][i % 2]!, ['t', 'f', ''][i % 3]!]);
  const lines = rows.map(cells => `${['7', '', '', '', ...cells.map(copyValue)].join('\t')}\n`).join('');
  const asRows = openCsv(COLUMNS, { boundary: false }).write(
    rows.map(cells => ({ id: '7', cells: [...cells, CREDIT], place: null })),
  );
  const asLines = openCsv(COLUMNS, { boundary: false }).writeCopied!(Buffer.from(lines), CREDIT);
  expect(Buffer.from(asLines).toString()).toBe(Buffer.from(asRows).toString());
});

test.each([
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1, x', `"'－1, x"`],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['+1+1', "'+1+1"],
  ['-A1', "'-A1"],
  ['+1', '+1'],
  ['-12.5', '-12.5'],
])('an owner named %j is %j in both ways to write rows', (name, cell) => {
  const asRow = openCsv(COLUMNS, { boundary: false }).write([
    { id: '7', cells: [name, '', '', ''], place: null },
  ]);
  const line = `${['7', '', '', '', copyValue(name), '', ''].join('\t')}\n`;
  const asLine = openCsv(COLUMNS, { boundary: false }).writeCopied!(Buffer.from(line), '');
  for (const file of [asRow, asLine])
    expect(Buffer.from(file).toString()).toBe(`\ufeffowner_name,acres,vacant,sources\r\n${cell},,,\r\n`);
});
