import fc from 'fast-check';
import { fromE7 } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import type { QueryGeometry } from '../../shared/geo/query-geometry.ts';
import { findRingFault } from '../../shared/geo/ring-faults.ts';

/**
 * Arbitraries on one coarse grid of `step` units of 1e-7 degrees, so that corners, edges and whole sides
 * of different shapes coincide often.
 */

const SIZE = 12;
const STEPS = [1, 3, 1000, 100_000, 5_000_000];

type Cell = [x: number, y: number];

const at = fc.integer({ min: 0, max: SIZE });
const cell: fc.Arbitrary<Cell> = fc.tuple(at, at);

/** Corners sorted by angle around the first: simple, any shape a star can have. */
const star = fc
  .uniqueArray(cell, { minLength: 4, maxLength: 12, selector: String })
  .map(([center, ...corners]) => {
    const around = (c: Cell) => Math.atan2(c[1] - center![1], c[0] - center![0]);
    return corners.sort((a, b) => around(a) - around(b));
  });

const box = fc
  .tuple(at, at, at, at)
  .filter(([w, s, e, n]) => w < e && s < n)
  .map(([w, s, e, n]): Cell[] => [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
  ]);

/** Both long sides lead from near one corner to near another. */
const sliver = fc
  .tuple(cell, cell, fc.constantFrom<Cell>([0, 1], [1, 0], [1, 1], [-1, 1]))
  .map(([[x1, y1], [x2, y2], [dx, dy]]): Cell[] => [
    [x1, y1],
    [x2, y2],
    [x2 + dx, y2 + dy],
  ]);

const loop = fc.oneof({ weight: 3, arbitrary: star }, { weight: 2, arbitrary: box }, sliver);

const close = (corners: Cell[]): Cell[] => [...corners, corners[0]!];

const isSound = (rings: Cell[][]) =>
  rings.every(ring => new Set(ring.map(String)).size > 2) &&
  findRingFault(rings.map(ring => ring.map(([x, y]): Position => [fromE7(x), fromE7(y)]))) === null;

/** A polygon with up to two holes; holes that do not fit are left out. */
const polygon: fc.Arbitrary<Cell[][]> = fc
  .tuple(loop, fc.array(loop, { maxLength: 4 }))
  .map(([shell, holes]) => {
    const rings = [close(shell)];
    for (const hole of holes) if (isSound([...rings, close(hole)])) rings.push(close(hole));
    return rings;
  })
  .filter(isSound);

const frame = fc.record({
  step: fc.constantFrom(...STEPS),
  lonE7: fc.integer({ min: -1_600_000_000, max: 1_600_000_000 }),
  latE7: fc.integer({ min: -700_000_000, max: 700_000_000 }),
});

/** A query of any elements, up to three times as large, and a parcel of one or two parts on the same grid. */
export const pairs: fc.Arbitrary<{ query: QueryGeometry; parcel: MultiPolygon }> = fc
  .record({
    frame,
    polygons: fc.array(polygon, { maxLength: 2 }),
    lines: fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 1 }),
    points: fc.array(cell, { maxLength: 1 }),
    parcel: fc.array(polygon, { minLength: 1, maxLength: 2 }),
    times: fc.constantFrom(1, 3),
    shift: cell,
  })
  .map(({ frame: { step, lonE7, latE7 }, polygons, lines, points, parcel, times, shift }) => {
    const place = ([x, y]: Cell): Position => [fromE7(lonE7 + x * step), fromE7(latE7 + y * step)];
    const large = ([x, y]: Cell) => place([times * x, times * y]);
    const shifted = ([x, y]: Cell) => place(times === 1 ? [x, y] : [x + shift[0], y + shift[1]]);
    return {
      query: {
        polygons: polygons.map(rings => rings.map(ring => ring.map(large))),
        lines: lines.map(line => line.map(large)),
        points: points.map(large),
      },
      parcel: parcel.map(rings => rings.map(ring => ring.map(shifted))),
    };
  });

/** A shell and a hole that need not fit it; neither meets itself. In degrees, one unit to a cell. */
export const shellAndHole: fc.Arbitrary<[Ring, Ring]> = fc
  .tuple(loop, loop)
  .map(([shell, hole]) => [close(shell), close(hole)] as const)
  .filter(([shell, hole]) => isSound([shell]) && isSound([hole]))
  .map(rings => rings.map(ring => ring.map(([x, y]): Position => [fromE7(x), fromE7(y)])) as [Ring, Ring]);
