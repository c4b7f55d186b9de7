import fc from 'fast-check';
import type { Geometry } from 'geojson';
import { describe, expect, test } from 'vitest';
import {
  boxArraySql,
  boxOfGeometry,
  boxSql,
  boxToE7,
  emptyBox,
  growBox,
  isEmptyBox,
  withMarginE7,
} from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { ring } from '../../support/rings.ts';

describe('the box around raw geometries', () => {
  const around = (...geometries: unknown[]): Box => {
    const box = emptyBox();
    for (const geometry of geometries) {
      const own = boxOfGeometry(geometry as Geometry | null);
      if (own) growBox(box, own);
    }
    return box;
  };

  test('contains every position of every type', () => {
    expect(
      around(
        { type: 'Point', coordinates: [1, 2, 99] },
        {
          type: 'MultiPolygon',
          coordinates: [[ring('3 4, 5 -6, 3 4')]],
        },
        {
          type: 'GeometryCollection',
          geometries: [
            {
              type: 'LineString',
              coordinates: ring('-7 8, 0 0'),
            },
          ],
        },
        null,
      ),
    ).toEqual([-7, -6, 5, 8]);
  });

  test('leaves out positions that are off the globe, both coordinates together', () => {
    const wrong = [
      {
        type: 'LineString',
        coordinates: ring('1 2, 500000 4000000'),
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
    expect(isEmptyBox(around(...wrong))).toBe(true);
  });
});

test('a margin is at least as wide as it says, everywhere on earth', () => {
  fc.assert(
    fc.property(fc.integer({ min: -72, max: 72 }), fc.integer({ min: 1, max: 500 }), (latitude, meters) => {
      const box: Box = [-720_000_000, latitude * 1e7, -719_990_000, latitude * 1e7 + 10_000];
      const grown = withMarginE7(box, meters);
      // Of the WGS84 ellipsoid: meters of a degree of latitude and of longitude.
      const phi = ((latitude + (latitude < 0 ? 0 : 0.001)) * Math.PI) / 180;
      const [a, e2] = [6_378_137, 0.006694379990141];
      const w = Math.sqrt(1 - e2 * Math.sin(phi) ** 2);
      const up = (Math.PI / 180) * ((a * (1 - e2)) / w ** 3);
      const across = (Math.PI / 180) * (a / w) * Math.cos(phi);
      expect(((box[1] - grown[1]) / 1e7) * up).toBeGreaterThanOrEqual(meters);
      expect(((grown[3] - box[3]) / 1e7) * up).toBeGreaterThanOrEqual(meters);
      expect(((box[0] - grown[0]) / 1e7) * across).toBeGreaterThanOrEqual(meters);
      expect(((grown[2] - box[2]) / 1e7) * across).toBeGreaterThanOrEqual(meters);
      // And not much wider.
      expect(((grown[3] - box[3]) / 1e7) * up).toBeLessThanOrEqual(1.05 * meters + 1);
    }),
  );
});

test('is written as PostgreSQL reads it', () => {
  expect(boxSql(boxToE7([-72.5, 43, -72.1234567, 44]))).toBe('(-721234567,440000000),(-725000000,430000000)');
  expect(
    boxArraySql([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]),
  ).toBe('{(3,4),(1,2);(7,8),(5,6)}');
});
