import geographiclib from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { type GroundScale, metersPerUnit } from '../../../../shared/kernels/terrain/ground.ts';
import { hornSlopes } from '../../../../shared/kernels/terrain/horn.ts';
import { addCells, newTerrainSums, terrainOf } from '../../../../shared/kernels/terrain/terrain.ts';
import {
  areaCells,
  type CellPolygon,
  coverCells,
  windowOf,
} from '../../../../shared/kernels/terrain/terrain-coverage.ts';

const ring = (...points: [number, number][]) => Float64Array.from([...points, points[0]!].flat());

function fractionsOf(polygon: CellPolygon): number[][] {
  const window = windowOf(polygon[0]!);
  const { fractions, stride } = coverCells(polygon, window);
  return Array.from({ length: window.rows }, (_, row) => [
    ...fractions.subarray(row * stride, row * stride + window.columns),
  ]);
}

const close = (rows: number[][]) => rows.map(row => row.map(value => expect.closeTo(value, 12)));

describe('coverage of cells', () => {
  test('a rectangle covers its cells by the share of each', () => {
    const rectangle = [ring([10.25, 5.5], [12.5, 5.5], [12.5, 7], [10.25, 7])];
    expect(windowOf(rectangle[0]!)).toEqual({ left: 10, top: 5, columns: 3, rows: 2 });
    expect(fractionsOf(rectangle)).toEqual(
      close([
        [0.375, 0.5, 0.25],
        [0.75, 1, 0.5],
      ]),
    );
  });

  test('a triangle that crosses several cells in a row', () => {
    expect(fractionsOf([ring([0, 0], [4, 0], [0, 1])])).toEqual(close([[0.875, 0.625, 0.375, 0.125]]));
  });

  test('holes are subtracted, whatever the winding of either ring', () => {
    const shell: [number, number][] = [
      [0, 0],
      [3, 0],
      [3, 3],
      [0, 3],
    ];
    const hole: [number, number][] = [
      [1, 1],
      [2, 1],
      [2, 1.5],
      [1, 1.5],
    ];
    const expected = close([
      [1, 1, 1],
      [1, 0.5, 1],
      [1, 1, 1],
    ]);
    for (const outer of [shell, shell.toReversed()]) {
      for (const inner of [hole, hole.toReversed()]) {
        expect(fractionsOf([ring(...outer), ring(...inner)])).toEqual(expected);
        expect(areaCells([ring(...outer), ring(...inner)])).toBeCloseTo(8.5, 12);
      }
    }
  });

  test('a lot within one cell', () => {
    expect(fractionsOf([ring([7.1, 3.2], [7.3, 3.2], [7.3, 3.6], [7.1, 3.6])])).toEqual(close([[0.08]]));
  });
});

describe("Horn's gradient", () => {
  const slopesOf = (at: (column: number, row: number) => number, xM: number, yM: number) => {
    const heights = Float64Array.from({ length: 25 }, (_, i) => at(i % 5, Math.floor(i / 5)));
    const slopes = new Float32Array(9);
    hornSlopes(heights, 3, 3, { xM: new Float64Array(3).fill(xM), yM: new Float64Array(3).fill(yM) }, slopes);
    return [...slopes];
  };

  test("a plane has its own gradient everywhere, even with cells that aren't square", () => {
    // 6 m up over 20 m east, 4 m up over 5 m south.
    for (const slope of slopesOf((x, y) => 6 * x + 4 * y, 20, 5)) {
      expect(slope).toBeCloseTo(100 * Math.hypot(0.3, 0.8), 4);
    }
  });

  test('the middle rows and columns count double', () => {
    // One cell 8 m up: its direct neighbors see 2 * 8 / 8 over the cell, those at the
    // corners 8 / 8 both ways.
    const slopes = slopesOf((x, y) => (x === 2 && y === 2 ? 8 : 0), 10, 10);
    expect(slopes[4]).toBe(0);
    expect(slopes[1]).toBeCloseTo(20, 4);
    expect(slopes[0]).toBeCloseTo(10 * Math.SQRT2, 4);
  });

  test('a cell without elevation invalidates the slope of all nine, including its own', () => {
    const slopes = slopesOf((x, y) => (x === 1 && y === 1 ? Number.NaN : x), 10, 10);
    expect(slopes.map(Number.isNaN)).toEqual([true, true, false, true, true, false, false, false, false]);
  });
});

describe('meters on the ground', () => {
  const { WGS84 } = geographiclib.Geodesic;

  test.each([0, 25, 44.8, 71])('a degree at latitude %d is as long as its geodesic', latitude => {
    const meters = metersPerUnit({ kind: 'degrees' }, latitude);
    const step = 1e-4;
    expect(meters.x).toBeCloseTo(WGS84.Inverse(latitude, 0, latitude, step).s12! / step, 2);
    expect(meters.y).toBeCloseTo(
      WGS84.Inverse(latitude - step / 2, 0, latitude + step / 2, 0).s12! / step,
      2,
    );
  });

  test('a nominal meter of Web Mercator shrinks with latitude', () => {
    const a = 6_378_137;
    const latitude = 44.8;
    const y = a * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
    const meters = metersPerUnit({ kind: 'webMercator' }, y);
    const step = 1e-4;
    const unitsEast = (a * step * Math.PI) / 180;
    const unitsNorth = unitsEast / Math.cos((latitude * Math.PI) / 180);
    expect(meters.x).toBeCloseTo(WGS84.Inverse(latitude, 0, latitude, step).s12! / unitsEast, 6);
    expect(meters.y).toBeCloseTo(
      WGS84.Inverse(latitude - step / 2, 0, latitude + step / 2, 0).s12! / unitsNorth,
      6,
    );
  });

  test('other projections use their unit as is', () => {
    const feet: GroundScale = { kind: 'planar', x: 1200 / 3937, y: 1200 / 3937 };
    expect(metersPerUnit(feet, 5e6)).toEqual({ x: 1200 / 3937, y: 1200 / 3937 });
  });
});

describe('shares of a parcel', () => {
  const cells = <T extends Float32Array | Float64Array>(values: T) => ({ values, stride: 4, offset: 0 });
  const sumsOf = (fractions: number[], heights: number[], slopes: number[]) => {
    const sums = newTerrainSums([5, 10, 20]);
    addCells(
      sums,
      4,
      1,
      cells(Float64Array.from(fractions)),
      cells(Float32Array.from(heights)),
      cells(Float32Array.from(slopes)),
    );
    return sums;
  };

  test('cells count by the fraction covered; a slope that equals a grade is not steeper', () => {
    const terrain = terrainOf(sumsOf([1, 0.5, 0.25, 0], [100, 110, 90, 1], [5, 12, 30, 90]), 1.75)!;
    expect(terrain.steeperPercent).toEqual([100 * (0.75 / 1.75), 100 * (0.75 / 1.75), 100 * (0.25 / 1.75)]);
    expect(terrain.minElevationM).toBe(90);
    expect(terrain.maxElevationM).toBe(110);
    expect(terrain.meanElevationM).toBeCloseTo((100 + 55 + 22.5) / 1.75, 10);
    expect(terrain.meanSlopePercent).toBeCloseTo((5 + 6 + 7.5) / 1.75, 10);
  });

  test('cells without data are left out; with data for under half of the parcel, the result is unknown', () => {
    const { NaN: none } = Number;
    const half = sumsOf([1, 1, 1, 1], [1, 2, none, none], [30, 3, none, none]);
    expect(terrainOf(half, 4)?.steeperPercent).toEqual([50, 50, 50]);
    expect(terrainOf(half, 4)?.knownShare).toBe(0.5);
    expect(terrainOf(half, 4.01)).toBeNull();
    expect(terrainOf(sumsOf([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]), 0)).toBeNull();
  });

  test('the mean elevation is over the cells with an elevation, the mean slope over those with a slope', () => {
    const { NaN: none } = Number;
    // Slopes need nine heights, so that fewer cells have one.
    const terrain = terrainOf(sumsOf([1, 1, 1, 1], [100, 110, 120, 130], [none, 10, 20, none]), 4)!;
    expect(terrain.meanElevationM).toBe(115);
    expect(terrain.meanSlopePercent).toBe(15);
  });

  test('the whole parcel is 100, to the last digit', () => {
    const terrain = terrainOf(sumsOf([0.1, 0.2, 0.3, 0.7], [1, 1, 1, 1], [30, 12, 7, 40]), 1.3)!;
    expect(terrain.steeperPercent[0]).toBe(100);
  });
});
