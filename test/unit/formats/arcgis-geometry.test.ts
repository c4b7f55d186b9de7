import fc from 'fast-check';
import type { MultiPolygon, Polygon } from 'geojson';
import { describe, expect, test } from 'vitest';
import type { Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { planarArea } from '../../../shared/geo/ring.ts';
import { fromEsri } from '../../../workers/formats/arcgis-geometry.ts';

/** A square, clockwise as Esri winds shells. */
const square = (x: number, y: number, size: number): Ring => [
  [x, y],
  [x, y + size],
  [x + size, y + size],
  [x + size, y],
  [x, y],
];
const hole = (x: number, y: number, size: number): Ring => square(x, y, size).toReversed();
const polygons = (geometry: unknown) => {
  const { type, coordinates } = fromEsri(geometry, false) as Polygon | MultiPolygon;
  return (type === 'Polygon' ? [coordinates] : coordinates) as Ring[][];
};
const areas = (geometry: unknown) =>
  polygons(geometry)
    .map(polygon => planarArea([polygon]))
    .toSorted((a, b) => a - b);

describe('rings', () => {
  test('an island in a lake on an island: each hole goes to the innermost shell around it', () => {
    const rings = [square(0, 0, 10), hole(1, 1, 8), square(2, 2, 6), hole(3, 3, 4), square(20, 0, 1)];
    expect(areas({ rings })).toEqual([1, 36 - 16, 100 - 64]);
    // In whatever order they come.
    fc.assert(
      fc.property(fc.shuffledSubarray(rings, { minLength: 5 }), mixed => {
        expect(areas({ rings: structuredClone(mixed) })).toEqual([1, 20, 36]);
      }),
    );
  });

  test('a hole that touches its shell, one without a shell, an unclosed ring', () => {
    expect(areas({ rings: [square(0, 0, 4), hole(0, 0, 1)] })).toEqual([15]);
    expect(areas({ rings: [square(0, 0, 2), hole(5, 5, 1)] })).toEqual([1, 4]);
    expect(areas({ rings: [square(0, 0, 2).slice(0, 4)] })).toEqual([4]);
  });

  test("shells run counterclockwise and holes clockwise; those that didn't are counted", () => {
    const rings = () => [square(0, 0, 0.004), hole(0.001, 0.001, 0.001)];
    expect(prepareBoundary(fromEsri({ rings: rings() }, true))).toMatchObject({ ok: true, repairs: [] });
    const wrong = { rings: [...rings(), hole(0.01, 0.01, 0.001)] };
    expect(prepareBoundary(fromEsri(wrong, true))).toMatchObject({ ok: true, repairs: ['winding_reversed'] });
  });

  test('no rings are no geometry; rings without area are kept so that the error can be reported', () => {
    expect(fromEsri({ rings: [] }, true)).toBeNull();
    const sliver = fromEsri(
      {
        rings: [
          [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
      true,
    );
    expect(prepareBoundary(sliver)).toMatchObject({ ok: false });
  });
});

test('points, lines, and empty shapes', () => {
  expect(fromEsri({ x: 1, y: 2, z: 3 }, true)).toEqual({ type: 'Point', coordinates: [1, 2] });
  expect(
    fromEsri(
      {
        points: [
          [1, 2],
          [3, 4],
        ],
      },
      true,
    ),
  ).toEqual({
    type: 'MultiPoint',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  });
  expect(
    fromEsri(
      {
        paths: [
          [
            [1, 2, 9],
            [3, 4, 9],
          ],
          [[5, 6]],
        ],
      },
      true,
    ),
  ).toEqual({
    type: 'MultiLineString',
    coordinates: [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  });
  for (const empty of [
    null,
    undefined,
    { x: null, y: null },
    { x: 'NaN', y: 'NaN' },
    { paths: [] },
    { points: [] },
  ])
    expect(fromEsri(empty, true)).toBeNull();
  for (const broken of [
    { x: 'a', y: 1 },
    { rings: [[1, 2]] },
    { curvePaths: [[[0, 0], { q: [[1, 1]] }]] },
    {
      curvePaths: [
        [
          {
            c: [
              [1, 1],
              [2, 2],
            ],
          },
        ],
      ],
    },
  ])
    expect(() => fromEsri(broken, true)).toThrow(TypeError);
});

describe('curves', () => {
  const line = (curve: unknown, isDegrees = false) =>
    (
      (fromEsri({ curvePaths: [[[1, 0], curve]] }, isDegrees) as { coordinates: unknown })
        .coordinates as Position[][]
    )[0]!;
  const radii = (positions: Position[]) => positions.map(([x, y]) => Math.hypot(x, y));

  test('an arc through a point, in either direction', () => {
    for (const side of [1, -1]) {
      const arc = line({
        c: [
          [-1, 0],
          [0, side],
        ],
      });
      expect(Math.max(...radii(arc).map(r => Math.abs(r - 1)))).toBeLessThan(1e-12);
      expect(arc.every(([, y]) => y * side >= -1e-12)).toBe(true);
      expect(arc.length).toBeGreaterThan(50);
      expect(arc.at(-1)).toEqual([-1, 0]);
    }
    expect(
      line({
        c: [
          [3, 0],
          [2, 0],
        ],
      }),
    ).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  test('an arc about a center: minor and major, and an ellipse', () => {
    const quarter = line({ a: [[0, 1], [0, 0], 1, 0] });
    const rest = line({ a: [[0, 1], [0, 0], 0, 1] });
    expect(quarter.every(([x, y]) => x >= -1e-12 && y >= -1e-12)).toBe(true);
    expect(rest.some(([x, y]) => x < -0.9 || y < -0.9)).toBe(true);
    expect(Math.max(...[...radii(quarter), ...radii(rest)].map(r => Math.abs(r - 1)))).toBeLessThan(1e-12);
    const half = line({ a: [[-1, 0], [0, 0], 0, 0, 0, 1, 0.5] });
    expect(Math.max(...half.map(([, y]) => y))).toBeCloseTo(0.5, 3);
    expect(Math.max(...half.map(([x, y]) => Math.abs(x ** 2 + (2 * y) ** 2 - 1)))).toBeLessThan(1e-12);
  });

  test('a Bézier curve', () => {
    const curve = line({
      b: [
        [0, 1],
        [1, 0.5523],
        [0.5523, 1],
      ],
    });
    expect(Math.max(...radii(curve).map(r => Math.abs(r - 1)))).toBeLessThan(1e-3);
    expect(curve.at(-1)).toEqual([0, 1]);
  });

  test('given in degrees are round on the ground', () => {
    const ring = fromEsri(
      {
        curveRings: [
          [
            [-72, 43],
            {
              c: [
                [-72, 43.002],
                [-72 - 0.001 / Math.cos((43 * Math.PI) / 180), 43.001],
              ],
            },
            [-72, 43],
          ],
        ],
      },
      true,
    ) as Polygon;
    const ground = ring.coordinates[0]!.slice(0, -1).map(([x, y]) =>
      Math.hypot((x! + 72) * Math.cos((43 * Math.PI) / 180), y! - 43.001),
    );
    expect(Math.max(...ground.map(r => Math.abs(r - 0.001)))).toBeLessThan(1e-6);
  });
});
