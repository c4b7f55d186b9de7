import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { prepareQuery } from '../../shared/geo/intersects.ts';
import {
  type ParsedQuery,
  parseGeoJsonArea,
  QUERY_LIMITS,
  type QueryGeometry,
} from '../../shared/geo/query-geometry.ts';
import { parseWkt } from '../../shared/geo/wkt.ts';
import { runs } from '../support/runs.ts';
import { pairs } from './query-geometry-shapes.ts';

/** Ways to write the same thing: white space, case, numbers, dimensions and kinds of collections. */
const style = fc.record({
  space: fc.constantFrom('', ' ', '\n\t  '),
  upper: fc.boolean(),
  dimension: fc.constantFrom('', ' Z', 'M', ' ZM'),
  exponent: fc.boolean(),
  srid: fc.boolean(),
  single: fc.boolean(),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

function toWkt({ points, lines, polygons }: QueryGeometry, how: Style): string {
  const { space, upper, dimension, exponent, srid, single } = how;
  const more = ' 7.5'.repeat(dimension.trim().length);
  const number = (n: number) => (exponent ? n.toExponential() : String(n));
  const list = (items: string[]) => `(${space}${items.join(`${space},${space}`)}${space})`;
  const position = ([lon, lat]: Position) => `${number(lon)} ${number(lat)}${more}`;
  const path = (positions: Position[]) => list(positions.map(position));
  const tagged = (type: string, items: string[]) =>
    items.length === 0 ? `${type}${dimension} EMPTY` : `${type}${dimension}${space}${list(items)}`;
  const areas = polygons.map(rings => list(rings.map(path)));
  const members = [
    ...(single ? areas.map(area => `POLYGON${dimension}${area}`) : [tagged('MULTIPOLYGON', areas)]),
    ...(single
      ? lines.map(line => `LINESTRING${dimension}${path(line)}`)
      : [tagged('MULTILINESTRING', lines.map(path))]),
    tagged(
      'MULTIPOINT',
      points.map(point => (single ? position(point) : list([position(point)]))),
    ),
  ];
  const text = `${srid ? 'SRID=4326;' : ''}${tagged('GEOMETRYCOLLECTION', members)}`;
  return upper ? text : text.toLowerCase();
}

function geometryOf(result: ParsedQuery): QueryGeometry {
  if (!result.ok) throw new Error(result.message);
  return result.geometry;
}

test('WKT in any style parses to the geometry that was written', () => {
  fc.assert(
    fc.property(pairs, style, ({ query }, how) => {
      expect(geometryOf(parseWkt(toWkt(query, how), QUERY_LIMITS))).toEqual(withoutRepeats(query));
    }),
    { numRuns: runs(250) },
  );
});

test('a GeoJSON MultiPolygon parses to the geometry that was written', () => {
  fc.assert(
    fc.property(pairs, ({ query: { polygons } }) => {
      const result = parseGeoJsonArea({ type: 'MultiPolygon', coordinates: polygons }, QUERY_LIMITS);
      expect(geometryOf(result)).toEqual(withoutRepeats({ points: [], lines: [], polygons }));
    }),
    { numRuns: runs(150) },
  );
});

function withoutRepeats({ points, lines, polygons }: QueryGeometry): QueryGeometry {
  const once = (path: Position[]) =>
    path.filter(([x, y], i) => i === 0 || x !== path[i - 1]![0] || y !== path[i - 1]![1]);
  return { points, lines, polygons: polygons.map(rings => rings.map(once)) };
}

const SCRAPS = [
  ...'POINT polygon MULTIPOLYGON GEOMETRYCOLLECTION EMPTY Z ZM SRID=4326; ( ) (( )) , 91 1e308 1e-320 -0 . - __proto__'.split(
    ' ',
  ),
  ' ',
  '0 0',
  '1 1',
  '1 0',
  '\u0000',
  '\u00a0',
  '\ud800',
];

test('any text gets a response', () => {
  const scraps = fc.constantFrom(...SCRAPS);
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(scraps, { maxLength: 40 }).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(texts, text => expectAnswer(parseWkt(text, QUERY_LIMITS))),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(pairs, style, fc.nat(), scraps, ({ query }, how, at, scrap) => {
      const text = toWkt(query, how);
      const cut = at % text.length;
      expectAnswer(parseWkt(`${text.slice(0, cut)}${scrap}${text.slice(cut + 1)}`, QUERY_LIMITS));
    }),
    { numRuns: runs(150) },
  );
});

test('any JSON and any rings of doubles get a response', () => {
  const json = fc.jsonValue({ maxDepth: 5 });
  const double = fc.double({ min: -1e-90, max: 1e-90 });
  const rings = fc.array(fc.array(fc.tuple(fc.oneof(double, fc.double()), double), { maxLength: 6 }));
  fc.assert(
    fc.property(fc.oneof(json, rings), fc.constantFrom('Polygon', 'MultiPolygon'), (coordinates, type) => {
      expectAnswer(parseGeoJsonArea({ type, coordinates }, QUERY_LIMITS));
      expectAnswer(parseGeoJsonArea(coordinates, QUERY_LIMITS));
    }),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(double, double), { minLength: 3, maxLength: 6 }), corners => {
      expectAnswer(
        parseGeoJsonArea({ type: 'Polygon', coordinates: [[...corners, corners[0]]] }, QUERY_LIMITS),
      );
    }),
    { numRuns: runs(500) },
  );
});

test('a square is accepted with any corner repeated exactly', () => {
  const bits = fc.integer({ min: -3, max: 3 });
  const near = (value: number, ulps: number) => value + ulps * 2 ** -46;
  fc.assert(
    fc.property(fc.integer({ min: -899_999_999, max: -640_000_000 }), bits, bits, (e7, dx, dy) => {
      const [x, y] = [e7 / 1e7, -e7 / 1e7];
      const ring = [
        [x, y],
        [x, y - 1],
        [near(x, dx), near(y - 1, dy)],
        [x - 1, y - 1],
        [x - 1, y],
        [x, y],
      ];
      const result = parseGeoJsonArea({ type: 'Polygon', coordinates: [ring] }, QUERY_LIMITS);
      expect(result).toMatchObject({ ok: true });
    }),
    { numRuns: runs(250) },
  );
});

function expectAnswer(result: ParsedQuery): void {
  if (result.ok) prepareQuery(result.geometry);
  else {
    expect(['syntax', 'range', 'ring', 'too_complex']).toContain(result.kind);
    expect(result.message).not.toBe('');
  }
}
