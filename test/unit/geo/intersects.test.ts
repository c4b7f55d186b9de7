import { describe, expect, test } from 'vitest';
import { coverQuery } from '../../../shared/geo/cells.ts';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { coversPoint, intersects, prepareQuery } from '../../../shared/geo/intersects.ts';
import { QUERY_LIMITS } from '../../../shared/geo/query-geometry.ts';
import { parseWkt } from '../../../shared/geo/wkt.ts';
import { ring } from '../../support/rings.ts';

function query(wkt: string) {
  const result = parseWkt(wkt, QUERY_LIMITS);
  if (!result.ok) throw new Error(result.message);
  return prepareQuery(result.geometry);
}

/** A parcel from 2 to 6 both ways, with a hole from 3 to 5. */
const ringed: MultiPolygon = [[ring('2 2, 6 2, 6 6, 2 6, 2 2'), ring('3 3, 3 5, 5 5, 5 3, 3 3')]];

const box = (w: number, s: number, e: number, n: number) =>
  `((${w} ${s},${e} ${s},${e} ${n},${w} ${n},${w} ${s}))`;

describe('a query against a parcel with a hole', () => {
  test.each([
    ['overlapping', `POLYGON${box(0, 0, 3, 3)}`, true],
    ['holding the parcel', `POLYGON${box(0, 0, 9, 9)}`, true],
    ['within the parcel', `POLYGON${box(2.2, 2.2, 2.8, 2.8)}`, true],
    ['within the hole', `POLYGON${box(3.5, 3.5, 4.5, 4.5)}`, false],
    ['filling the hole, sharing its edges', `POLYGON${box(3, 3, 5, 5)}`, true],
    ['touching the hole at a corner', 'POLYGON((3 3,4 3.5,3.5 4,3 3))', true],
    ['apart', `POLYGON${box(7, 7, 9, 9)}`, false],
    ['apart, in line with an edge', `POLYGON${box(7, 2, 9, 6)}`, false],
    ['sharing an edge', `POLYGON${box(6, 2, 9, 6)}`, true],
    ['sharing a part of an edge', `POLYGON${box(6, 5, 9, 9)}`, true],
    ['sharing a corner', `POLYGON${box(6, 6, 9, 9)}`, true],
    ['a corner on an edge', 'POLYGON((6 4,9 3,9 5,6 4))', true],
    ['around it, in a hole', 'POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,1 7,7 7,7 1,1 1))', false],
    ['around it, touching from its hole', 'POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,1 6,7 6,7 1,1 1))', true],
    ['a sliver through it', 'POLYGON((0 4,9 4.0000001,9 4,0 4))', true],
    ['a sliver past it', 'POLYGON((0 6.0000001,9 6.0000002,9 6.0000001,0 6.0000001))', false],
    ['one of two polygons', `MULTIPOLYGON(${box(7, 7, 9, 9)},${box(0, 0, 2, 2)})`, true],
    ['a point inside', 'POINT(2.5 4)', true],
    ['a point on an edge', 'POINT(4 2)', true],
    ['a point on a corner', 'POINT(6 6)', true],
    ['a point on the hole', 'POINT(3 4)', true],
    ['a point in the hole', 'POINT(4 4)', false],
    ['a point outside, in line', 'POINT(1 2)', false],
    ['one of many points', 'MULTIPOINT(4 4,8 8,2.5 2.5)', true],
    ['a line through', 'LINESTRING(0 0,9 9)', true],
    ['a line inside', 'LINESTRING(2.2 2.2,2.2 5)', true],
    ['a line in the hole', 'LINESTRING(3.5 3.5,4.5 4.5)', false],
    ['a line along an edge', 'LINESTRING(6 0,6 3)', true],
    ['a line that ends at an edge', 'LINESTRING(9 4,6 4)', true],
    ['a line past a corner', 'LINESTRING(5 8,8 5)', false],
    ['a line of no length on a corner', 'LINESTRING(2 2,2 2)', true],
    ['a collection with a hit', 'GEOMETRYCOLLECTION(POINT(4 4),LINESTRING(6 0,6 3))', true],
    ['nothing', 'GEOMETRYCOLLECTION EMPTY', false],
  ])('%s', (_, wkt, expected) => {
    expect(intersects(query(wkt), ringed)).toBe(expected);
  });

  test('each part of a parcel counts', () => {
    const parts: MultiPolygon = [[ring('50 50, 51 50, 51 51, 50 50')], ...ringed];
    expect(intersects(query('POINT(2.5 4)'), parts)).toBe(true);
    expect(intersects(query(`POLYGON${box(0, 0, 9, 9)}`), parts)).toBe(true);
    expect(intersects(query(`POLYGON${box(10, 10, 40, 40)}`), parts)).toBe(false);
  });

  test('a point of 7 decimals on a slanting edge touches it', () => {
    const parcel: MultiPolygon = [[ring('-72.1 43.1, -72.1 43.3, -72.3 43.3, -72.1 43.1')]];
    expect(intersects(query('POINT(-72.2 43.2)'), parcel)).toBe(true);
    expect(intersects(query('POINT(-72.2000001 43.2)'), parcel)).toBe(false);
    expect(intersects(query('POINT(-72.1234567 43.1234567)'), parcel)).toBe(true);
  });
});

test('a point is covered within an area and on its edge, not in its hole', () => {
  const area = query('POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,1 7,7 7,7 1,1 1))');
  const covered = (lon: number, lat: number) => coversPoint(area, lon * 1e7, lat * 1e7);
  expect([covered(8, 8), covered(9, 9), covered(0, 4), covered(7, 4), covered(4, 4), covered(10, 0)]).toEqual(
    [true, true, true, true, false, false],
  );
  expect(coversPoint(query('POLYGON EMPTY'), 0, 0)).toBe(false);
});

describe('the cover', () => {
  test('all of an upright rectangle except its rim is inside', () => {
    const { inner, edge } = coverQuery(query(`POLYGON${box(-72, 43, -71, 44)}`));
    expect(inner.length + edge.length).toBeLessThan(200);
    const area = inner.reduce((sum, [w, s, e, n]) => sum + (e - w) * (n - s), 0);
    expect(area / 1e14).toBeGreaterThan(0.999);
  });

  test('a point is one small box, and nothing is no box', () => {
    expect(coverQuery(query('POINT(1 2)'))).toEqual({
      inner: [],
      edge: [[9_999_998, 19_999_998, 10_000_002, 20_000_002]],
    });
    expect(coverQuery(query('POINT EMPTY'))).toEqual({ inner: [], edge: [] });
  });

  test('an outline between two columns of the grid is not lost where cells meet', () => {
    // The first cut of what lies between 0 and 1 degree runs between 5,000,000 and 5,000,001 units.
    const { edge } = coverQuery(query('MULTILINESTRING((0 0,1 0),(0 1,1 1),(0.50000005 0,0.50000005 1))'));
    for (let lat = 0; lat <= 10_000_000; lat += 100_000) {
      expect(edge.some(([w, s, e, n]) => w <= 5_000_001 && e >= 5_000_000 && s <= lat && n >= lat)).toBe(
        true,
      );
    }
  });

  test('more cells leave less to test', () => {
    const triangle = query('POLYGON((-72 43,-71 43.3,-71.6 44,-72 43))');
    const areas = [1, 16, 128].map(maxCells =>
      coverQuery(triangle, maxCells).edge.reduce((sum, [w, s, e, n]) => sum + (e - w) * (n - s), 0),
    );
    expect(areas[1]! / areas[0]!).toBeLessThan(0.35);
    expect(areas[2]! / areas[0]!).toBeLessThan(0.05);
  });
});
