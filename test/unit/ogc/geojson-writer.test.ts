import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../../../api/ogc/collection-parts.ts';
import { CRS_NAMES, CRS84 } from '../../../api/ogc/crs.ts';
import { GeoJsonWriter } from '../../../api/ogc/geojson-writer.ts';
import { toMercator } from '../../../shared/geo/web-mercator.ts';
import { runs } from '../../support/runs.ts';

const degrees = (most: number) =>
  fc.oneof(
    fc.integer({ min: -most * 1e7, max: most * 1e7 }).map(e7 => e7 / 1e7),
    fc.constantFrom(0, -0, 1e-7, -1e-7, most, -most, 0.1, -70.5, 9.9999999, 10),
  );
const position = fc.tuple(degrees(180), degrees(90));
const line = fc.array(position, { maxLength: 6 });
const geometry = fc.oneof(
  fc.constant(null),
  fc.record({ type: fc.constant('Point' as const), coordinates: position }),
  fc.record({ type: fc.constantFrom('LineString', 'MultiPoint'), coordinates: line }),
  fc.record({ type: fc.constantFrom('Polygon', 'MultiLineString'), coordinates: fc.array(line) }),
  fc.record({ type: fc.constant('MultiPolygon' as const), coordinates: fc.array(fc.array(line)) }),
);
const feature = fc.record({
  type: fc.constant('Feature' as const),
  id: fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeNat()),
  geometry,
  properties: fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean())),
}) as unknown as fc.Arbitrary<Feature>;

const read = (one: Feature, crs: string) =>
  JSON.parse(new GeoJsonWriter(crs).text('{').members(one).written().toString());

// JSON has no negative zero in Plat's responses, and unpaired surrogates have no UTF-8.
const plain = (one: unknown) => JSON.parse(Buffer.from(JSON.stringify(one)).toString());

test('writes what JSON.stringify writes, for any feature with coordinates of 7 decimals', () => {
  fc.assert(
    fc.property(feature, one => {
      expect(read(one, CRS84)).toEqual(plain(one));
    }),
    { numRuns: runs(600) },
  );
});

test('coordinates are rounded to 7 decimals of degrees, or to millimeters', () => {
  const at = (crs: string, coordinates: [number, number]) =>
    read({ type: 'Feature', id: 1, geometry: { type: 'Point', coordinates }, properties: {} }, crs).geometry
      .coordinates;
  const [, , mercator] = CRS_NAMES;
  fc.assert(
    fc.property(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
      (lon, lat) => {
        const round = (value: number, scale: number) => Math.round(value * scale) / scale + 0;
        expect(at(CRS84, [lon, lat])).toEqual([round(lon, 1e7), round(lat, 1e7)]);
        const [x, y] = toMercator([lon, lat]);
        expect(at(mercator!, [lon, lat])).toEqual([round(x, 1e3), round(y, 1e3)]);
      },
    ),
    { numRuns: runs(600) },
  );
});

test('a page larger than the first buffer is complete', () => {
  const ring = Array.from({ length: 20_000 }, (_, at) => [(at - 1_799_999_999) / 1e7, 45.1234567]);
  const one = {
    type: 'Feature',
    id: 'é'.repeat(50_000),
    geometry: { type: 'Polygon', coordinates: [ring] },
    properties: { name: '漢'.repeat(50_000) },
  } as unknown as Feature;
  expect(read(one, CRS84)).toEqual(one);
});

test('what was written is the part after an earlier length', () => {
  const writer = new GeoJsonWriter(CRS84).text('head');
  const { length } = writer;
  expect(writer.text('é').written(length).toString()).toBe('é');
  expect(writer.written().toString()).toBe('headé');
});
