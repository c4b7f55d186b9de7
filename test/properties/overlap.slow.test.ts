import fc from 'fast-check';
import { difference, intersection, union } from 'polyclip-ts';
import { expect, test } from 'vitest';
import type { MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { prepareBoundary } from '../../shared/geo/prepare-geometry.ts';
import { prepareOverlap } from '../../shared/kernels/overlap.ts';
import { boxRing } from '../support/parcels.ts';
import { windingNumber } from './geometry-shapes.ts';

/**
 * Shapes near the equator, where a degree of longitude is as long anywhere on them to a part in 10^10: there
 * shares of the plane are shares of the ground.
 */

const SIZE = 8;
const SCALE = 1e-4;

/** Corners on a coarse grid, which meet and run along each other in every way, or on one of a centimeter. */
const corner = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: SIZE }), fc.integer({ min: 0, max: SIZE })),
  fc
    .tuple(fc.integer({ min: 0, max: 1000 * SIZE }), fc.integer({ min: 0, max: 1000 * SIZE }))
    .map(([x, y]) => [x / 1000, y / 1000] as const),
);

/** Closed rings in either direction; one in two or so cross themselves. */
const rings: fc.Arbitrary<Ring> = fc.array(corner, { minLength: 3, maxLength: 9 }).map(corners => {
  const ring = corners.map(([x, y]): Position => [-90 + x * SCALE, y * SCALE]);
  return [...ring, [...ring[0]!] as Position];
});

/** Valid ones, as layers and parcels are stored. */
const polygons: fc.Arbitrary<MultiPolygon> = fc
  .array(rings, { minLength: 1, maxLength: 3 })
  .map(([shell, ...holes]) => subtract(filled(shell!), holes.map(filled)))
  .filter(parts => parts.length > 0);
/** Parts may overlap. */
const shapes = fc.array(polygons, { minLength: 1, maxLength: 2 }).map(parts => parts.flat());
const layers = fc.array(shapes, { minLength: 1, maxLength: 4 });

const RUNS = 60;
/** The clipper takes most of a tenth of a second for one. */
const CLIPPED_RUNS = 15;

test('percent equals that of the clipped area', () => {
  fc.assert(
    fc.property(shapes, layers, (shape, layer) => {
      fc.pre(isRoomy(shape));
      const parcel = valid([shape]);
      const wet = valid(layer);
      const common = wet.length === 0 ? [] : (intersection(parcel as Geom, wet as Geom) as MultiPolygon);
      expect(prepareOverlap(layer).percentOf(shape)).toBeCloseTo((100 * area(common)) / area(parcel), 5);
    }),
    { numRuns: CLIPPED_RUNS },
  );
});

test('percent equals that of the points that lie in both', () => {
  const errors: number[] = [];
  const places = grid(60);
  fc.assert(
    fc.property(shapes, layers, (shape, layer) => {
      const within = places.filter(at => isInShape(at, shape));
      fc.pre(within.length > 100);
      const both = within.filter(at => isInShape(at, layer.flat()));
      errors.push(prepareOverlap(layer).percentOf(shape) - (100 * both.length) / within.length);
    }),
    { numRuns: RUNS },
  );
  // What is left is the places' own error: 100 of them tell a share to a few percent.
  expect(Math.max(...errors.map(Math.abs))).toBeLessThan(8);
  expect(errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length).toBeLessThan(0.6);
  expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.1);
});

test('percent is between 0 and 100, and the part outside a layer is the rest', () => {
  fc.assert(
    fc.property(shapes, polygons, (shape, layer) => {
      fc.pre(isRoomy(shape));
      const percent = prepareOverlap([layer]).percentOf(shape);
      expect(percent).toBeGreaterThanOrEqual(0);
      expect(percent).toBeLessThanOrEqual(100);
      const rest = subtract([[boxRing(-91, -1, -89, 1)]], [layer]);
      expect(percent + prepareOverlap([rest]).percentOf(shape)).toBeCloseTo(100, 5);
    }),
    { numRuns: CLIPPED_RUNS },
  );
});

test('a repeated or reversed polygon changes nothing', () => {
  fc.assert(
    fc.property(shapes, layers, fc.nat(), (shape, layer, which) => {
      const percent = prepareOverlap(layer).percentOf(shape);
      const again = layer[which % layer.length]!;
      expect(prepareOverlap([...layer, again]).percentOf(shape)).toBeCloseTo(percent, 6);
      const reversed = layer.map(polygon => polygon.map(part => part.map(ring => ring.toReversed())));
      expect(prepareOverlap(reversed).percentOf(shape)).toBeCloseTo(percent, 6);
      expect(prepareOverlap([layer.flat()]).percentOf(shape)).toBeCloseTo(percent, 6);
    }),
    { numRuns: RUNS },
  );
});

test('size and location change nothing', () => {
  fc.assert(
    fc.property(
      shapes,
      layers,
      fc.integer({ min: -12, max: 3 }),
      fc.integer({ min: -70, max: 160 }),
      (shape, layer, power, east) => {
        const moved = (shape: MultiPolygon): MultiPolygon =>
          shape.map(polygon =>
            polygon.map(ring =>
              ring.map(([lon, lat]): Position => [(lon + 90) * 2 ** power + east, lat * 2 ** power]),
            ),
          );
        fc.pre(isRoomy(shape));
        const percent = prepareOverlap(layer).percentOf(shape);
        expect(prepareOverlap(layer.map(moved)).percentOf(moved(shape))).toBeCloseTo(percent, 3);
      },
    ),
    { numRuns: RUNS },
  );
});

type Geom = Parameters<typeof union>[0];

/** The union of shapes as valid polygons. */
function valid(shapes: MultiPolygon[]): MultiPolygon {
  return union(shapes[0] as Geom, ...(shapes.slice(1) as Geom[])) as MultiPolygon;
}

function subtract(land: MultiPolygon, holes: MultiPolygon[]): MultiPolygon {
  return land.length === 0 ? [] : (difference(land as Geom, ...(holes as Geom[])) as MultiPolygon);
}

/** What a ring winds around. */
function filled(ring: Ring): MultiPolygon {
  const prepared = prepareBoundary({ type: 'Polygon', coordinates: [ring] });
  return prepared.ok ? prepared.polygons : [];
}

/** Does a shape have more area than a trifle? */
function isRoomy(shape: MultiPolygon): boolean {
  return grid(20).filter(at => isInShape(at, shape)).length > 4;
}

/** Places in rows and columns all over the shapes, off their coarse grid. */
function grid(side: number): Position[] {
  return Array.from({ length: side * side }, (_, i): Position => {
    const x = ((i % side) + 0.4142) / side;
    const y = (Math.floor(i / side) + 0.5772) / side;
    return [-90 + x * SIZE * SCALE, y * SIZE * SCALE];
  });
}

/** In square degrees. */
function area(polygons: MultiPolygon): number {
  let sum = 0;
  for (const polygon of polygons) {
    for (const [i, ring] of polygon.entries()) {
      let double = 0;
      for (let k = 1; k < ring.length; k++) {
        const [ax, ay] = ring[k - 1]!;
        const [bx, by] = ring[k]!;
        double += (ax + 90) * by - (bx + 90) * ay;
      }
      sum += ((i === 0 ? 1 : -1) * Math.abs(double)) / 2;
    }
  }
  return sum;
}

function isInShape(at: Position, shape: MultiPolygon): boolean {
  return shape.some(
    ([shell, ...holes]) =>
      windingNumber(at, shell!) !== 0 && holes.every(hole => windingNumber(at, hole) === 0),
  );
}
