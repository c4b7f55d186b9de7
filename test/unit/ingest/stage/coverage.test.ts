import type { Geometry } from 'geojson';
import { describe, expect, test } from 'vitest';
import type { Extent } from '../../../../shared/kernels/geometry/types.ts';
import {
  boxText,
  emptyExtent,
  growExtent,
  grownBy,
  isEmptyExtent,
  rawExtent,
  sharedPercent,
} from '../../../../workers/ingest/stage/coverage.ts';

describe('the box around raw geometries', () => {
  const boxOf = (...geometries: unknown[]): Extent => {
    const box = emptyExtent();
    for (const geometry of geometries) {
      const own = rawExtent(geometry as Geometry | null);
      if (own) growExtent(box, own);
    }
    return box;
  };

  test('holds every position of every type', () => {
    expect(
      boxOf(
        { type: 'Point', coordinates: [1, 2, 99] },
        {
          type: 'MultiPolygon',
          coordinates: [
            [
              [
                [3, 4],
                [5, -6],
                [3, 4],
              ],
            ],
          ],
        },
        {
          type: 'GeometryCollection',
          geometries: [
            {
              type: 'LineString',
              coordinates: [
                [-7, 8],
                [0, 0],
              ],
            },
          ],
        },
        null,
      ),
    ).toEqual([-7, -6, 5, 8]);
  });

  test('leaves out what is not on the globe, as a whole', () => {
    const wrong = [
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [500_000, 4_000_000],
        ],
      },
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          ['x', 4],
        ],
      },
      { type: 'Point', coordinates: [] },
      { type: 'GeometryCollection', geometries: [null] },
    ];
    expect(isEmptyExtent(boxOf(...wrong))).toBe(true);
  });
});

test.each([0, 43, 71])(
  'a box grown by 100 m at latitude %i reaches that far on the ground, and hardly further',
  latitude => {
    const [west, south, east, north] = grownBy(100, [-72, latitude - 0.1, -71, latitude]);
    // WGS84: metres of a degree of latitude and of longitude there.
    const phi = (latitude * Math.PI) / 180;
    const up = 111_132.954 - 559.822 * Math.cos(2 * phi) + 1.175 * Math.cos(4 * phi);
    const aside = 111_412.84 * Math.cos(phi) - 93.5 * Math.cos(3 * phi) + 0.118 * Math.cos(5 * phi);
    for (const metres of [(north - latitude) * up, (latitude - 0.1 - south) * up]) {
      expect(metres).toBeGreaterThanOrEqual(99.99);
      expect(metres).toBeLessThan(101.5);
    }
    for (const metres of [(-72 - west) * aside, (east + 71) * aside]) {
      expect(metres).toBeGreaterThanOrEqual(99.99);
      expect(metres).toBeLessThan(101.5);
    }
  },
);

test('how much of a box another one holds', () => {
  expect(sharedPercent([0, 0, 2, 2], [1, 1, 3, 3])).toBe(25);
  expect(sharedPercent([0, 0, 2, 2], [-1, -1, 3, 3])).toBe(100);
  expect(sharedPercent([0, 0, 2, 2], [3, 0, 4, 2])).toBe(0);
  expect(sharedPercent([0, 1, 2, 1], [0, 0, 1, 2])).toBe(100);
});

test('a box in the text of PostgreSQL', () => {
  expect(boxText([-72.5, 43, -72.1234567, 44])).toBe('(-721234567,440000000),(-725000000,430000000)');
});
