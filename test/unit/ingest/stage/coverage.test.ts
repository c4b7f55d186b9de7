import type { Geometry } from 'geojson';
import { describe, expect, test } from 'vitest';
import type { Extent } from '../../../../shared/geo/types.ts';
import {
  boxText,
  emptyExtent,
  growExtent,
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

test('how much of a box another one holds', () => {
  expect(sharedPercent([0, 0, 2, 2], [1, 1, 3, 3])).toBe(25);
  expect(sharedPercent([0, 0, 2, 2], [-1, -1, 3, 3])).toBe(100);
  expect(sharedPercent([0, 0, 2, 2], [3, 0, 4, 2])).toBe(0);
  expect(sharedPercent([0, 1, 2, 1], [0, 0, 1, 2])).toBe(100);
});

test('a box in the text of PostgreSQL', () => {
  expect(boxText([-72.5, 43, -72.1234567, 44])).toBe('(-721234567,440000000),(-725000000,430000000)');
});
