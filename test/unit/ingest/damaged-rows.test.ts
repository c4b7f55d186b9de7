import { describe, expect, test } from 'vitest';
import { LISTING_FIELD_NAMES } from '../../../shared/model/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';
import { splitAddress } from '../../../workers/feeds/values/address-value.ts';
import { compileParcelMapper } from '../../../workers/ingest/kinds/assessor/map-parcel.ts';
import { compileListingMapper } from '../../../workers/ingest/kinds/listings/map-listing.ts';
import { parseFeed } from '../../../workers/ingest/load-feeds.ts';

type Values = Record<string, unknown>;
const rowOf = (values: Values) => ({ rowNo: 1, values, geometry: null });

function mapParcel(roll: Values, values: Values) {
  const definition = {
    name: 'a',
    kind: 'assessor',
    fips: '33019',
    roll: { source: 'a.csv', format: 'csv', ...roll },
  };
  const feed = parseFeed(JSON.stringify(definition), '/feeds/a.json');
  if (feed.kind !== 'assessor') throw new Error('not a roll');
  const row = rowOf(values);
  return { row, mapped: compileParcelMapper(feed.roll, { fips: feed.fips })(row) };
}

const LISTING_COLUMNS = Object.fromEntries(
  [
    'source_id',
    'status',
    'list_price',
    'sold_price',
    'listed_date',
    'sold_date',
    'lot_acres',
    'latitude',
    'longitude',
    'days_on_market',
  ].map(name => [name, { column: name, optional: true }]),
);

function mapListing(values: Values) {
  const listings = { source: 'a.csv', format: 'csv', columns: LISTING_COLUMNS };
  const feed = parseFeed(JSON.stringify({ name: 'a', kind: 'listings', listings }), '/feeds/a.json');
  if (feed.kind !== 'listings') throw new Error('no listings');
  const mapped = compileListingMapper(feed.listings)(rowOf({ source_id: 'A', ...values }));
  if (!mapped.ok) throw new Error(mapped.message);
  const value = (name: (typeof LISTING_FIELD_NAMES)[number]) =>
    mapped.values[LISTING_FIELD_NAMES.indexOf(name)];
  return { value, dropped: (mapped.dropped ?? []).map(({ field, reason }) => `${field} ${reason}`) };
}

describe('a key damaged by a spreadsheet', () => {
  test.each([
    '1.23E+09',
    '4.66120044E+11',
    '4.66e+11',
    '4.66E11',
    '12-Jan',
    'Mar-02',
    '2-Mar-12',
    'DEC-1999',
    '2012-03-02 00:00:00',
  ])('%s is refused', PIN => {
    const { mapped } = mapParcel({ key: 'PIN' }, { PIN });
    expect(mapped).toMatchObject({ ok: false, field: 'key', reason: 'damaged_key' });
    const parts = mapParcel({ key: { columns: ['MAP', 'PIN'] } }, { MAP: '7', PIN });
    expect(parts.mapped).toMatchObject({ ok: false, reason: 'damaged_key' });
  });

  test.each(['12-1', '12-JAN-LOT', 'MARCH-02', 'MARK-02', '12E5', 'E+4', '3E12', '1.5', 'MAR-002-A', '123'])(
    '%s is a key',
    PIN => expect(mapParcel({ key: 'PIN' }, { PIN }).mapped).toMatchObject({ ok: true, key: PIN }),
  );

  test('stored as a date in a workbook is refused; the same text may be a number', () => {
    for (const PIN of [new Date('2012-03-02'), new Date('2012-03-02T12:00Z')])
      for (const key of ['PIN', { columns: ['MAP', 'PIN'] }])
        expect(mapParcel({ key }, { MAP: '7', PIN }).mapped).toMatchObject({
          ok: false,
          field: 'key',
          reason: 'damaged_key',
          message: expect.stringContaining('2012-03-02'),
        });
    expect(mapParcel({ key: 'PIN' }, { PIN: '2012-03-02' }).mapped).toMatchObject({ ok: true });
    const { mapped } = mapParcel(
      { key: 'ID', columns: { apn: 'PIN', owner_name: 'PIN', last_sale_date: 'PIN' } },
      { ID: 7, PIN: new Date('2012-03-02') },
    );
    expect(mapped).toMatchObject({ ok: true, dropped: [{ field: 'apn', reason: 'damaged_key' }] });
    const value = (name: (typeof PARCEL_FIELD_NAMES)[number]) =>
      mapped.ok && mapped.values[PARCEL_FIELD_NAMES.indexOf(name)];
    expect([value('owner_name'), value('last_sale_date')]).toEqual(['2012-03-02', '2012-03-02']);
  });

  test('costs only the parcel number if the key is another column', () => {
    const { mapped } = mapParcel({ key: 'ID', columns: { apn: 'PIN' } }, { ID: 7, PIN: '4.66E+11' });
    expect(mapped).toMatchObject({ ok: true, dropped: [{ field: 'apn', reason: 'damaged_key' }] });
  });
});

test.each<[unknown, unknown, string | null]>([
  [0, 'MAIN ST', 'MAIN ST'],
  ['0.0', 'MAIN ST', 'MAIN ST'],
  ['0000', 'MAIN ST', 'MAIN ST'],
  ['XXX', 'CANYON RD', 'CANYON RD'],
  ['#', 'CANYON RD', 'CANYON RD'],
  [0, null, null],
  ['XXXX', '', null],
  [0, 'W11756 ARCHER AVE', 'W11756 ARCHER AVE'],
  ['0246', 'SW CALIFORNIA ST', '0246 SW CALIFORNIA ST'],
  [12, '05TH AVE', '12 05TH AVE'],
  [null, '  OLD   MILL  RD ', 'OLD MILL RD'],
  [null, 'XENIA AVE', 'XENIA AVE'],
  [10, 'X ST', '10 X ST'],
])('a placeholder is no house number: %j %j is %j', (NUM, STREET, address) => {
  const { mapped } = mapParcel(
    { key: 'PIN', columns: { situs_address: { columns: ['NUM', 'STREET'] } } },
    { PIN: 1, NUM, STREET },
  );
  expect(mapped.ok && mapped.values[PARCEL_FIELD_NAMES.indexOf('situs_address')]).toBe(address);
});

test.each([
  ['10212 W HIGHLAND AVE PHOENIX 85037', '10212 W HIGHLAND AVE', 'PHOENIX', '85037'],
  ['12 OAK ST, MADISON 53704-1234', '12 OAK ST', 'MADISON', '53704-1234'],
  ['12 COUNTY ROAD 12345', '12 COUNTY ROAD 12345', null, null],
  ['12 OAK ST LOT 10234', '12 OAK ST LOT 10234', null, null],
])('a ZIP without a state ends a line, too: %s', (line, street, city, zip) => {
  expect(splitAddress(line)).toEqual({ street, city, state: null, zip });
});

describe('a roll with longitude and latitude', () => {
  const columns = { longitude: 'LON', latitude: 'LAT' };
  const place = (values: Values) => mapParcel({ key: 'PIN', columns }, { PIN: 1, ...values });

  test('locates parcels by them', () => {
    const { row } = place({ LON: '-72.1', LAT: 43.17 });
    expect(row.geometry).toEqual({ type: 'Point', coordinates: [-72.1, 43.17] });
  });

  test('unless they are placeholders, which are counted', () => {
    const { row, mapped } = place({ LON: 0, LAT: 0 });
    expect([row.geometry, mapped.ok && mapped.dropped]).toMatchObject([
      null,
      [{ field: 'location', reason: 'placeholder' }],
    ]);
    expect(place({ LON: '', LAT: null }).mapped).toMatchObject({ ok: true, dropped: null });
  });

  test('needs both, and no second source of shapes', () => {
    const feed = (roll: Values, more: Values = {}) =>
      parseFeed(
        JSON.stringify({
          name: 'a',
          kind: 'assessor',
          fips: '33019',
          roll: { source: 'a.csv', format: 'csv', key: 'PIN', ...roll },
          ...more,
        }),
        '/feeds/a.json',
      );
    expect(() => feed({ columns: { longitude: 'LON' } })).toThrow(/both longitude and latitude/);
    const shape = { source: 'a.geojson', format: 'geojson', key: 'PIN' };
    expect(() => feed({ columns }, { shape })).toThrow(/locates the parcels/);
  });
});

describe('contradictory values in a listing are dropped and counted', () => {
  const sold = { status: 'SOLD', sold_price: 90_000, sold_date: '2025-03-01' };

  test('a size in square feet', () => {
    const { value, dropped } = mapListing({ ...sold, lot_acres: 871_200 });
    expect([value('lot_acres'), dropped]).toEqual([null, ['lot_acres square_feet']]);
    const asked = mapListing({ status: 'ACTIVE', list_price: 60_000, lot_acres: 43_560 });
    expect(asked.dropped).toEqual(['lot_acres square_feet']);
    for (const [sold_price, lot_acres] of [
      [9_000_000, 20_000],
      [10, 5_000],
      [40_000, 900],
    ])
      expect(mapListing({ ...sold, sold_price, lot_acres }).value('lot_acres')).toBe(lot_acres);
  });

  test('a listing date after the sale, and a negative number of days', () => {
    const { value, dropped } = mapListing({ ...sold, listed_date: '2025-03-31', days_on_market: -30 });
    expect([value('listed_date'), value('days_on_market')]).toEqual([null, null]);
    expect(dropped.sort()).toEqual(['days_on_market negative', 'listed_date after_sale']);
    expect(mapListing({ ...sold, listed_date: '2025-03-01' }).dropped).toEqual([]);
  });

  test('a location outside the United States, and 0/0', () => {
    const wrong = mapListing({ ...sold, latitude: 43.17, longitude: 72.1 });
    expect([wrong.value('latitude'), wrong.value('longitude'), wrong.dropped]).toEqual([
      null,
      null,
      ['longitude outside'],
    ]);
    expect(mapListing({ ...sold, latitude: 0, longitude: 0 }).dropped.sort()).toEqual([
      'latitude placeholder',
      'longitude placeholder',
    ]);
    for (const [latitude, longitude] of [
      [13.4, 144.8],
      [18.2, -66.5],
      [-14.3, -170.7],
      [52, 173],
      [71, -156],
    ])
      expect(mapListing({ ...sold, latitude, longitude }).dropped).toEqual([]);
  });
});
