import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { suggestColumns } from '../../../workers/feeds/suggest/suggest-columns.ts';

type Layer = { source: string; columns: Record<string, string>; right: string[] };

const FILE = join(rootDir, 'test', 'fixtures', 'feeds', 'suggest', 'addresses', 'columns.json');
const LAYERS = JSON.parse(readFileSync(FILE, 'utf8')) as Layer[];

const STREETS = ['OAK', 'MAIN', 'OLD STAGE', '5TH', 'LAKE', 'WASHINGTON', 'COUNTY ROAD 12'];
const TYPES = ['ST', 'RD', 'AVE', 'DR', 'LN'];

/** What a column that holds a part says in a row. */
function cell(part: string, i: number): string {
  const number = String(101 + 37 * i);
  const name = STREETS[i % STREETS.length]!;
  const type = TYPES[i % TYPES.length]!;
  switch (part) {
    case 'number':
      return number;
    case 'suffix':
      return i % 15 === 0 ? 'A' : '';
    case 'direction':
      return i % 4 === 0 ? (['N', 'S', 'E', 'W'][(i / 4) % 4] ?? '') : '';
    case 'name':
      return name;
    case 'type':
      return type;
    case 'street':
      return `${name} ${type}`;
    case 'address':
      return `${number} ${name} ${type}`;
    case 'unit type':
      return i % 10 === 0 ? 'APT' : '';
    case 'unit':
      return i % 10 === 0 ? String(1 + (i % 7)) : '';
    default:
      return '';
  }
}

const table = (columns: Record<string, string>, rows = 60) => ({
  acres: [],
  columns: Object.entries(columns).map(([name, part]) => ({
    name,
    values: Array.from({ length: rows }, (_, i) =>
      part.startsWith('owner ') ? cell(part.slice(6), i % 3 === 0 ? i : i + 11) : cell(part, i),
    ),
  })),
});

const situsOf = (columns: Record<string, string>, rows?: number) =>
  suggestColumns(table(columns, rows)).fields.find(({ field }) => field === 'situs_address')?.mapped;

const MAIL = {
  MAIL_NUM: 'owner number',
  MAIL_DIR: 'owner direction',
  MAIL_STREET: 'owner name',
  MAIL_TYPE: 'owner type',
  MAIL_UNIT: 'owner unit',
};

describe('parcel addresses from the columns of real layers', () => {
  test.each(LAYERS)('$source', ({ columns, right }) => {
    for (const all of [columns, { ...columns, ...MAIL }, { OWNADDR1: 'owner address', ...columns }])
      expect(situsOf(all)?.columns).toEqual(right);
    // Few rows say less, and nothing that is wrong.
    const few = situsOf({ ...MAIL, ...columns }, 8)?.columns;
    if (few !== undefined) expect(few).toEqual(right);
  });
});

test('parts of an address are put in mailing order, whatever their own', () => {
  const columns = {
    UNIT_NO: 'unit',
    POSTDIR: 'direction',
    ST_TYPE: 'type',
    ST_NAME: 'name',
    PREDIR: 'direction',
    NUM_SUFFIX: 'suffix',
    ST_NUM: 'number',
  };
  expect(situsOf(columns)?.spec).toEqual({ columns: Object.keys(columns).reverse() });
});

test("an owner's address in parts is never the parcel's", () => {
  expect(situsOf(MAIL)).toBeUndefined();
  expect(situsOf({ MHSENO: 'number', MSTREET: 'name', MSTTYPE: 'type' })).toBeUndefined();
  expect(situsOf({ OWN_NO: 'number', OWN_ST_NAME: 'name', OWN_ST_TYPE: 'type' })).toBeUndefined();
});

test('columns that the street already contains are not repeated', () => {
  expect(situsOf({ HOUSE_NO: 'number', STREET: 'street', ST_TYPE: 'type' })?.columns).toEqual([
    'HOUSE_NO',
    'STREET',
  ]);
});

test('a unit beside map and lot is part of the parcel number, one beside the address is added to its line', () => {
  expect(situsOf({ MAP: 'none', LOT: 'none', UNIT: 'unit', PROP_ADDR: 'address' })?.columns).toEqual([
    'PROP_ADDR',
  ]);
  expect(situsOf({ PROP_ADDR: 'address', PROP_APT: 'unit' })?.columns).toEqual(['PROP_ADDR', 'PROP_APT']);
});
