import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { suggestFeed } from '../../../workers/setup/check-suggestion.ts';
import { testFolder } from '../../support/folder.ts';
import { number, text, workbook } from '../formats/workbook.ts';

const folder = testFolder();

const HEADER = ['PARCEL_ID', 'OWNER', 'ACRES'];
const ROWS = Array.from({ length: 30 }, (_, i) => [`12-${1000 + 7 * i}`, `DOE JOHN ${i} LLC`, 1 + i / 4]);
const csv = (...rows: unknown[][]) => `${rows.map(row => row.join(',')).join('\n')}\n`;

async function suggest(name: string, bytes: string | Buffer, format: 'csv' | 'xlsx') {
  writeFileSync(join(folder, name), bytes);
  return suggestFeed({
    input: { source: name, format },
    baseDir: folder,
    file: join(folder, 'a.yaml'),
    rows: 500,
    head: { name: 'a', fips: '55025' },
  });
}

test.each<[string, unknown[][], number]>([
  ['none', [], 0],
  ['one in its own cell', [['Assessment Roll']], 1],
  ['one with the cells of a row', [['Assessment Roll of 2026', '', '']], 1],
  ['two and a blank line', [['Dane County'], ['2026', 'final'], ['']], 2],
])('titles above the header of a CSV: %s', async (_, titles, count) => {
  const found = await suggest('roll.csv', csv(...titles, HEADER, ...ROWS), 'csv');
  expect([found.rows, found.suggestions?.key?.columns, found.problems]).toEqual([30, ['PARCEL_ID'], []]);
  expect(/skip_lines: (\d)/.exec(found.text)?.[1]).toBe(count === 0 ? undefined : String(count));
});

test("a title above a sheet's header", async () => {
  const cells = [[text('Assessment Roll')], HEADER.map(text)];
  const rows = ROWS.map(([id, owner, acres]) => [
    text(String(id)),
    text(String(owner)),
    number(Number(acres)),
  ]);
  const found = await suggest('roll.xlsx', workbook({ Roll: [...cells, ...rows] }), 'xlsx');
  expect([found.rows, found.suggestions?.key?.columns]).toEqual([30, ['PARCEL_ID']]);
  expect(found.text).toContain('  skip_lines: 1\n');
});

test('a header with a repeated name and a missing one is read: the rows below name no columns', async () => {
  const repeated = csv(['PARCEL_ID', 'OWNER', 'OWNER'], ...ROWS);
  const found = await suggest('roll.csv', repeated, 'csv');
  expect([found.rows, found.suggestions?.key?.columns]).toEqual([30, ['PARCEL_ID']]);
  expect(found.text).toContain('owner_name: OWNER (column 2)');
  const unnamed = await suggest('roll.csv', csv(['PARCEL_ID', 'OWNER', ''], ...ROWS), 'csv');
  expect([unnamed.rows, unnamed.suggestions?.key?.columns]).toEqual([30, ['PARCEL_ID']]);
});

describe('a sales file that no preset matches', () => {
  const header = ['PARCEL_ID', 'SALE_DATE', 'SALE_PRICE', 'QUAL_CODE', 'GRANTOR', 'GRANTEE', 'ACRES'];
  /** A parcel in five is sold twice. */
  const sales = Array.from({ length: 60 }, (_, i) => [
    `12-${1000 + 7 * (i % 50)}`,
    `2025-${String(1 + (i % 12)).padStart(2, '0')}-1${i % 10}`,
    20_000 + 1_250 * i,
    ['Q', 'Q', 'U'][i % 3],
    `DOE JOHN ${i}`,
    `ROE MARY ${i}`,
    1 + (i % 50) / 4,
  ]);

  test('becomes listings with a key, days, and prices, and its codes to choose from', async () => {
    const found = await suggest('sales.csv', csv(header, ...sales), 'csv');
    expect([found.kind, found.problems]).toEqual(['listings', []]);
    expect(found.text).toMatch(/\nlistings:\n.*\n.*\n {2}key: PARCEL_ID /);
    expect(found.text).toMatch(/\n {4}sold_date: SALE_DATE .*\n/);
    expect(found.text).toMatch(/\n {4}sold_price: SALE_PRICE .*\n/);
    expect(found.text).toMatch(/# Rows by QUAL_CODE: Q 40, U 20\./);
    expect(found.check?.comps[0]).toMatch(/^60 of .*\b60 rows/);
  });

  test("isn't one if each parcel appears once, with what a roll has about owners", async () => {
    const once = sales.slice(0, 40);
    const mailed = once.map((row, i) => [...row, `${100 + i} MAIN ST`]);
    const roll = await suggest('roll.csv', csv([...header, 'MAIL_ADDRESS'], ...mailed), 'csv');
    expect(roll.kind).toBe('assessor');
    expect((await suggest('sales.csv', csv(header, ...once), 'csv')).kind).toBe('listings');
  });
});
