import { feature } from 'topojson-client';
import { describe, expect, test } from 'vitest';
import { readCountyTopology } from '../../../shared/regions/counties.ts';
import { countyAt, countyExtent, nearestCounty } from '../../../shared/regions/county-polygons.ts';

describe("a point's county", () => {
  test.each([
    ['Washington NH', -72.1, 43.17, 33_019],
    ['Bangor ME', -68.77, 44.8, 23_019],
    ['Hartford CT, in a planning region', -72.68, 41.76, 9_110],
    ['Valdez AK, in Chugach', -146.35, 61.13, 2_063],
    ['Glennallen AK, in Copper River', -145.55, 62.11, 2_066],
    ['San Juan PR', -66.06, 18.41, 72_127],
    ['Key West FL, an outlying part', -81.78, 24.555, 12_087],
    ['Fairfax city VA, a hole in its county', -77.305, 38.85, 51_600],
    ['the county around it', -77.25, 38.85, 51_059],
    ['Attu AK, west of 180 degrees', 173.0, 52.9, 2_016],
  ])('%s', (_, lon, lat, fips) => {
    expect(countyAt(lon, lat)).toBe(fips);
  });

  test.each([
    ['the Atlantic', -60, 35],
    ['Lake Superior, Canadian side', -86, 48.4],
    ['Null Island', 0, 0],
    ['no point', Number.NaN, 43],
  ])('is none in %s', (_, lon, lat) => {
    expect(countyAt(lon, lat)).toBeNull();
    expect(nearestCounty(lon, lat)).toBeNull();
  });

  test('on a boundary is one of the neighbors, never none', () => {
    const topology = readCountyTopology();
    const { features } = feature(topology, topology.objects.counties);
    const shared = new Map<string, Set<number>>();
    for (const { id, geometry } of features) {
      if (geometry.type !== 'Polygon' || !/^(19|20|31)/.test(String(id))) continue;
      for (const [lon, lat] of geometry.coordinates.flat() as [number, number][]) {
        const key = `${lon} ${lat}`;
        shared.set(key, (shared.get(key) ?? new Set()).add(Number(id)));
      }
    }
    // A vertex of three counties in the middle of the country is surrounded by counties.
    const corners = [...shared].filter(([, counties]) => counties.size >= 3);
    expect(corners.length).toBeGreaterThan(200);
    for (const [key, counties] of corners) {
      const [lon, lat] = key.split(' ').map(Number) as [number, number];
      expect(counties).toContain(countyAt(lon, lat));
    }
  });
});

describe('the nearest county', () => {
  test('is the county itself inside it', () => {
    expect(nearestCounty(-72.1, 43.17)).toBe(33_019);
  });

  test('is found just off the coast, but not beyond the tolerance', () => {
    const palmBeach = 12_099;
    let shore = -80.2;
    while (countyAt(shore, 26.7) === palmBeach) shore += 0.001;
    expect(countyAt(shore + 0.03, 26.7)).toBeNull();
    expect(nearestCounty(shore + 0.03, 26.7)).toBe(palmBeach);
    expect(nearestCounty(shore + 0.3, 26.7)).toBeNull();
    expect(nearestCounty(shore + 0.3, 26.7, 1)).toBe(palmBeach);
  });
});

describe("a county's extent", () => {
  test('contains its points', () => {
    const [west, south, east, north] = countyExtent(33_019)!;
    expect([west < -72.1, -72.1 < east, south < 43.17, 43.17 < north]).toEqual([true, true, true, true]);
    expect([east - west, north - south].every(side => side > 0.3 && side < 1)).toBe(true);
  });

  test('is unknown for an invalid code', () => {
    expect(countyExtent(99_999)).toBeUndefined();
  });
});
