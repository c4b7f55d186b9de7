import { describe, expect, test } from 'vitest';
import { SLOPE_COLORS } from '../../../shared/drawing/drawing-style.ts';
import { viewOf } from '../../../shared/drawing/map-extent.ts';
import { drawCells, gradeOf } from '../../../shared/drawing/parcel-map.ts';
import type { SlopeCell } from '../../../shared/raster/elevation-grid.ts';
import { square } from '../../support/parcels.ts';
import { elementsOf, parseXml } from '../../support/xml.ts';

const [LON, LAT] = [-72, 43];
const STEP = 1e-4;

function cell(column: number, row: number, slopePercent: number | null, fraction = 1): SlopeCell {
  const at = (x: number, y: number): [number, number] => [LON + x * STEP, LAT - y * STEP];
  return {
    corners: [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)],
    slopePercent,
    elevationM: 100,
    fraction,
  };
}

function draw(cells: SlopeCell[]) {
  const view = viewOf(square(LON, LAT), 40, 900, 740);
  const svg = parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${drawCells(cells, view)}`);
  return elementsOf(svg)
    .filter(({ name }) => name === 'path')
    .map(({ attributes: { fill, 'fill-opacity': opacity, d } }) => ({
      fill,
      opacity: Number(opacity),
      rectangles: d!.split('M').length - 1,
    }));
}

describe('cells of slope', () => {
  test('have the color of the grades that they exceed', () => {
    expect([0, 0.5, 0.51, 5, 49.9, 50, 51, null].map(gradeOf)).toEqual([0, 0, 1, 2, 10, 10, 11, null]);
    const slopes = [0.2, 1, 3, 6, 8, 12, 17, 22, 27, 35, 45, 90];
    const paths = draw(slopes.map((slope, i) => cell(i, 0, slope)));
    expect(paths.map(({ fill }) => fill)).toEqual([...SLOPE_COLORS]);
  });

  test('are fainter the less of them is covered; without data they are gray', () => {
    const paths = draw([cell(0, 0, 3, 1), cell(1, 0, 3, 0.5), cell(2, 0, 3, 0.1), cell(3, 0, null)]);
    expect(paths.map(({ opacity }) => opacity)).toEqual([0.65, 0.325, 0.065, 0.65]);
    expect(paths.at(-1)!.fill).toBe('#9e9e9e');
  });

  test('become one rectangle if adjacent in a row, and one path per color', () => {
    const row = (y: number) => Array.from({ length: 50 }, (_, x) => cell(x, y, x < 30 ? 3 : 12));
    expect(draw([...row(0), ...row(1)])).toEqual([
      { fill: SLOPE_COLORS[2], opacity: 0.65, rectangles: 2 },
      { fill: SLOPE_COLORS[5], opacity: 0.65, rectangles: 2 },
    ]);
    expect(draw([cell(0, 0, 3), cell(2, 0, 3)])[0]!.rectangles).toBe(2);
  });

  test('are few elements, however many cells there are', () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      cell(i % 200, Math.floor(i / 200), (i * 7) % 60, ((i * 13) % 100) / 100 + 0.005),
    );
    expect(draw(many).length).toBeLessThanOrEqual(12 * 20);
  });
});
