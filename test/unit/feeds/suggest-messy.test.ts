import { describe, expect, test } from 'vitest';
import type { ParcelTarget } from '../../../workers/feeds/parcel-targets.ts';
import { measuredAcres } from '../../../workers/feeds/suggest/column-profile.ts';
import { suggestColumns } from '../../../workers/feeds/suggest/suggest-columns.ts';

/** Columns as rolls of small counties have them: cut names, mixed numbers, places in lines of addresses. */

const ROWS = 40;
type Cell = (n: number) => unknown;

function suggest(columns: Record<string, Cell>, acres: (number | null)[] = []) {
  const rows = Array.from({ length: ROWS }, (_, n) => n);
  const sampled = Object.entries(columns).map(([name, cell]) => ({ name, values: rows.map(cell) }));
  return suggestColumns({ columns: sampled, acres });
}

function mapped(columns: Record<string, Cell>, acres?: number[]) {
  const { fields } = suggest(columns, acres);
  return Object.fromEntries(fields.flatMap(({ field, mapped: best }) => (best ? [[field, best.spec]] : [])));
}

const STATES = ['WI', 'MI', 'IL', 'MN'];
const CITIES = ['MADISON', 'LIVONIA', 'CHICAGO', 'EDINA'];
const pin: Cell = n => `02001${1000 + 7 * (n as number)}0000`;
const street = (n: number) => `${101 + 3 * n} ${['OAK ST', 'ELM RD', 'LAKE DR'][n % 3]}`;

test('names that dBASE cut after ten letters are recognized by their values', () => {
  const columns = {
    PIN_CHAR: pin,
    MAILING_AD: street,
    MAILING_CI: (n: number) => CITIES[n % 4],
    MAILING_ST: (n: number) => STATES[n % 4],
    MAILING_ZI: (n: number) => `5370${n % 4}`,
    PROPERTY_A: (n: number) => `W${11_000 + 7 * n} ARCHER AVE`,
    MUNICIPALI: (n: number) => `TOWN OF ${n % 2 ? 'OASIS' : 'PLAINFIELD'}`,
    TOTAL_LAND: (n: number) => 20_000 + 350 * n,
    TOTAL_IMPR: (n: number) => 90_000 + 1_500 * n,
    GROSS_PROP: () => 0,
  };
  expect(mapped(columns)).toEqual({
    apn: { column: 'PIN_CHAR' },
    mail_address: { column: 'MAILING_AD' },
    mail_city: { column: 'MAILING_CI' },
    mail_state: { column: 'MAILING_ST' },
    mail_zip: { column: 'MAILING_ZI' },
    situs_address: { column: 'PROPERTY_A' },
    situs_city: { column: 'MUNICIPALI' },
    assessed_land_value: { column: 'TOTAL_LAND' },
    assessed_improvement_value: { column: 'TOTAL_IMPR' },
  });
});

describe('an amount is not part of an address', () => {
  const names = ['GROSS_PROP', 'PROPERTY_T', 'PROP_TAX', 'SITE_FEE', 'NET_PROPER', 'PROP_TOTAL', 'LOC_AMT'];
  test.each(names)('%s', name => {
    const lines = { SITUS_STREET: (n: number) => ['OAK ST', 'ELM RD', 'LAKE DR'][n % 3] };
    for (const amount of [(n: number) => 1_200 + 7 * n, () => 0, (n: number) => `${900 + n}.25`])
      expect(mapped({ ...lines, [name]: amount }).situs_address?.columns ?? []).not.toContain(name);
  });
});

test('an address in one line with city and ZIP is replaced by its parts, else only its street is read', () => {
  const line = { 'Property Address': (n: number) => `${street(n)} PHOENIX 85037` };
  const parts = {
    'Property Number': (n: number) => 101 + 3 * n,
    'Property Street Name': (n: number) => ['OAK', 'ELM', 'LAKE'][n % 3],
    'Property Street Type': (n: number) => ['ST', 'RD', 'DR'][n % 3],
  };
  expect(mapped({ ...line, ...parts }).situs_address).toEqual({ columns: Object.keys(parts) });
  expect(mapped(line).situs_address).toEqual({ column: 'Property Address', part: 'street' });
  const roads = { 'Property Address': (n: number) => `${101 + n} COUNTY ROAD ${12_000 + n}` };
  expect(mapped(roads).situs_address).toEqual({ column: 'Property Address' });
});

test('a line without its street type, or with the city, is corrected from the columns beside it', () => {
  const TYPES = ['ST', 'RD', 'DR'];
  const bare = { SITUS_ADDR: (n: number) => `${101 + 3 * n} ${['OAK', 'ELM', 'LAKE'][n % 3]}` };
  const type = { SITUS_TYPE: (n: number) => TYPES[n % 3] };
  expect(mapped({ ...bare, ...type }).situs_address).toEqual({ columns: ['SITUS_ADDR', 'SITUS_TYPE'] });
  const number = { SITUS_NUM: (n: number) => 101 + 3 * n };
  expect(mapped({ ...number, ...bare, ...type }).situs_address).toEqual({
    columns: ['SITUS_ADDR', 'SITUS_TYPE'],
  });
  const parts = { ...number, SITUS_STREET: (n: number) => ['OAK', 'ELM', 'LAKE'][n % 3], ...type };
  const town = { SITUS_CITY: (n: number) => CITIES[n % 4] };
  const line = { SITUS_ADDR: (n: number) => `${street(n)} ${CITIES[n % 4]}` };
  expect(mapped({ ...line, ...parts, ...town }).situs_address).toEqual({ columns: Object.keys(parts) });
});

test.each(['PIN_CHAR', 'BLOCK_LOT', 'TAXPARMBL', 'block_lot', 'MBL', 'PIN_DASH'])(
  'a few repeats of %s are named, and it still beats OBJECTID',
  name => {
    const repeating: Cell = n => pin((n as number) % 36);
    const { key } = suggest({ OBJECTID: n => 37_487_651 + 3 * n, [name]: repeating });
    expect(key?.columns).toEqual([name]);
    expect(key?.why).toContain(`${pin(0)} (rows 1, 37)`);
  },
);

test.each<[string, string, (n: number) => unknown]>([
  ['MON D, YYYY', 'long months', n => `September ${1 + (n % 28)}, ${1990 + n}`],
  ['MON D, YYYY', 'short months', n => `Sep. ${1 + (n % 28)}, ${1990 + (n % 30)}`],
  ['MON D, YYYY', 'weekdays', n => `Thursday, September ${1 + (n % 28)}, ${1990 + (n % 30)}`],
  ['D MON YYYY', 'the day first', n => `${1 + (n % 28)} September ${1990 + (n % 30)}`],
  ['M.D.YYYY', 'dots', n => `09.${String(1 + (n % 28)).padStart(2, '0')}.${1990 + (n % 30)}`],
  ['D.M.YYYY', 'dots and the day first', n => `${1 + (n % 28)}.9.${1990 + (n % 30)}`],
  ['excel', 'days of Excel', n => 36_783 + 97 * n],
])('dates are read as %s: %s', (date, _, cell) => {
  expect(mapped({ 'Sale Date': cell as Cell }).last_sale_date).toEqual({ column: 'Sale Date', date });
});

test('a size without a unit that would be too many acres is in square feet', () => {
  expect(mapped({ 'Land Size': n => (6_000 + 31 * (n as number)).toLocaleString('en-US') }).acres).toEqual({
    column: 'Land Size',
    unit: 'sqft',
  });
  expect(mapped({ 'Deeded Acres': n => 0.2 + (n as number) / 7 }).acres).toEqual({ column: 'Deeded Acres' });
  expect(mapped({ 'Land Size': n => 1 + (n as number) }).acres).toBeUndefined();
});

test('degrees locate a roll, unless it has boundaries', () => {
  const columns = { LAT: (n: number) => 43.17 + n / 1e4, LONG: (n: number) => -72.1 - n / 1e4 };
  const place: ParcelTarget[] = ['longitude', 'latitude'];
  expect(Object.keys(mapped(columns))).toEqual(place);
  expect(
    Object.keys(
      mapped(
        columns,
        Array.from({ length: ROWS }, () => 2),
      ),
    ),
  ).toEqual([]);
  expect(Object.keys(mapped({ ...columns, LONG: (n: number) => 72_100 + n }))).toEqual([]);
});

test('shapes without rings or positions have no area', () => {
  const geometries: unknown[] = [
    [],
    [[]],
    [[[]]],
    [null],
    [[null, [0, 0]]],
    [
      [
        [-72, 43],
        [null, 43],
      ],
    ],
  ];
  const rows = geometries.flatMap(coordinates =>
    ['Polygon', 'MultiPolygon'].map(type => ({ rowNo: 1, values: {}, geometry: { type, coordinates } })),
  );
  expect(new Set(measuredAcres(rows as never))).toEqual(new Set([null]));
});

test.each([
  ['PARCEL_ID', 10_000, ['PARCEL_ID']],
  ['PIN', 1, ['PIN']],
  ['RECORD_NO', 10_000, undefined],
  ['ROW_NUM', 1, undefined],
])('%s counting up from %i is the key only if its name is a parcel number', (name, first, key) => {
  const columns = {
    [name]: (n: number) => first + n,
    OWNER: (n: number) => `SMITH JOHN ${'ABCDEFGH'[n % 8]}`,
  };
  expect(suggest(columns).key?.columns).toEqual(key);
});

test('a parcel number in any order beats one that counts up', () => {
  const { key } = suggest({ PARCEL_ID: n => 1 + n, APN: pin });
  expect(key?.columns).toEqual(['APN']);
});
