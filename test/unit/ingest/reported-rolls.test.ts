import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import type { FeedCheck } from '../../../workers/ingest/engine/dry-run.ts';
import { testFolder } from '../../support/folder.ts';
import { feedOf, lot, writeFeatures } from '../../support/ingest.ts';
import { date, number, text, workbook } from '../formats/workbook.ts';

/** Tables as users of other readers reported them: what a feed makes of each, and what it leaves out. */

const folder = testFolder();
let files = 0;

type Section = Record<string, unknown>;

const COLUMNS = {
  owner_name: 'OWNER',
  situs_address: 'SITUS',
  acres: 'ACRES',
  market_total_value: 'VALUE',
  last_sale_date: 'SOLD',
  last_sale_price: 'PRICE',
};

/** Checks a feed of a roll, with those of the usual columns that its first line names. */
async function check(content: string | Buffer, section: Section = {}, more: Section = {}) {
  const format = section.format ?? 'csv';
  const source = `roll-${++files}.${format}`;
  writeFileSync(join(folder, source), content);
  const names = String(content).split('\n', 1)[0]!;
  const columns = Object.fromEntries(
    Object.entries(COLUMNS).filter(([, name]) => format !== 'csv' || names.includes(name)),
  );
  const roll = { source, format, key: 'PID', columns, ...section };
  return checkFeed(feedOf(folder, { name: 'roll', kind: 'assessor', fips: '33019', roll, ...more }));
}

const outOf = ({ parts: [part] }: FeedCheck, field: string) =>
  part!.columns.find(({ target }) => target === field)?.samples.map(({ out }) => out);
const faultsOf = (faults: FeedCheck['parts'][number]['dropped']) =>
  faults.map(({ field, reason, count, rowNo }) => [field, reason, count, rowNo]);
const droppedOf = ({ parts: [part] }: FeedCheck) => faultsOf(part!.dropped).toSorted();
const rejectedOf = ({ parts: [part] }: FeedCheck) => faultsOf(part!.rejected);
const usableOf = ({ parts: [part] }: FeedCheck) => [part!.rows, part!.usable];

describe('cells and rows of delimited text', () => {
  test('a line end in a cell is a space', async () => {
    const found = await check('PID,SITUS,ACRES\n1,"4553 ALAMO ST UNIT B\nB",2.5\n2,1 MAIN ST,3\n');
    expect(usableOf(found)).toEqual([2, 2]);
    expect(outOf(found, 'situs_address')).toEqual(['4553 ALAMO ST UNIT B B', '1 MAIN ST']);
  });

  test('an extra comma costs its row, and moves no value', async () => {
    const found = await check('PID,OWNER,ACRES\n1,SMITH,2.5\n2,JONES, JR,3\n3,LEE,4\n');
    expect([usableOf(found), rejectedOf(found)]).toEqual([[3, 2], [[null, 'ragged_row', 1, 2]]]);
    expect(outOf(found, 'acres')).toEqual(['2.5', '4']);
  });

  test('a quote inside a cell swallows no row', async () => {
    const rows = Array.from({ length: 56 }, (_, i) => `${i + 3}\tLEE\t4\n`).join('');
    const found = await check(`PID\tOWNER\tACRES\n1\tSMITH\t2.5\n2\tNOVOTOR"YALSKIY\t3\n${rows}`);
    expect(usableOf(found)).toEqual([58, 58]);
    expect(outOf(found, 'owner_name')).toEqual(['SMITH', 'NOVOTOR"YALSKIY', 'LEE']);
  });

  test('unescaped quotes around a line end cost only their record', async () => {
    const found = await check(
      '"PID"|"OWNER"|"LEGAL"|"ACRES"\n"1"|"SMITH"|"LOT 1"|"2.5"\n"2"|"JONES"|"TRACT "B"\nOF PLAT"|"3"\n"3"|"LEE"|"LOT 3"|"4"\n',
    );
    expect(outOf(found, 'owner_name')).toEqual(['SMITH', 'LEE']);
    expect(outOf(found, 'acres')).toEqual(['2.5', '4']);
    expect(rejectedOf(found).length).toBeGreaterThan(0);
  });

  test('without a header, short rows are used and a longer one is rejected', async () => {
    const found = await check(',1,SMITH,2.5,M,21A P,20B P\n,2,JONES,3,M\n,3,LEE,4,M,21A P,20B P,19C P\n', {
      header: false,
      key: 'column_2',
      columns: { owner_name: 'column_3', acres: 'column_4' },
    });
    expect([usableOf(found), droppedOf(found), rejectedOf(found)]).toEqual([
      [3, 2],
      [['row', 'short_row', 1, 2]],
      [[null, 'ragged_row', 1, 3]],
    ]);
    expect(outOf(found, 'owner_name')).toEqual(['SMITH', 'JONES']);
  });

  test('amounts with signs, commas, and parentheses; a degree with a comma is not a number', async () => {
    const found = await check(
      'PID,VALUE,LON,LAT\n1,"$51,000.00","-72,1005","43,1705"\n2,"(1,200)",-72.1,43.17\n',
      {
        columns: { market_total_value: 'VALUE', longitude: 'LON', latitude: 'LAT' },
      },
    );
    expect(outOf(found, 'market_total_value')).toEqual(['51000']);
    expect(droppedOf(found)).toEqual([
      ['location', 'not_a_number', 1, 1],
      ['market_total_value', 'negative', 1, 2],
    ]);
    expect(found.parts[0]!.withGeometry).toBe(1);
  });

  test('invalid dates become null, each with its reason', async () => {
    const days = ['9999-99-99', '2015-02-30', '0000-00-00', '2999-01-01', '2023-05-01', '1900-01-01'];
    const found = await check(`PID,SOLD\n${days.map((day, i) => `${i + 1},${day}`).join('\n')}\n`);
    expect(outOf(found, 'last_sale_date')).toEqual(['2023-05-01', '1900-01-01']);
    expect(droppedOf(found)).toEqual([
      ['last_sale_date', 'date_out_of_range', 1, 4],
      ['last_sale_date', 'not_a_date', 2, 1],
    ]);
  });

  test('a lot with more land than a county usually has leads to a warning', async () => {
    const found = await check('PID,LOTAREA\n1,10890\n2,732550000\n3,0\n4,-1\n', {
      columns: { acres: { column: 'LOTAREA', unit: 'sqft' } },
    });
    expect(outOf(found, 'acres')).toEqual(['0.25', '16817.03398']);
    expect(droppedOf(found)).toEqual([['acres', 'negative', 1, 4]]);
    expect(found.warnings).toEqual([expect.stringMatching(/\b16817\.03398\b.*row 2\b/)]);
  });
});

describe('spreadsheet damage', () => {
  const header = ['PID', 'OWNER', 'SOLD', 'PRICE'].map(text);

  test('keys that are dates are refused, and so is a number that was rounded', async () => {
    const rows = [date(40_909), date(40_910.5), text('4.66E+11'), text('12-1'), text('2012-03-02')];
    const sheet = [header, ...rows.map(key => [key, text('SMITH')])];
    const found = await check(workbook({ Roll: sheet }), {
      format: 'xlsx',
      columns: { owner_name: 'OWNER' },
    });
    expect([usableOf(found), rejectedOf(found)]).toEqual([[5, 2], [['key', 'damaged_key', 3, 1]]]);
    expect(found.ok).toBe(false);
  });

  test('a text in a date cell is not a date, and a number as text is one', async () => {
    const rows = [
      [text('1'), text('SMITH'), text('19/19/2000'), number(51_000)],
      [text('2'), text('LEE'), date(43_225), text('52000')],
    ];
    const found = await check(workbook({ Roll: [header, ...rows] }), {
      format: 'xlsx',
      columns: { last_sale_date: 'SOLD', last_sale_price: 'PRICE' },
    });
    expect(outOf(found, 'last_sale_date')).toEqual(['2018-05-05']);
    expect(outOf(found, 'last_sale_price')).toEqual(['51000', '52000']);
    expect(droppedOf(found)).toEqual([['last_sale_date', 'not_a_date', 1, 1]]);
  });

  test('days count from 1904 if the workbook says so', async () => {
    const sheet = [header, [text('1'), text('SMITH'), date(41_763), number(1)]];
    const found = await check(workbook({ Roll: sheet }, true), {
      format: 'xlsx',
      columns: { last_sale_date: 'SOLD' },
    });
    expect(outOf(found, 'last_sale_date')).toEqual(['2018-05-05']);
  });

  test('keys that lost their zeros match no shape, and that is a problem', async () => {
    const keys = ['0001234567', '0001234568', '0001234569'];
    writeFeatures(
      join(folder, 'shapes.ndgeojson'),
      keys.map((PID, i) => ({ properties: { PID }, geometry: lot(i) })),
    );
    const shape = { source: 'shapes.ndgeojson', format: 'ndgeojson', key: 'PID' };
    const lost = await check('PID,OWNER\n1234567,SMITH\n1234568,JONES\n1234569,LEE\n', {}, { shape });
    expect(lost.keys).toMatchObject({ checked: 3, matched: 0 });
    expect([...lost.problems, ...lost.warnings]).toEqual([expect.stringMatching(/strip_leading_zeros/)]);
    const kept = await check(
      'PID,OWNER\n="0001234567",SMITH\n0001234568,JONES\n0001234569,LEE\n',
      {},
      { shape },
    );
    expect([kept.keys, kept.problems, kept.warnings]).toMatchObject([{ checked: 3, matched: 3 }, [], []]);
  });
});

describe('sales', () => {
  const sales = async (rows: string, more: Section) => {
    const source = `sales-${++files}.csv`;
    writeFileSync(join(folder, source), `PIN,DOC,SOLD,PRICE,VALID\n${rows}`);
    const columns = { sold_date: 'SOLD', sold_price: 'PRICE', apn: 'PIN' };
    const listings = { source, format: 'csv', key: 'PIN', columns };
    const definition = { name: 'sales', kind: 'listings', fips: '33019', listings, sales: more };
    const { parts } = await checkFeed(feedOf(folder, definition));
    return [parts[0]!.sales, parts[0]!.multiParcel];
  };

  test('a deed over several parcels is not a comp for any of them', async () => {
    const rows = [1, 2, 3, 4].map(pin => `${pin},2001,2024-05-01,400000,Y\n`).join('');
    expect(await sales(`${rows}9,2002,2024-06-01,90000,Y\n`, { book: 'DOC' })).toEqual([1, 4]);
  });

  test("nor if the rows of its other parcels don't count", async () => {
    const rows = '1,3001,2024-05-01,400000,N\n2,3001,2024-05-01,400000,Y\n3,3001,2024-05-01,400000,N\n';
    const where = [{ column: 'VALID', equals: 'Y' }];
    expect(await sales(`${rows}1,3005,2024-09-01,52000,Y\n`, { book: 'DOC', where })).toEqual([1, 1]);
  });

  test('nor on two days', async () => {
    const rows = '1,1202334,2024-05-01,400000,Y\n2,1202334,2024-05-20,400000,Y\n';
    expect(await sales(rows, { book: 'DOC' })).toEqual([0, 2]);
  });
});
