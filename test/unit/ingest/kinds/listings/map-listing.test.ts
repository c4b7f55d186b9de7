import { describe, expect, test } from 'vitest';
import { LISTING_FIELD_NAMES, type ListingField } from '../../../../../shared/model/listing-fields.ts';
import { compileListingMapper } from '../../../../../workers/ingest/kinds/listings/map-listing.ts';
import { parseFeed } from '../../../../../workers/ingest/load-feeds.ts';

type Values = Record<string, unknown>;

const COLUMNS = {
  source_id: 'ID',
  status: { column: 'STATUS', values: { A: 'ACTIVE', P: 'PENDING', S: 'SOLD', X: 'OFF_MARKET' } },
  list_price: 'ASK',
  sold_price: 'SOLD_FOR',
  latitude: 'LAT',
  longitude: 'LON',
  fips: 'FIPS',
  url: 'URL',
  address: 'STREET',
  photos: 'PHOTOS',
};

function map(values: Values, top: Record<string, unknown> = {}) {
  const text = JSON.stringify({
    name: 'mls',
    kind: 'listings',
    title: 'The MLS',
    ...top,
    listings: { source: 'a.csv', format: 'csv', columns: COLUMNS },
  });
  const feed = parseFeed(text, '/feeds/a.json');
  if (feed.kind !== 'listings') throw new Error('not a listings feed');
  const row = { rowNo: 1, values: { ID: 'K1', STATUS: 'A', ASK: 100, ...values }, geometry: null };
  return compileListingMapper(feed.listings)(row);
}

function field(name: ListingField, values: Values, top?: Record<string, unknown>): unknown {
  const result = map(values, top);
  if (!result.ok) throw new Error(result.message);
  return result.dropped?.[0]?.reason ?? result.values[LISTING_FIELD_NAMES.indexOf(name)];
}

describe('a listing', () => {
  test("has the feed's label and county if its row doesn't say", () => {
    expect(field('source', {})).toBe('The MLS');
    expect(field('fips', {}, { fips: '33019' })).toBe(33019);
    expect(field('fips', { FIPS: '33017' }, { fips: '33019' })).toBe(33017);
    expect(field('fips', { FIPS: '33020' })).toBe('unknown_fips');
  });

  test.each([
    [{ ID: '' }, 'source_id', 'missing_source_id'],
    [{ STATUS: '' }, 'status', 'missing_status'],
    [{ STATUS: 'Q' }, 'status', 'unknown_status'],
    [{ ASK: 'call us' }, 'list_price', 'not_a_number'],
    [{ ASK: -5 }, 'list_price', 'negative'],
    [{ STATUS: 'S', SOLD_FOR: 'private' }, 'sold_price', 'not_a_number'],
  ])('%j is rejected: %s %s', (values, name, reason) => {
    expect(map(values)).toMatchObject({ ok: false, field: name, reason });
  });

  test("an unusable price of another status doesn't matter", () => {
    expect(map({ SOLD_FOR: 'private' })).toMatchObject({ ok: true, dropped: [{ field: 'sold_price' }] });
  });

  test('a withheld price is not an error', () => {
    expect(map({ STATUS: 'S', ASK: 90, SOLD_FOR: '' })).toMatchObject({ ok: true, dropped: null });
  });

  test('coordinates: 0 is a placeholder, and is dropped like values out of range', () => {
    expect(field('latitude', { LAT: '43.18' })).toBe(43.18);
    expect(field('latitude', { LAT: 0 })).toBe('placeholder');
    expect(field('latitude', { LAT: 91 })).toBe('out_of_range');
    expect(field('longitude', { LON: '-172.1' })).toBe(-172.1);
    expect(field('longitude', { LON: -181 })).toBe('out_of_range');
  });

  test.each([
    ['https://a.example/1.jpg|https://a.example/2.jpg', 2],
    ['https://a.example/1.jpg, https://a.example/2.jpg;https://a.example/3.jpg', 3],
    ['https://a.example/c_fill,w_90/1.jpg', 1],
    ['["https://a.example/1.jpg"]', 1],
    [['https://a.example/1.jpg', null], 1],
  ])('photographs %j: %d', (photos, count) =>
    expect(field('photos', { PHOTOS: photos })).toHaveLength(count),
  );

  test.each([
    ['https://a.example/1', 'https://a.example/1'],
    ['HTTP://a.example/?q=a b', 'not_a_url'],
    ['HTTP://a.example/x', 'HTTP://a.example/x'],
    ['', null],
    ['javascript:alert(1)', 'not_a_url'],
    ['data:text/html,x', 'not_a_url'],
    ['//a.example/1', 'not_a_url'],
    [`https://a.example/${'x'.repeat(4_096)}`, 'not_a_url'],
  ])('its address %s is %s', (url, expected) => expect(field('url', { URL: url })).toBe(expected));

  test('photos are only http(s) URLs', () => {
    expect(field('photos', { PHOTOS: 'https://a.example/1.jpg|javascript:alert(1)' })).toBe('not_a_url');
  });

  test('a URL that is too long for an index is cut, and reported', () => {
    const result = map({ STREET: `1 ${'🌲'.repeat(800)}` });
    if (!result.ok) throw new Error(result.message);
    expect(result.values[LISTING_FIELD_NAMES.indexOf('address')]).toBe(`1 ${'🌲'.repeat(249)}`);
    expect(result.dropped).toMatchObject([{ field: 'address', reason: 'cut' }]);
  });

  test('a photo without a URL is reported', () => {
    expect(field('photos', { PHOTOS: 'front.jpg' })).toBe('not_a_url');
    expect(field('photos', { PHOTOS: '' })).toBeNull();
  });
});
