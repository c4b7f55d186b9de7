import { describe, expect, test } from 'vitest';
import { lot, square } from '../../support/ingest.ts';
import { suggester } from '../../support/suggest.ts';

/** Files of counties as people find them: what a feed is suggested for each, with nothing edited. */

const suggest = suggester();

type Row = Record<string, unknown>;
const ROWS = 60;
const rowsOf = (row: (n: number) => Row): Row[] => Array.from({ length: ROWS }, (_, n) => row(n));

function csv(rows: readonly Row[]): string {
  const lines = [Object.keys(rows[0]!), ...rows.map(row => Object.values(row))];
  return lines.map(cells => `${cells.map(cell => `"${cell ?? ''}"`).join()}\n`).join('');
}

const geojson = (rows: readonly Row[], shape: (n: number) => unknown = lot) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: rows.map((properties, n) => ({ type: 'Feature', properties, geometry: shape(n) })),
  });

type Found = Awaited<ReturnType<typeof suggest>>;

const specs = ({ suggestions }: Found) =>
  Object.fromEntries(
    suggestions!.fields.flatMap(({ field, mapped }) => (mapped ? [[field, mapped.spec] as const] : [])),
  );
const samples = ({ check }: Found, target: string) =>
  check!.parts[0]!.columns.find(column => column.target === target)?.samples.map(({ out }) => out);

const STREETS = ['OAK ST', 'ELM RD', 'LAKE DR'];
const street = (n: number) => `${101 + 3 * n} ${STREETS[n % 3]}`;
const pin = (n: number) => `${10 + (n % 7)}-${1000 + 7 * n}`;
const owner = (n: number) => `DOE JOHN ${n} LLC`;

describe("missing shapes don't end the run", () => {
  const shapes = [null, { type: 'Polygon', coordinates: [] }, { type: 'Point', coordinates: [] }];
  const shape = (n: number) => (n < shapes.length ? shapes[n] : lot(n));

  test('in GeoJSON', async () => {
    const found = await suggest(
      geojson(
        rowsOf(n => ({ PIN: pin(n), OWNER: owner(n) })),
        shape,
      ),
      'geojson',
    );
    expect([found.kind, found.fips, found.problems, found.rows]).toEqual(['assessor', '33019', [], ROWS]);
    expect(found.check!.parts[0]!.usable).toBe(ROWS);
  });
});

describe('the county of a roll without shapes', () => {
  const roll = (zip: (n: number) => unknown, column = 'OWNER_ZIP') =>
    csv(rowsOf(n => ({ PIN: pin(n), OWNER: owner(n), [column]: zip(n) })));
  const LYCOMING = ['17701', '17702', '17728', '17754-1234'];

  test.each([['OWNER_ZIP'], ['SITUS_ZIP']])('is the one in which nearly all of %s are', async column => {
    const found = await suggest(
      roll(n => (n % 20 === 0 ? '10001' : LYCOMING[n % 4]), column),
      'csv',
    );
    expect([found.fips, found.problems]).toEqual(['42081', []]);
    expect(found.fipsWhy).toContain('57 of 60');
    expect(found.text).toMatch(/^fips: "42081" {2}# 57 of 60/m);
  });

  test.each<[string, (n: number) => unknown]>([
    ['many owners live elsewhere', n => (n % 5 === 0 ? '10001' : LYCOMING[n % 4])],
    ['one post office serves all', () => '17701'],
    ['the county shares its ZIPs with a city of its own', n => ['22901', '22903', '22911', '22932'][n % 4]],
  ])('is not told where %s', async (_, zip) => {
    expect((await suggest(roll(zip), 'csv')).fips).toBeNull();
  });

  test('is found by the shapes before the ZIPs', async () => {
    const rows = rowsOf(n => ({ PIN: pin(n), OWNER: owner(n), OWNER_ZIP: LYCOMING[n % 4] }));
    const found = await suggest(geojson(rows), 'geojson');
    expect([found.fips, found.fipsWhy]).toEqual(['33019', null]);
    const apart = (n: number) => square(n % 2 ? -72.1 : -90, 43.2, 0.001);
    expect((await suggest(geojson(rows, apart), 'geojson')).fips).toBeNull();
  });
});

test('a short table with a line of totals, and decimal commas and points for thousands', async () => {
  const rows = [
    '00001;PE\u00d1A JOSE;2,5;51.000',
    '00002;LEE KIM;3,0;52.000',
    '',
    'Total;2 records;5,5;103.000',
  ];
  const bytes = Buffer.from(`PID;OWNER;ACRES;VALUE\r\n${rows.join('\r\n')}\r\n`, 'latin1');
  const found = await suggest(bytes, 'csv', '33019');
  expect([found.suggestions!.key?.columns, found.problems]).toEqual([['PID'], []]);
  expect(found.check!.parts[0]).toMatchObject({ rows: 3, usable: 2, skipped: 1, rejected: [] });
});

test('dBASE names without separators between words', async () => {
  const rows = rowsOf(n => ({
    PARCELNUMB: pin(n),
    OWNERNAME1: owner(n),
    MAILINGADD: street(n),
    MAILINGCIT: ['MADISON', 'CHICAGO', 'EDINA'][n % 3],
    MAILINGSTA: ['WI', 'IL', 'MN'][n % 3],
    MAILINGZIP: `5370${n % 4}`,
    SITUSADDRE: `${200 + n} ELM RD`,
    SALEAMOUNT: 50_000 + 700 * n,
    SALEDATE: `20${10 + (n % 14)}/01/10`,
  }));
  const found = await suggest(geojson(rows), 'geojson');
  expect(found.suggestions!.key?.columns).toEqual(['PARCELNUMB']);
  expect(specs(found)).toMatchObject({
    owner_name: { column: 'OWNERNAME1' },
    mail_address: { column: 'MAILINGADD' },
    mail_city: { column: 'MAILINGCIT' },
    mail_state: { column: 'MAILINGSTA' },
    mail_zip: { column: 'MAILINGZIP' },
    situs_address: { column: 'SITUSADDRE' },
  });
});

test('a roll with long names: parts of the address, square feet without a unit, and a location', async () => {
  const rows = rowsOf(n => ({
    OBJECTID: 3 * n + 127,
    'Parcel Number': pin(n),
    'Owner Name': owner(n),
    'Property Street Number': 101 + 3 * n,
    'Property Street Name': ['OAK', 'ELM', 'LAKE'][n % 3],
    'Property Street Type': ['ST', 'RD', 'DR'][n % 3],
    'Property City': 'NEWPORT',
    'Property Address': `${street(n)} NEWPORT 03773`,
    'Sale Date': `${['September', 'June', 'May'][n % 3]} ${1 + (n % 28)}, ${1990 + (n % 30)}`,
    'Sale Price': 20_000 + 1_250 * n,
    'Land Size': (6_000 + 31 * n).toLocaleString('en-US'),
    'Current Full Cash Value': 100_000 + 990 * n,
    Longitude: -72.1 - n / 1e4,
    Latitude: 43.2 + n / 1e4,
  }));
  const found = await suggest(csv(rows), 'csv');
  expect([found.kind, found.fips, found.problems]).toEqual(['assessor', '33019', []]);
  expect(samples(found, 'situs_address')![0]).toBe(street(0));
  expect(samples(found, 'last_sale_date')![0]).toBe('1990-09-01');
  expect(specs(found)).toMatchObject({ acres: { column: 'Land Size', unit: 'sqft' } });
  expect(found.check!.parts[0]!.withGeometry).toBe(ROWS);
});

test('house numbers of 0: the street alone, and nothing without one', async () => {
  const streets = ['Abbey Road', 'Main Street', 'Mill Lane'];
  const rows = rowsOf(n => ({
    gid: n + 166,
    PID: `${10 + (n % 90)}-${n}`,
    LOCNO: n % 3 ? 0 : 10 + n,
    STREET: n % 6 === 1 ? null : streets[n % 3],
  }));
  const found = await suggest(geojson(rows), 'geojson');
  expect(specs(found).situs_address).toEqual({ columns: ['LOCNO', 'STREET'] });
  const out = samples(found, 'situs_address')!;
  // The second has neither number nor street.
  expect(out).toEqual(['10 Abbey Road', 'Mill Lane', '13 Abbey Road']);
});

test('a tax sale list: its parcel number with a duplicate, which is reported', async () => {
  const rows = rowsOf(n => ({
    Count: n + 1,
    Address: street(n),
    block_lot: `${1000 + 17 * (n === 59 ? 3 : n)}-${n === 59 ? 3 : n}`,
    lot_size: `${20 + (n % 9)}X${90 + n}`,
    Owner_Name: owner(n),
    assessed_value: `$${(11_900 + 310 * n).toLocaleString('en-US')}`,
    lien: `${300 + n}.71`,
  }));
  const found = await suggest(csv(rows), 'csv', '24510');
  expect([found.kind, found.problems]).toEqual(['assessor', []]);
  expect(found.suggestions!.key).toMatchObject({ columns: ['block_lot'] });
  expect(found.suggestions!.key!.why).toContain('1051-3 (rows 4, 60)');
  expect(specs(found)).toMatchObject({ apn: { column: 'block_lot' }, owner_name: { column: 'Owner_Name' } });
});

test('an export of listings with prices per acre, square feet, and invalid locations', async () => {
  const rows = [
    ['L1', 'SOLD', 4_500, 20, 43.17, -72.1, 90_000],
    ['L2', 'ACTIVE', 90_000, 871_200, 43.17, -72.1, 90_000],
    ['L3', 'SOLD', 90_000, 20, 0, 0, 90_000],
    ['L4', 'SOLD', '', 20, 43.17, 72.1, 90_000],
    ...Array.from({ length: 20 }, (_, n) => [`L${n + 5}`, 'SOLD', 50_000 + n, 10.5, 43.17, -72.1, 60_000]),
  ].map(([ID, STATUS, PRICE, LOT, LAT, LON, LIST_PRICE]) => ({
    ID,
    STATUS,
    PRICE,
    LOT,
    LAT,
    LON,
    LIST_PRICE,
  }));
  const found = await suggest(csv(rows), 'csv');
  expect(found.kind).toBe('listings');
  const faults = found.check!.parts[0]!;
  const told = [...faults.rejected, ...faults.dropped].map(
    ({ field, reason, rowNo }) => `${field} ${reason} ${rowNo}`,
  );
  expect(told).toEqual(
    expect.arrayContaining([
      expect.stringContaining('lot_acres square_feet 2'),
      expect.stringContaining('latitude placeholder 3'),
      expect.stringContaining('longitude outside 4'),
    ]),
  );
});
