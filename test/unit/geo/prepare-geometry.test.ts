import type { Geometry } from 'geojson';
import { describe, expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, fromE7, toE7 } from '../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { combineParts, snapToGrid } from '../../../shared/geo/overlay.ts';
import { pointInMultiPolygon } from '../../../shared/geo/point-in-polygon.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { ring, square } from '../../support/rings.ts';

const clockwise = (shape: Ring): Ring => [...shape].reverse();
const polygon = (...rings: Ring[]): Geometry => ({ type: 'Polygon', coordinates: rings });

function prepared(geometry: Geometry): { polygons: MultiPolygon; repairs: string[] } {
  const result = prepareBoundary(geometry);
  if (!result.ok) throw new Error(result.message);
  return result;
}

/** Planar area in square degrees of the shapes below, all with exact small coordinates. */
function planarArea(polygons: MultiPolygon): number {
  let total = 0;
  for (const ring of polygons.flat()) {
    for (let i = 1; i < ring.length; i++) {
      total += (ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1]) / 2;
    }
  }
  return total;
}

describe('accepted shapes', () => {
  test('a valid polygon is returned unchanged, without repairs', () => {
    const rings = [square(0, 0, 9), clockwise(square(2, 2, 1))];
    expect(prepareBoundary(polygon(...rings))).toEqual({ ok: true, polygons: [rings], repairs: [] });
  });

  test('all parts of a MultiPolygon and of a GeometryCollection are kept', () => {
    const geometry: Geometry = {
      type: 'GeometryCollection',
      geometries: [
        polygon(square(0, 0, 1)),
        { type: 'MultiPolygon', coordinates: [[square(2, 0, 1)], [square(4, 0, 1)]] },
      ],
    };
    expect(prepared(geometry)).toMatchObject({
      polygons: [[square(0, 0, 1)], [square(2, 0, 1)], [square(4, 0, 1)]],
      repairs: [],
    });
  });

  test('an island in a hole is a separate part', () => {
    const island = square(4, 4, 1);
    const lake: Geometry = {
      type: 'MultiPolygon',
      coordinates: [[square(0, 0, 9), clockwise(square(2, 2, 5))], [island]],
    };
    expect(prepared(lake).repairs).toEqual([]);
    expect(planarArea(prepared(lake).polygons)).toBe(81 - 25 + 1);
  });

  test('a hole and parts that touch at a single point are valid', () => {
    const hole: Ring = ring('0 0, 1 2, 2 1, 0 0');
    expect(prepared(polygon(square(0, 0, 4), hole))).toEqual({
      ok: true,
      polygons: [[square(0, 0, 4), hole]],
      repairs: [],
    });
    const corners: Geometry = { type: 'MultiPolygon', coordinates: [[square(0, 0, 1)], [square(1, 1, 1)]] };
    expect(prepared(corners)).toMatchObject({
      polygons: [[square(0, 0, 1)], [square(1, 1, 1)]],
      repairs: [],
    });
  });
});

describe('faults have their own reasons', () => {
  const reason = (geometry: unknown) => {
    const result = prepareBoundary(geometry as Geometry);
    return result.ok ? 'ok' : result.reason;
  };
  const withLatitude = (value: unknown) => ({
    type: 'Polygon',
    coordinates: [[[0, 0], [1, value], ...square(1, 1, 1)]],
  });
  test.each([
    ['no_geometry', null],
    ['no_geometry', { type: 'Polygon', coordinates: [] }],
    ['no_geometry', { type: 'GeometryCollection', geometries: [] }],
    ['not_an_area', { type: 'Point', coordinates: [0, 0] }],
    [
      'not_an_area',
      {
        type: 'GeometryCollection',
        geometries: [polygon(square(0, 0, 1)), { type: 'LineString', coordinates: [] }],
      },
    ],
    ['malformed', { type: 'Polygon', coordinates: ring('0 0, 1 0, 1 1, 0 0') }],
    ['malformed', { type: 'Polygon', coordinates: 'POLYGON((0 0))' }],
    ['malformed', { type: 'MultiPolygon', coordinates: [null] }],
    ['not_finite', withLatitude(null)],
    ['not_finite', withLatitude(Number.NaN)],
    ['not_finite', withLatitude('1')],
    ['out_of_range', polygon(square(500_000, 0, 10))],
    ['out_of_range', polygon(ring('44.8 -68.7, 44.9 -168.7, 44.9 -168.6, 44.8 -68.7'))],
    ['too_few_points', polygon(ring('0 0, 1 1, 0 0, 1 1, 0 0'))],
    ['no_area', polygon(ring('0 0, 1 0, 2 0, 0 0'))],
    ['no_area', polygon(square(0, 0, 1), square(0, 0, 1))],
  ])('%s', (expected, geometry) => {
    expect(reason(geometry)).toBe(expected);
  });

  test('the message names the position', () => {
    expect(prepareBoundary(polygon(square(500_000, 0, 10)))).toMatchObject({
      message: expect.stringContaining('[500000, 0]'),
    });
  });
});

describe('repairs to how a ring is written', () => {
  test('elevations are dropped', () => {
    const z = square(0, 0, 1).map(([x, y]) => [x, y, 120.5]);
    expect(prepared({ type: 'Polygon', coordinates: [z] })).toMatchObject({
      polygons: [[square(0, 0, 1)]],
      repairs: ['z_dropped'],
    });
  });

  test('an unclosed ring is closed', () => {
    expect(prepared(polygon(square(0, 0, 1).slice(0, -1)))).toMatchObject({
      polygons: [[square(0, 0, 1)]],
      repairs: ['ring_closed'],
    });
  });

  test('repeated positions are dropped, also where the ring closes', () => {
    const [a, b, c, d] = square(0, 0, 1) as [Position, Position, Position, Position];
    const repeated = prepared(polygon([a, a, b, c, c, c, d, a, a]));
    expect(repeated).toMatchObject({ polygons: [[square(0, 0, 1)]], repairs: ['duplicate_points_dropped'] });
  });

  test('winding follows RFC 7946, for shells and holes', () => {
    const wrong = prepared(polygon(clockwise(square(0, 0, 9)), square(2, 2, 1)));
    expect(wrong.repairs).toEqual(['winding_reversed']);
    expect(planarArea(wrong.polygons)).toBe(81 - 1);
    expect(planarArea([[wrong.polygons[0]![1]!]])).toBe(-1);
  });

  test('spikes are cut off, inside, outside, and where the ring closes', () => {
    const out = prepared(polygon(ring('0 0, 1 0, 3 0, 1 0, 1 1, 0 1, 0 0')));
    expect(out).toMatchObject({ polygons: [[square(0, 0, 1)]], repairs: ['spike_dropped'] });
    const seam = prepared(polygon(ring('0 3, 0 0, 1 0, 1 1, 0 1, 0 3')));
    expect(seam.repairs).toEqual(['spike_dropped']);
    expect(planarArea(seam.polygons)).toBe(1);
  });

  test('a part or a hole without area is dropped', () => {
    const line: Ring = ring('5 5, 6 5, 7 5, 5 5');
    const part = prepared({ type: 'MultiPolygon', coordinates: [[square(0, 0, 1)], [line]] });
    expect(part).toMatchObject({ polygons: [[square(0, 0, 1)]], repairs: ['zero_area_dropped'] });
    expect(prepared(polygon(square(0, 0, 9), line))).toMatchObject({
      polygons: [[square(0, 0, 9)]],
      repairs: ['zero_area_dropped'],
    });
  });
});

describe('repairs to rings that touch themselves or each other', () => {
  test.each([
    ['a bow-tie', '0 0, 2 2, 2 0, 0 2, 0 0', 'self_crossing_split', 2],
    [
      'a figure-eight that touches itself at a vertex',
      '0 0, 1 1, 2 0, 2 2, 1 1, 0 2, 0 0',
      'self_touch_split',
      2,
    ],
    ['a ring with a vertex on an edge of its own', '0 0, 4 0, 4 4, 2 0, 0 4, 0 0', 'self_touch_split', 8],
  ] as const)('%s keeps both lobes', (_, corners, repair, area) => {
    const split = prepared(polygon(ring(corners)));
    expect(split.repairs).toEqual([repair]);
    expect(split.polygons).toHaveLength(2);
    expect(planarArea(split.polygons)).toBe(area);
  });

  test('a ring that touches itself from inside becomes a shell and a hole', () => {
    const inverted = prepared(polygon(ring('0 0, 4 0, 4 4, 0 4, 0 0, 1 2, 2 1, 0 0')));
    expect(inverted.repairs).toEqual(['self_touch_split']);
    expect(inverted.polygons.map(part => part.length)).toEqual([2]);
    expect(planarArea(inverted.polygons)).toBe(16 - 1.5);
  });

  test('a ring drawn twice, a retraced bridge to a hole, and a pentagram keep their land once', () => {
    const once = square(0, 0, 4);
    expect(planarArea(prepared(polygon([...once, ...once.slice(1)])).polygons)).toBe(16);
    const keyhole = prepared(polygon([...once, [1, 1], [1, 2], [2, 2], [2, 1], [1, 1], [0, 0]]));
    expect(keyhole.polygons.map(part => part.length)).toEqual([2]);
    expect(planarArea(keyhole.polygons)).toBe(15);
    const star = prepared(polygon(ring('0 3, 2 -3, -3 1, 3 1, -2 -3, 0 3')));
    expect(pointInMultiPolygon([0, 0], star.polygons)).toBe('inside');
  });

  test('a hole across its shell is clipped to it', () => {
    const crossing = prepared(polygon(square(0, 0, 4), square(3, 1, 2)));
    expect(crossing.repairs).toEqual(['hole_outside_shell']);
    expect(planarArea(crossing.polygons)).toBe(16 - 2);
  });

  test('a hole beyond its shell is land, and becomes a part', () => {
    const stray = prepared(polygon(square(0, 0, 1), clockwise(square(3, 0, 2))));
    expect(stray.repairs).toEqual(['hole_outside_shell']);
    expect(stray.polygons).toHaveLength(2);
    expect(planarArea(stray.polygons)).toBe(5);
  });

  test('a hole outside its shell counts once where another part lies over it', () => {
    const coordinates = [[square(0, 0, 1), clockwise(square(5, 0, 2))], [square(6, 0, 2)]];
    const stray = prepared({ type: 'MultiPolygon', coordinates });
    expect(stray.repairs).toEqual(['hole_outside_shell', 'parts_merged']);
    expect(planarArea(stray.polygons)).toBe(1 + 6);
  });

  test('overlapping and nested holes remove their land once', () => {
    const overlapping = prepared(polygon(square(0, 0, 9), square(1, 1, 2), square(2, 2, 2)));
    expect(overlapping.repairs).toEqual(['holes_merged']);
    expect(planarArea(overlapping.polygons)).toBe(81 - 7);
    const nested = prepared(polygon(square(0, 0, 9), square(1, 1, 5), square(2, 2, 1)));
    expect(nested.repairs).toEqual(['holes_merged']);
    expect(planarArea(nested.polygons)).toBe(81 - 25);
  });

  test('a hole that cuts its shell in two leaves two parts', () => {
    const cut = prepared(polygon(square(0, 0, 4), ring('0 0, 1 2, 4 4, 2 1, 0 0')));
    expect(cut.repairs).toEqual(['self_touch_split']);
    expect(cut.polygons.map(part => part.length)).toEqual([1, 1]);
  });

  test.each([
    ['overlap', square(1, 1, 2), 7],
    ['share an edge', square(2, 0, 2), 8],
    ['lie within each other', square(0.5, 0.5, 1), 4],
    ['are the same', square(0, 0, 2), 4],
  ])('parts that %s are united', (_, other, area) => {
    const united = prepared({ type: 'MultiPolygon', coordinates: [[square(0, 0, 2)], [other]] });
    expect(united.repairs).toEqual(['parts_merged']);
    expect(united.polygons).toHaveLength(1);
    expect(planarArea(united.polygons)).toBe(area);
  });

  test('several repairs are all reported', () => {
    const ring = [
      [0, 0, 1],
      [2, 2, 1],
      [2, 2, 1],
      [2, 0, 1],
      [0, 2, 1],
    ];
    expect(prepared({ type: 'Polygon', coordinates: [ring] }).repairs).toEqual([
      'z_dropped',
      'ring_closed',
      'duplicate_points_dropped',
      'self_crossing_split',
    ]);
  });
});

describe('features of one parcel', () => {
  const lot = (x: number, y: number, size: number): MultiPolygon => [[square(x, y, size)]];

  test('identical features collapse to one', () => {
    expect(combineParts([lot(0, 0, 1), lot(0, 0, 1), lot(0, 0, 1)])).toEqual(lot(0, 0, 1));
  });

  test('separate features are put side by side, unchanged and in order', () => {
    // A vertex in mid-edge would not survive a clipper.
    const withMidpoint: MultiPolygon = [[ring('5 0, 5.5 0, 6 0, 6 1, 5 1, 5 0')]];
    expect(combineParts([withMidpoint, lot(0, 0, 1)])).toEqual([...withMidpoint, ...lot(0, 0, 1)]);
  });

  test("features whose extents overlap but that don't touch are unchanged, too", () => {
    const corner: MultiPolygon = [[ring('0 0, 4 0, 4 1, 1 1, 1 4, 0 4, 0 0')]];
    expect(combineParts([corner, lot(2, 2, 1)])).toEqual([...corner, ...lot(2, 2, 1)]);
  });

  test('features that overlap or share an edge are merged, and the others are left', () => {
    const united = combineParts([lot(0, 0, 2), lot(9, 9, 1), lot(1, 1, 2), lot(2, 0, 1)]);
    expect(united).toHaveLength(2);
    expect(united).toContainEqual(lot(9, 9, 1)[0]);
    expect(united[0]![0]!.length).toBeGreaterThan(5);
  });

  test('one part, and none', () => {
    expect(combineParts([lot(0, 0, 1)])).toEqual(lot(0, 0, 1));
    expect(combineParts([])).toEqual([]);
  });
});

describe('on the storage grid', () => {
  test('a part that rounding leaves without area, or reverses, is dropped', () => {
    const lot = square(-72, 43, 0.001);
    const sliver = ring('-71.99 43, -71.98999996 43.00000002, -71.98999998 43.00000004, -71.99 43');
    expect(snapToGrid([[lot], [sliver]])).toEqual([
      [lot.map(([x, y]) => [fromE7(toE7(x)), fromE7(toE7(y))])],
    ]);
    expect(snapToGrid([[sliver]])).toEqual([]);
  });

  test('a ring that crosses itself when rounded is split', () => {
    // The notch's tip is 0.4 units short of the opposite side, which rounding moves across it.
    const notched = ring('0 0, 0.00001 0.0000006, 0.00001 0.00001, 0.000005 0.00000034, 0 0.00001, 0 0');
    const rounded = decodeBoundary(encodeBoundary([[notched]]));
    expect(prepared({ type: 'MultiPolygon', coordinates: rounded }).repairs).not.toEqual([]);
    const snapped = snapToGrid([[notched]])!;
    expect(prepared({ type: 'MultiPolygon', coordinates: snapped })).toMatchObject({
      polygons: snapped,
      repairs: [],
    });
    expect(decodeBoundary(encodeBoundary(snapped))).toEqual(snapped);
  });
});

describe('rings with many thousand vertices', () => {
  const circle = (n: number): Ring => {
    const corners = Array.from({ length: n }, (_, i): Position => {
      const angle = (2 * Math.PI * i) / n;
      return [-72 + 0.01 * Math.cos(angle), 44 + 0.01 * Math.sin(angle)];
    });
    return [...corners, corners[0]!];
  };

  test('are searched for the one place where they cross', () => {
    const shape = circle(3000);
    [shape[1000], shape[1002]] = [shape[1002]!, shape[1000]!];
    expect(prepared(polygon(shape)).repairs).toEqual(['self_crossing_split']);
  });
});
