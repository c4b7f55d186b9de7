import { expect, test } from 'vitest';
import { searchCounties } from '../../../shared/regions/search-counties.ts';

const namesOf = (text: string) => searchCounties(text).counties.map(({ name, state }) => `${name}, ${state}`);

test('a county is found by its code, by its name or the start of it, and in a state', () => {
  expect(namesOf('33019')).toEqual(['Sullivan, NH']);
  expect(namesOf('1001')).toEqual(['Autauga, AL']);
  expect(namesOf('Sullivan')).toEqual(
    expect.arrayContaining(['Sullivan, NH', 'Sullivan, TN', 'Sullivan, PA']),
  );
  for (const text of ['sullivan nh', 'Sullivan, NH', 'SULLIVAN COUNTY, New Hampshire', 'sulliv nh'])
    expect(namesOf(text)).toEqual(['Sullivan, NH']);
  expect(namesOf('st. louis mn')).toEqual(['St. Louis, MN']);
  expect(namesOf('LaSalle IL')).toEqual(namesOf('La Salle, Illinois'));
  expect(namesOf('orleans parish, la')).toEqual(['Orleans, LA']);
});

test('a state alone lists its counties; a name that is both is a county first', () => {
  expect(namesOf('WI')).toHaveLength(72);
  expect(namesOf('Vermont')).toHaveLength(14);
  expect(namesOf('Washington').length).toBeGreaterThan(25);
});

test('an unknown name suggests similar counties', () => {
  expect(searchCounties('Sulivan, NH')).toMatchObject({
    counties: [],
    near: [{ name: 'Sullivan', state: 'NH' }],
  });
  expect(searchCounties('09001').near.map(({ fips }) => fips)).toEqual([9120, 9140, 9190]);
  expect(searchCounties('')).toEqual({ counties: [], near: [] });
  expect(searchCounties('qqqqqq')).toEqual({ counties: [], near: [] });
});
