import fc from 'fast-check';
import type { Geometry } from 'geojson';
import { expect, test } from 'vitest';
import { readWkb } from '../../../workers/formats/wkb.ts';
import { wkbOf } from './wkb.ts';

const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const shapes = (dimensions: number) => {
  const position = fc.array(number, { minLength: dimensions, maxLength: dimensions });
  const line = fc.array(position, { maxLength: 5 });
  const rings = fc.array(line, { maxLength: 3 });
  const of = (type: string, coordinates: fc.Arbitrary<unknown>) =>
    fc.record({ type: fc.constant(type), coordinates });
  const plain = fc.oneof(
    of('Point', position),
    of('LineString', line),
    of('Polygon', rings),
    of('MultiPoint', line),
    of('MultiLineString', rings),
    of('MultiPolygon', fc.array(rings, { maxLength: 3 })),
  );
  const collection = fc.record({
    type: fc.constant('GeometryCollection'),
    geometries: fc.array(plain, { maxLength: 3 }),
  });
  return fc.oneof(plain, collection) as unknown as fc.Arbitrary<Geometry>;
};

test.each([2, 3, 4] as const)(
  'every shape of %i dimensions comes back as it was, in either byte order',
  dimensions => {
    fc.assert(
      fc.property(shapes(dimensions), fc.boolean(), (geometry, little) => {
        expect(readWkb(wkbOf(geometry, little, dimensions))).toEqual(geometry);
      }),
    );
  },
);

test('invalid bytes lead to a message, quickly', () => {
  fc.assert(
    fc.property(shapes(2), fc.nat(), (geometry, cut) => {
      const bytes = wkbOf(geometry);
      const part = bytes.subarray(0, cut % bytes.length);
      expect(() => readWkb(part)).toThrow(/WKB/);
    }),
  );
  // Four billion rings that are not there; a collection of itself in itself.
  expect(() => readWkb(Buffer.from('0103000000ffffffff', 'hex'))).toThrow(/WKB/);
  expect(() => readWkb(Buffer.from('010700000001000000'.repeat(20_000), 'hex'))).toThrow(/WKB/);
});
