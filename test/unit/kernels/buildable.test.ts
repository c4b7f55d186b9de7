import { describe, expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { groundOf, type UnbuildableReason } from '../../../shared/kernels/buildable.ts';
import { box, groundAt, type XY } from '../../support/frontage-ground.ts';

// Land drawn in meters. 60 feet are 18.288 m.
const { shape } = groundAt([-72, 43]);

type Layers = Partial<Record<UnbuildableReason, MultiPolygon[]>>;

function measure(parcel: MultiPolygon, layers: Layers = {}) {
  const ground = groundOf(parcel);
  for (const [reason, shapes] of Object.entries(layers))
    for (const polygon of shapes.flat()) ground.add(reason as UnbuildableReason, polygon);
  return ground.measure();
}

/** Within a hundredth of the parcel. */
const about = (share: number) => expect.closeTo(share, 2);
const FIELD = shape(box(0, 0, 200, 200));

describe('what is left of a parcel', () => {
  test('is all of it without layers, but for corners that a disk does not reach', () => {
    const { buildable, piece, reasons } = measure(FIELD);
    expect(buildable).toBeCloseTo(1, 9);
    expect(piece).toBeGreaterThan(0.99);
    expect(piece).toBeLessThan(1);
    expect(reasons).toEqual({ wetlands: 0, flood_zone: 0, water: 0, steep: 0 });
  });

  test('counts overlapping polygons once, of one layer or several', () => {
    const west = shape(box(-50, -50, 80, 250));
    const middle = shape(box(60, -50, 120, 250));
    const { buildable, reasons } = measure(FIELD, { wetlands: [west, west, middle], flood_zone: [middle] });
    expect(reasons).toEqual({ wetlands: about(0.6), flood_zone: about(0.3), water: 0, steep: 0 });
    expect(buildable).toEqual(about(0.4));
  });

  test('includes the island in a pond, whatever the winding of its ring', () => {
    const pond = [box(50, 50, 150, 150), box(80, 80, 120, 120)];
    for (const rings of [pond, pond.map(ring => ring.toReversed()), [pond[0]!, pond[1]!.toReversed()]])
      expect(measure(FIELD, { water: [shape(...rings)] }).buildable).toEqual(about(1 - 0.25 + 0.04));
  });

  test('excludes the hole of a parcel, and adds its parts', () => {
    const parts = [...shape(box(0, 0, 100, 100), box(40, 40, 60, 60)), ...shape(box(200, 0, 300, 100))];
    const { buildable, reasons } = measure(parts, { steep: [shape(box(30, 30, 70, 70))] });
    expect(reasons.steep).toEqual(about(1200 / 19_600));
    expect(buildable).toEqual(about(18_400 / 19_600));
  });

  test('is nothing of a parcel that is in the water', () => {
    expect(measure(FIELD, { water: [shape(box(-500, -500, 500, 500))] })).toMatchObject({
      buildable: 0,
      piece: 0,
      reasons: { water: 1 },
    });
  });

  test('is all of it if the layers are elsewhere', () => {
    const around = [box(-90, 0, -10, 200), box(210, 0, 290, 200), box(0, 210, 200, 290)].map(ring =>
      shape(ring),
    );
    expect(measure(FIELD, { wetlands: around })).toMatchObject({
      buildable: expect.closeTo(1, 9),
      reasons: { wetlands: 0 },
    });
  });

  test('leaves out an area given by its edges', () => {
    const ground = groundOf(FIELD);
    const [ring] = shape(box(50, 50, 150, 150))[0]!;
    for (let i = 1; i < ring!.length; i++) ground.addEdge('steep', ring![i - 1]!, ring![i]!);
    expect(ground.measure()).toMatchObject({ buildable: about(0.75), reasons: { steep: about(0.25) } });
  });
});

describe('the largest piece', () => {
  test.each([
    [55, 0],
    [62, 1],
  ])('of a lot that is %d feet wide has a share of %d', (feet, share) => {
    const lot = box(0, 0, feet * 0.3048, 120);
    expect(measure(shape(lot)).piece).toBeCloseTo(share, 1);
    const turned = lot.map(([x, y]): XY => [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y]);
    expect(measure(shape(turned)).piece).toBeCloseTo(share, 1);
  });

  test.each([
    [40, 0.6],
    [80, 1],
  ])('with a gap of %d feet in the water between has a share of %d', (feet, share) => {
    const top = feet * 0.3048;
    const wall = [shape(box(119, top, 121, 240))];
    expect(measure(shape(box(0, 0, 200, 240)), { water: wall }).piece).toBeCloseTo(share, 1);
  });

  test('is the larger of two pieces, not the sum', () => {
    const { buildable, piece } = measure(FIELD, { wetlands: [shape(box(60, -10, 80, 210))] });
    expect(buildable).toEqual(about(0.9));
    expect(piece).toBeCloseTo(0.6, 1);
  });

  test('ends where the land is too narrow', () => {
    const key: XY[] = [...box(0, 0, 100, 100).slice(0, 2), [100, 45], [200, 45], [200, 55], [100, 55]];
    const parcel = shape([...key, [100, 100], [0, 100]]);
    const { buildable, piece } = measure(parcel);
    expect(buildable).toBeCloseTo(1, 9);
    expect(piece).toBeCloseTo(10_000 / 11_000, 1);
  });
});

test.each([
  ['0.01 acres', 6.4],
  ['20,000 acres', 9_000],
])('a parcel of %s is measured', (_acres, side) => {
  const half = [shape(box(0, 0, side / 2, side))];
  const { buildable, reasons } = measure(shape(box(0, 0, side, side)), { flood_zone: half });
  expect(buildable).toEqual(about(0.5));
  expect(reasons.flood_zone).toEqual(about(0.5));
});

test('a corridor of 65 ft joins the ends of a parcel of a mile, although its rows are far apart', () => {
  // Half of 66 ft, measured eastward, on a line that goes 200 m east and 1,500 m north.
  const half = 10.06;
  const ends: XY[][] = [
    [
      [50 - half, 0],
      [250 - half, 1500],
      [200, 1500],
      [200, 1600],
      [300, 1600],
      [300, 1500],
    ],
    [
      [250 + half, 1500],
      [50 + half, 0],
      [100, 0],
      [100, -100],
      [0, -100],
      [0, 0],
    ],
  ];
  const ring = [...ends[0]!, ...ends[1]!];
  const { piece } = measure(shape([...ring, ring[0]!]));
  expect(piece).toBeGreaterThan(0.98);
});
