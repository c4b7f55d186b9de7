import { describe, expect, test } from 'vitest';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { QUERY_LIMITS, type QueryGeometry } from '../../../shared/geo/query-geometry.ts';
import { parseWkt } from '../../../shared/geo/wkt.ts';
import { ring } from '../../support/rings.ts';

const parse = (text: string) => parseWkt(text, QUERY_LIMITS);

function geometry(text: string): QueryGeometry {
  const result = parse(text);
  if (!result.ok) throw new Error(result.message);
  return result.geometry;
}

const nothing: QueryGeometry = { points: [], lines: [], polygons: [] };
const SQUARE = '(0 0,4 0,4 4,0 4,0 0)';
const square: Position[] = ring('0 0, 4 0, 4 4, 0 4, 0 0');

describe('accepted texts', () => {
  test.each<[string, Partial<QueryGeometry>]>([
    ['POINT(-72.1 43.2)', { points: [[-72.1, 43.2]] }],
    ['LINESTRING(0 0, 1 1, 2 0)', { lines: [ring('0 0, 1 1, 2 0')] }],
    [`POLYGON(${SQUARE})`, { polygons: [[square]] }],
    [`POLYGON(${SQUARE},(1 1,1 2,2 2,1 1))`, { polygons: [[square, ring('1 1, 1 2, 2 2, 1 1')]] }],
    ['MULTIPOINT(1 2, 3 4)', { points: ring('1 2, 3 4') }],
    ['MULTIPOINT((1 2), EMPTY, (3 4))', { points: ring('1 2, 3 4') }],
    ['MULTILINESTRING((0 0,1 1),(2 2,3 3))', { lines: [ring('0 0, 1 1'), ring('2 2, 3 3')] }],
    [`MULTIPOLYGON((${SQUARE}),((5 5,6 5,6 6,5 5)))`, { polygons: [[square], [ring('5 5, 6 5, 6 6, 5 5')]] }],
    [
      `GEOMETRYCOLLECTION(POINT(1 2),GEOMETRYCOLLECTION(LINESTRING(0 0,1 1),POLYGON(${SQUARE})))`,
      {
        points: [[1, 2]],
        lines: [ring('0 0, 1 1')],
        polygons: [[square]],
      },
    ],
  ])('%s', (text, expected) => {
    expect(geometry(text)).toEqual({ ...nothing, ...expected });
  });

  test.each([
    'POINT',
    'LINESTRING',
    'POLYGON',
    'MULTIPOINT',
    'MULTILINESTRING',
    'MULTIPOLYGON',
    'GEOMETRYCOLLECTION',
  ])('an empty %s', type => {
    expect(geometry(`${type} EMPTY`)).toEqual(nothing);
    expect(geometry(`${type} Z EMPTY`)).toEqual(nothing);
  });

  test.each([
    'POINT Z (1 2 3)',
    'POINT M (1 2 3)',
    'POINT ZM (1 2 3 4)',
    'POINTZ(1 2 3)',
    'POINTZM(1 2 3 4)',
    'point(1 2 3)',
    'POINT(1 2 3 4)',
    'SRID=4326;POINT(1 2)',
    'srid = 4326 ; Point ( 1 2 )',
    '\n\tpOiNt\r\n(  1\t2  )\n',
    'POINT(1e0 20E-1)',
    'POINT(+1.0 .2e+1)',
    'POINT(1. 2.)',
    'MULTIPOINT Z ((1 2 3))',
    'GEOMETRYCOLLECTION Z (POINT Z (1 2 3))',
  ])('%j is the point 1 2', text => {
    expect(geometry(text)).toEqual({ ...nothing, points: [[1, 2]] });
  });

  test('repeated positions are dropped', () => {
    expect(geometry('POLYGON((0 0,4 0,4 0,4 4,0 4,0 0,0 0))').polygons).toEqual([[square]]);
  });

  test('rings that touch themselves or each other at points', () => {
    expect(parse('POLYGON((0 0,2 2,4 0,4 4,2 2,0 4,0 0))')).toMatchObject({ ok: true });
    expect(parse(`POLYGON(${SQUARE},(0 0,3 1,1 3,0 0),(3 1,3.5 3.5,1 3,3 1))`).ok).toBe(false);
    expect(parse(`POLYGON(${SQUARE},(0 2,1 1,1 3,0 2),(1 1,2 1,2 2,1 1))`)).toMatchObject({ ok: true });
  });

  test('a hole that touches a slanting shell in decimals, though not in doubles', () => {
    // (-72.2, 43.2) is on the line from (-72.1, 43.1) to (-72.3, 43.3), but its double is not.
    expect(
      parse(
        'POLYGON((-72.1 43.1,-72.3 43.3,-72.3 43.1,-72.1 43.1),(-72.2 43.2,-72.21 43.13,-72.19 43.13,-72.2 43.2))',
      ),
    ).toMatchObject({ ok: true });
  });

  test('parts that overlap', () => {
    expect(parse(`MULTIPOLYGON((${SQUARE}),((1 1,9 1,9 9,1 1)))`)).toMatchObject({ ok: true });
  });
});

describe('refused texts, with the position', () => {
  test.each<[string, string, string]>([
    // syntax
    [
      '',
      'syntax',
      'expected a geometry type (POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION) at character 1, not the end of the text',
    ],
    ['CIRCULARSTRING(0 0,1 1,2 0)', 'syntax', 'at character 1, not "CIRCULARSTRING(0 0,1"'],
    ['constructor(1 2)', 'syntax', 'a geometry type'],
    ['POINT(1)', 'syntax', 'expected a number at character 8, not ")"'],
    ['POINT(1 2', 'syntax', 'expected ) at character 10, not the end of the text'],
    ['POINT(1 2) x', 'syntax', 'expected the end of the geometry at character 12, not "x"'],
    ['POINT(1,2)', 'syntax', 'expected a number at character 8, not ",2)"'],
    ['POINT(1 2 3 4 5)', 'syntax', 'expected ) at character 15'],
    ['POINT(1-2)', 'syntax', 'expected a space, a comma, or ) at character 8'],
    ['POINT(1.2.3 4)', 'syntax', 'expected a space, a comma, or ) at character 10'],
    ['POINT Z (1 2)', 'syntax', 'point 1 (at character 10) has 2 numbers, expected 3'],
    ['LINESTRING(0 0, 1 1 1)', 'syntax', 'line 1, vertex 2 (at character 17) has 3 numbers, expected 2'],
    ['LINESTRING(0 0)', 'syntax', 'line 1 (at character 11) has 1 position; a line needs at least 2'],
    ['LINESTRING(0 0,,1 1)', 'syntax', 'expected a number at character 16'],
    ['SRID=3857;POINT(1 2)', 'syntax', 'SRID=3857 is not supported'],
    [`POLYGON(${SQUARE}`, 'syntax', 'expected , or ) at character 30'],
    // range
    ['POINT(-72 91)', 'range', 'latitude 91 is not between -90 and 90: point 1 (at character 7)'],
    ['POINT(181 0)', 'range', 'longitude 181 is not between -180 and 180: point 1 (at character 7)'],
    ['POINT(1e999 0)', 'range', 'longitude Infinity'],
    [
      'POLYGON((0 0,1 0,1 -90.5,0 0))',
      'range',
      'latitude -90.5 is not between -90 and 90: polygon 1, ring 1, vertex 3 (at character 18)',
    ],
    // rings
    [
      'POLYGON((0 0,4 0,4 4,0 4))',
      'ring',
      'polygon 1, ring 1 (at character 9) is not closed: it starts at 0 0 and ends at 0 4 (vertex 4); repeat the first position',
    ],
    [
      'POLYGON((0 0,4 0,0 0))',
      'ring',
      'polygon 1, ring 1 (at character 9) has 3 positions; a ring needs at least 4, the last repeating the first',
    ],
    [
      'POLYGON((1 1,1 1,1 1,1 1))',
      'ring',
      'polygon 1, ring 1 (at character 9) has fewer than 3 different positions',
    ],
    ['POLYGON(EMPTY)', 'ring', 'polygon 1, ring 1 (at character 9) is empty'],
    [
      'POLYGON((0 0,4 4,4 0,0 4,0 0))',
      'ring',
      'polygon 1, ring 1 (at character 9) crosses itself at 2 2: the edges from vertex 1 and vertex 3',
    ],
    [
      'POLYGON((0 0,4 0,4 4,4 0,0 0))',
      'ring',
      'runs along itself at 0 0: the edges from vertex 1 and vertex 4',
    ],
    [
      `MULTIPOLYGON((${SQUARE}),(${SQUARE},(3 1,9 1,9 2,3 1)))`,
      'ring',
      'polygon 2, ring 2 (at character 61) crosses polygon 2, ring 1 (at character 39) at 4 1: the edges from vertex 1 and vertex 2',
    ],
    [
      `POLYGON(${SQUARE},(5 5,6 5,6 6,5 5))`,
      'ring',
      'polygon 1, ring 2 (at character 31) is a hole outside its shell: it starts at 5 5',
    ],
    [`POLYGON(${SQUARE},(-1 -1,9 -1,9 9,-1 9,-1 -1))`, 'ring', 'is a hole outside its shell'],
    [
      `POLYGON(${SQUARE},(1 1,3 1,2 3,1 1),(1.5 1.2,2.5 1.2,2 2,1.5 1.2))`,
      'ring',
      'polygon 1, ring 3 (at character 49) is a hole inside another hole: it starts at 1.5 1.2',
    ],
    [
      `POLYGON(${SQUARE},${SQUARE})`,
      'ring',
      'polygon 1, ring 2 (at character 31) runs along polygon 1, ring 1 (at character 9) at 0 0',
    ],
  ])('%s', (text, kind, message) => {
    expect(parse(text)).toMatchObject({ ok: false, kind, message: expect.stringContaining(message) });
  });

  test("more than 10,000 vertices, whatever else is wrong; the closing position doesn't count", () => {
    const ring = (n: number) => {
      const corners = Array.from({ length: n }, (_, i) => {
        const angle = (2 * Math.PI * i) / n;
        return `${Math.cos(angle)} ${Math.sin(angle)}`;
      });
      return `POLYGON((${[...corners, corners[0]].join()}))`;
    };
    expect(parse(ring(10_000))).toMatchObject({ ok: true });
    expect(parse(ring(10_001))).toEqual({
      ok: false,
      kind: 'too_complex',
      message: expect.stringMatching(/\b10000 vertices/),
    });
    const points = (n: number) => `MULTIPOINT(${Array.from({ length: n }, () => '1 2').join()})`;
    expect(parse(points(10_000))).toMatchObject({ ok: true });
    expect(parse(points(10_001))).toMatchObject({ kind: 'too_complex' });
    expect(parse(points(20_000).slice(0, -1))).toMatchObject({ kind: 'too_complex' });
  });

  test('collections nested deeper than 8', () => {
    const nested = (depth: number) => `${'GEOMETRYCOLLECTION('.repeat(depth)}POINT(1 2)${')'.repeat(depth)}`;
    expect(parse(nested(8))).toMatchObject({ ok: true });
    expect(parse(nested(9))).toEqual({
      ok: false,
      kind: 'too_complex',
      message: expect.stringMatching(/\b8\b/),
    });
    expect(parse(nested(100_000))).toMatchObject({ kind: 'too_complex' });
  });
});
