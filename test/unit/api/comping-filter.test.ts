import { expect, test } from 'vitest';
import { inOrder, isShown, readFilters, type Shown } from '../../../api/pages/comping/comping-filter.ts';

const comp = (given: Partial<Shown>): Shown => ({
  id: 'x',
  status: 'SOLD',
  acres: 10,
  price: 50_000,
  days_on_market: 40,
  age: 100,
  distance_m: 3_000,
  zip: '03280',
  fips: '33019',
  photos: [],
  steps: 1,
  lon: -72.1,
  lat: 43.2,
  ...given,
});
const AREA = JSON.stringify({
  type: 'Polygon',
  coordinates: [
    [
      [-72.2, 43.1],
      [-72, 43.1],
      [-72, 43.3],
      [-72.2, 43.3],
      [-72.2, 43.1],
    ],
  ],
});

test.each([
  ['', {}, true],
  ['status=', {}, false],
  ['status=ACTIVE&status=PENDING', {}, false],
  ['status=ACTIVE&status=SOLD', {}, true],
  ['miles=2', { distance_m: 3_218 }, true],
  ['miles=2', { distance_m: 3_219 }, false],
  ['acres_min=10&acres_max=10', {}, true],
  ['acres_max=1,000', { acres: 999 }, true],
  ['acres_min=10.01', {}, false],
  ['ppa_min=5000&ppa_max=5000', {}, true],
  ['ppa_max=4999', {}, false],
  ['age=99', {}, false],
  ['age=100', { age: null }, false],
  ['dom_min=41', {}, false],
  ['dom_max=40', { days_on_market: null }, false],
  ['min_photos=1', {}, false],
  ['min_photos=1', { photos: ['a'] }, true],
  ['zip=03281', {}, false],
  ['fips=33019', {}, true],
  ['fips=8023', { fips: '08023' }, true],
  ['acres_min=much', {}, true],
  [`polygon=${AREA}`, {}, true],
  [`polygon=${AREA}`, { lon: -71.9 }, false],
  ['polygon={', { lon: -71.9 }, true],
])('%s of %j: %s', (asked, given, shown) => {
  expect(isShown(comp(given), readFilters(new URLSearchParams(asked)))).toBe(shown);
});

test('unknown values come last in either order, ties in order of similarity', () => {
  const comps = [
    comp({ id: 'unknown', days_on_market: null }),
    comp({ id: 'far', steps: 2 }),
    comp({ id: 'long', days_on_market: 90 }),
    comp({ id: 'near', steps: 0.5 }),
  ];
  const ids = (order: string) => inOrder(comps, order).map(({ id }) => id);
  expect(ids('dom')).toEqual(['near', 'far', 'long', 'unknown']);
  expect(ids('-dom')).toEqual(['long', 'near', 'far', 'unknown']);
  expect(ids('no such order')[0]).toBe('near');
});

test('an unknown order falls back to that of the steps, even if it is an inherited property name', () => {
  const comps = [comp({ id: 'a', steps: 2 }), comp({ id: 'b', steps: 1 })];
  for (const order of ['__proto__', 'constructor', 'x'])
    expect(inOrder(comps, order).map(({ id }) => id)).toEqual(['b', 'a']);
});
