import { expect, test } from 'vitest';
import { parseGeoJsonArea, QUERY_LIMITS } from '../../../shared/geo/query-geometry.ts';
import { ring } from '../../support/rings.ts';

const parse = (value: unknown) => parseGeoJsonArea(value, QUERY_LIMITS);
const square = ring('0 0, 4 0, 4 4, 0 4, 0 0');
const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });

test('a Polygon and a MultiPolygon, of any winding, with altitudes dropped', () => {
  const expected = { ok: true, geometry: { points: [], lines: [], polygons: [[square]] } };
  expect(parse(polygon(square))).toEqual(expected);
  expect(parse({ type: 'MultiPolygon', coordinates: [[square.map(([x, y]) => [x, y, 12])]] })).toEqual(
    expected,
  );
  expect(parse(polygon(square.toReversed()))).toMatchObject({ ok: true });
  expect(parse(polygon())).toMatchObject({ ok: true, geometry: { polygons: [] } });
});

test.each<[unknown, string, string]>([
  [null, 'syntax', 'must be a GeoJSON Polygon or MultiPolygon'],
  ['POLYGON', 'syntax', 'must be a GeoJSON'],
  [[square], 'syntax', 'must be a GeoJSON'],
  [{}, 'syntax', 'the type is undefined, expected Polygon or MultiPolygon'],
  [{ type: 'Point', coordinates: [1, 2] }, 'syntax', 'the type is "Point", expected Polygon or MultiPolygon'],
  [{ type: 'Polygon' }, 'syntax', 'coordinates is not an array'],
  [polygon(7), 'syntax', 'coordinates[0] is not an array'],
  [
    { type: 'MultiPolygon', coordinates: [[square], [[...square, 'x']]] },
    'syntax',
    'polygon 2, ring 1, vertex 6 (coordinates[1][0][5]) is not [longitude, latitude]',
  ],
  [
    polygon([
      [0, 0],
      ['4', 0],
    ]),
    'syntax',
    'polygon 1, ring 1, vertex 2 (coordinates[0][1]) must contain numbers',
  ],
  [
    polygon([
      [0, 0],
      [4, Number.NaN],
    ]),
    'range',
    'latitude NaN',
  ],
  [
    polygon(ring('0 0, 4 95')),
    'range',
    'latitude 95 is not between -90 and 90: polygon 1, ring 1, vertex 2 (coordinates[0][1])',
  ],
  [polygon([]), 'ring', 'polygon 1, ring 1 is empty'],
  [polygon(square.slice(1)), 'ring', 'polygon 1, ring 1 is not closed'],
  [polygon(square.slice(0, 1)), 'ring', 'polygon 1, ring 1 has 1 position; a ring needs at least 4'],
  [polygon(ring('0 0, 4 4, 4 0, 0 4, 0 0')), 'ring', 'polygon 1, ring 1 crosses itself at 2 2'],
  [
    polygon(
      square,
      square.map(([x, y]) => [x! + 9, y]),
    ),
    'ring',
    'polygon 1, ring 2 is a hole outside its shell',
  ],
  [
    polygon(Array.from({ length: 10_003 }, () => [1, 2])),
    'too_complex',
    'the geometry has more than 10000 vertices',
  ],
])('refuses %j', (value, kind, message) => {
  expect(parse(value)).toMatchObject({ ok: false, kind, message: expect.stringContaining(message) });
});
