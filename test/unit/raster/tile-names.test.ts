import { describe, expect, test } from 'vitest';
import { tilesOfBounds } from '../../../workers/ingest/layers/stage-tiles.ts';

const names = (bounds: [number, number, number, number]) => tilesOfBounds('{tile}', bounds);

describe('names of 3DEP tiles', () => {
  test('a tile is named after its northwest corner', () => {
    expect(
      tilesOfBounds('https://host/13/TIFF/{tile}/USGS_13_{tile}.tif', [-68.9, 44.7, -68.7, 44.9]),
    ).toEqual(['https://host/13/TIFF/n45w069/USGS_13_n45w069.tif']);
  });

  test('bounds across corners include all tiles they touch, from north to south', () => {
    expect(names([-69.1, 43.9, -68.9, 44.1])).toEqual(['n45w070', 'n45w069', 'n44w070', 'n44w069']);
  });

  test("bounds on whole degrees don't include the tiles beyond", () => {
    expect(names([-69, 44, -68, 45])).toEqual(['n45w069']);
  });

  test('east of Greenwich and south of the equator', () => {
    // Guam, American Samoa.
    expect(names([144.6, 13.2, 144.9, 13.6])).toEqual(['n14e144']);
    expect(names([-170.8, -14.4, -170.5, -14.2])).toEqual(['s14w171']);
    expect(names([-0.5, -0.5, 0.5, 0.5])).toEqual(['n01w001', 'n01e000', 'n00w001', 'n00e000']);
  });

  test.each([
    ['no place for the name', 'tile.tif', [-69, 44, -68, 45], /\{tile\}/],
    ['bounds the wrong way round', '{tile}', [-68, 44, -69, 45], /not a box/],
    ['bounds in metres', '{tile}', [511060, 4958330, 522240, 4969830], /not a box/],
    ['bounds of the world', '{tile}', [-180, -90, 180, 90], /64800 tiles/],
  ] as const)('%s is refused', (_, template, bounds, message) => {
    expect(() => tilesOfBounds(template, [...bounds])).toThrow(message);
  });
});
