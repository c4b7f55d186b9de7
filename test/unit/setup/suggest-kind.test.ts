import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { suggestFeed } from '../../../workers/setup/check-suggestion.ts';
import { suggestJoined } from '../../../workers/setup/suggest-joined.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder();

type Row = Record<string, string | number>;
const ROWS = 40;
const rowsOf = (row: (n: number) => Row): Row[] => Array.from({ length: ROWS }, (_, n) => row(n));

function write(name: string, rows: readonly Row[]): { source: string; format: 'csv' } {
  const lines = [Object.keys(rows[0]!), ...rows.map(row => Object.values(row))];
  writeFileSync(
    join(folder, name),
    lines.map(cells => `${cells.map(cell => `"${cell}"`).join()}\n`).join(''),
  );
  return { source: name, format: 'csv' };
}

const suggest = (rows: readonly Row[], fips: string | undefined = '33019') =>
  suggestFeed({
    input: write('source.csv', rows),
    baseDir: folder,
    file: join(folder, 'a.yaml'),
    rows: 500,
    head: { name: 'a', fips },
  });

const two = (n: number) => String(n).padStart(2, '0');
const dayOf = (n: number, year = 2024) => `${year}-${two(1 + (n % 12))}-${two(1 + (n % 28))}`;
const pin = (n: number) => `${10 + (n % 7)}-${1000 + 7 * n}`;
const price = (n: number) => 40_000 + 1_250 * n;

describe('a row for each sale, with a day and a price, is not a roll', () => {
  const sale = (n: number) => ({ PARCEL_ID: pin(n), SALE_DATE: dayOf(n), SALE_PRICE: price(n) });
  const SALES: [string, (n: number) => Row][] = [
    ['parcel, day and price', sale],
    ['a type of deed', n => ({ ...sale(n), DEED_TYPE: n % 3 ? 'WD' : 'QC' })],
    ['names that say little', n => ({ PIN: pin(n), DATE: dayOf(n), PRICE: price(n) })],
    ['gifts among them', n => ({ ...sale(n), SALE_PRICE: n % 2 ? price(n) : 0 })],
    [
      'values of the time',
      n => ({ ...sale(n), ASSESSED_VALUE: 30_000 + 7 * n, INSTRUMENT_NO: 7_000 + 3 * n }),
    ],
    ['the address and the acres', n => ({ ...sale(n), SITUS_ADDRESS: `${n + 3} OAK ST`, ACRES: 1 + n / 8 })],
    ['the owner since', n => ({ ...sale(n), OWNER: `DOE JOHN ${n} LLC`, DOC_NO: 7_000 + 3 * n })],
    [
      'a price that says no more',
      n => ({ PIN: pin(n), DOC: 7_000 + n, SALE_DATE: dayOf(n), PRICE: price(n) }),
    ],
  ];
  test.each(SALES)('%s', async (_, row) => {
    const { kind, problems, check } = await suggest(rowsOf(row));
    expect([kind, problems]).toEqual(['listings', []]);
    expect(check?.parts[0]?.sales).toBeGreaterThan(0);
  });

  test("the deed's identifier is mapped, so that the parcels of one deed are not comps", async () => {
    const rows = rowsOf(n => ({ ...sale(n), DOC: n < 4 ? 2_001 : 3_000 + n }));
    const found = await suggest(rows);
    expect(found.text).toMatch(/^ {2}book: DOC/m);
    expect(found.check?.parts[0]).toMatchObject({ sales: ROWS - 4, multiParcel: 4 });
    const paged = await suggest(rowsOf(n => ({ ...sale(n), BOOK: 300 + (n % 5), PAGE: 10 + n })));
    expect(paged.text).toMatch(/^ {2}book: \{ columns: \[ BOOK, PAGE \], join: \/ \}/m);
  });

  const ROLLS: [string, (n: number) => Row][] = [
    [
      'an owner, and sales of decades',
      n => ({ ...sale(n), OWNER: `DOE ${n} LLC`, SALE_DATE: dayOf(n, 1985 + n) }),
    ],
    [
      'owners with their mailing address',
      n => ({ ...sale(n), OWNER: `DOE ${n} LLC`, MAIL_ADDRESS: `${n + 3} OAK ST`, DEED_NUMBER: 700 + n }),
    ],
    [
      'values, and sales of decades',
      n => ({ ...sale(n), ASSESSED_VALUE: 30_000 + 7 * n, SALE_DATE: dayOf(n, 1985 + n) }),
    ],
    ['few sold', n => ({ ...sale(n), SALE_DATE: n % 3 ? '' : dayOf(n), SALE_PRICE: n % 3 ? '' : price(n) })],
  ];
  test.each(ROLLS)('a roll has %s', async (_, row) => {
    expect((await suggest(rowsOf(row))).kind).toBe('assessor');
  });
});

describe('an export of listings is a listings feed', () => {
  const STATUSES = ['Active', 'Pending', 'Closed', 'Withdrawn'];
  test('by its statuses, each of which is recognized', async () => {
    const rows = rowsOf(n => ({
      'MLS #': 4_400_000 + 3 * n,
      Status: STATUSES[n % 4]!,
      'List Price': price(n),
      'Close Price': n % 4 === 2 ? price(n) - 500 : '',
      'List Date': dayOf(n),
      'Close Date': n % 4 === 2 ? dayOf(n, 2025) : '',
      Acres: 1 + n / 8,
      Latitude: 43.17 + n / 1e4,
      Longitude: -72.1,
    }));
    const { kind, problems, check, text } = await suggest(rows);
    expect([kind, problems, check?.parts[0]?.usable]).toEqual(['listings', [], ROWS]);
    expect(text).toContain('source_id: "MLS #"');
    const filled = Object.fromEntries(check!.parts[0]!.columns.map(each => [each.target, each.filled]));
    expect(filled).toMatchObject({
      status: ROWS,
      list_price: ROWS,
      sold_price: 10,
      latitude: ROWS,
      longitude: ROWS,
    });
    const samples = check!.parts[0]!.columns.find(({ target }) => target === 'status')!.samples;
    expect(samples.map(({ out }) => out)).toEqual(['ACTIVE', 'PENDING', 'SOLD']);
  });

  test.each<[string, (n: number) => Row]>([
    [
      'HomeHarvest',
      n => ({
        property_url: `https://example.org/${n}`,
        mls: 'NNEREN',
        mls_id: 4_900_000 + 3 * n,
        status: ['FOR_SALE', 'PENDING', 'SOLD'][n % 3]!,
        list_price: price(n),
        sold_price: n % 3 === 2 ? price(n) - 900 : '',
        list_date: dayOf(n),
        last_sold_date: n % 3 === 2 ? dayOf(n, 2025) : '',
        days_on_mls: n,
        lot_sqft: 43_560 + 900 * n,
        street: `${n + 3} OAK ST`,
        latitude: 43.17 + n / 1e4,
        longitude: -72.1,
      }),
    ],
    [
      'Redfin',
      n => ({
        'SALE TYPE': 'MLS Listing',
        'PROPERTY TYPE': 'Vacant Land',
        ADDRESS: `${n + 3} Oak St`,
        'STATE OR PROVINCE': 'NH',
        PRICE: price(n),
        'LOT SIZE': 43_560 + 900 * n,
        'DAYS ON MARKET': n,
        STATUS: n % 2 ? 'Active' : 'Active - Contingent',
        'MLS#': 4_900_000 + 3 * n,
        LATITUDE: 43.17 + n / 1e4,
        LONGITUDE: -72.1,
      }),
    ],
    [
      'a spreadsheet of prices',
      n => ({ Id: n, 'Asking Price': price(n), 'Listed On': dayOf(n), Status: 'A', Acres: 1 + n }),
    ],
  ])('of %s', async (_, row) => {
    const { kind, problems, check } = await suggest(rowsOf(row));
    expect([kind, problems, check?.parts[0]?.usable]).toEqual(['listings', [], ROWS]);
    const filled = Object.fromEntries(check!.parts[0]!.columns.map(each => [each.target, each.filled]));
    expect(filled).toMatchObject({ source_id: ROWS, lot_acres: ROWS });
  });

  test('with one price, which is the list price until the sale', async () => {
    const rows = rowsOf(n => ({
      ID: `L${n}`,
      STATUS: 'SOLD',
      LIST_DATE: dayOf(n),
      SOLD_DATE: dayOf(n, 2025),
      PRICE: price(n),
    }));
    const { kind, problems, check } = await suggest(rows);
    expect([kind, problems, check?.parts[0]?.usable]).toEqual(['listings', [], ROWS]);
    // The sale price stands where the asking price was.
    expect(check?.warnings).toHaveLength(1);
  });

  test('with the names of the Data Dictionary, which a preset reads', async () => {
    const rows = rowsOf(n => ({
      ListingKey: n,
      StandardStatus: 'Active',
      ListPrice: price(n),
      LotSizeAcres: 1 + n,
    }));
    const { kind, check } = await suggest(rows);
    expect([kind, check?.preset]).toEqual(['listings', 'reso']);
  });

  test('but not a roll with active parcels', async () => {
    const rows = rowsOf(n => ({
      PIN: pin(n),
      STATUS: 'ACTIVE',
      OWNER: `DOE ${n} LLC`,
      LAST_PRICE: price(n),
      ACRES: 1 + n / 8,
    }));
    expect((await suggest(rows)).kind).toBe('assessor');
  });

  test('that is never joined to a roll', async () => {
    const roll = write(
      'roll.csv',
      rowsOf(n => ({ PIN: pin(n), OWNER: `DOE ${n} LLC` })),
    );
    const sales = write(
      'sales.csv',
      rowsOf(n => ({ PIN: pin(n), SALE_DATE: dayOf(n), SALE_PRICE: price(n) })),
    );
    const offers = write(
      'offers.csv',
      rowsOf(n => ({ PIN: pin(n), STATUS: 'For Sale', LIST_PRICE: price(n) })),
    );
    for (const other of [sales, offers])
      await expect(
        suggestJoined({
          inputs: [roll, other],
          baseDir: folder,
          file: join(folder, 'a.yaml'),
          rows: 500,
          head: { name: 'a', fips: '33019' },
        }),
      ).rejects.toMatchObject({ code: 'feed_definition' });
  });
});

test('a roll with longitude and latitude is located by them, and so is its county', async () => {
  const rows = rowsOf(n => ({
    PIN: pin(n),
    OWNER: `DOE ${n} LLC`,
    Lat: 43.17 + n / 1e4,
    Lon: -72.1 - n / 1e4,
  }));
  const { kind, fips, check } = await suggest(rows, undefined);
  expect([kind, fips, check?.parts[0]?.withGeometry]).toEqual(['assessor', '33019', ROWS]);
  const half = await suggest(rows.map(({ Lon: _, ...row }) => row));
  expect(half.text).not.toContain('latitude');
});

test('keys that a spreadsheet damaged are refused with the reason', async () => {
  const damaged = ['1.23E+09', '12-Jan', 'Mar-02'];
  const { problems, check } = await suggest(
    rowsOf(n => ({ PIN: damaged[n] ?? pin(n), OWNER: `DOE ${n} LLC` })),
  );
  expect(problems).toEqual([expect.stringMatching(/\b3 of \d+ rows .*\bRow 1: .*1\.23E\+09/)]);
  expect(check?.parts[0]?.rejected).toMatchObject([
    { field: 'key', reason: 'damaged_key', count: 3, rowNo: 1 },
  ]);
});
