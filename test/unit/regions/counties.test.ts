import { describe, expect, test } from 'vitest';
import { allCounties, fiveDigits } from '../../../shared/regions/counties.ts';
import { countyByName } from '../../../shared/regions/county-names.ts';
import { STATES, stateCode, stateOfFips } from '../../../shared/regions/states.ts';

describe('the county list', () => {
  const counties = allCounties();
  const named = (fips: number) => counties.find(county => county.fips === fips);

  test('has every county and county equivalent once, in ascending order', () => {
    expect(counties.length).toBe(3_233);
    const codes = counties.map(county => county.fips);
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b));
    expect(new Set(counties.map(county => county.state)).size).toBe(STATES.length);
  });

  test.each([
    [33_019, 'Sullivan', 'NH'],
    [23_019, 'Penobscot', 'ME'],
    [35_013, 'Doña Ana', 'NM'],
    [9_110, 'Capitol', 'CT'],
    [9_190, 'Western Connecticut', 'CT'],
    [2_063, 'Chugach', 'AK'],
    [2_066, 'Copper River', 'AK'],
    [72_127, 'San Juan', 'PR'],
    [66_010, 'Guam', 'GU'],
  ])('%i is %s, %s', (fips, name, state) => {
    expect(named(fips)).toEqual({ fips, name, state });
  });

  test('has none that was abolished', () => {
    // Connecticut's counties, Valdez-Cordova, Shannon, Bedford city.
    for (const fips of [9_001, 9_015, 2_261, 46_113, 51_515]) expect(named(fips)).toBeUndefined();
  });

  test('codes have five digits', () => {
    expect([fiveDigits(1_001), fiveDigits(33_019)]).toEqual(['01001', '33019']);
  });
});

describe('states', () => {
  test('are 50, the District of Columbia and five island areas', () => {
    expect(STATES.length).toBe(56);
    expect(new Set(STATES.map(state => state.code)).size).toBe(56);
  });

  test('are found by county, by code and by name', () => {
    expect([stateOfFips(33_019), stateOfFips(1_001), stateOfFips(3_001)]).toEqual(['NH', 'AL', undefined]);
    expect([stateCode('nh'), stateCode(' New Hampshire '), stateCode('Atlantis')]).toEqual([
      'NH',
      'NH',
      undefined,
    ]);
  });
});

describe('a county by its name', () => {
  test('every county is found by its own name, unless an independent city shares it', () => {
    const wrong = allCounties().filter(({ fips, name, state }) => countyByName(name, state) !== fips);
    expect(wrong.map(county => `${county.name}, ${county.state}`)).toEqual([
      'Baltimore, MD',
      'St. Louis, MO',
      'Fairfax, VA',
      'Franklin, VA',
      'Richmond, VA',
      'Roanoke, VA',
    ]);
    for (const { fips, name, state } of wrong) expect(countyByName(`${name} city`, state)).toBe(fips);
  });

  test.each([
    ['Sullivan County', 'NH', 33_019],
    ['SULLIVAN CO.', 'New Hampshire', 33_019],
    ['DONA ANA', 'NM', 35_013],
    ['doña ana county', 'nm', 35_013],
    ['La Salle Parish', 'LA', 22_059],
    ['LaSalle', 'LA', 22_059],
    ['De Kalb', 'IL', 17_037],
    ['Saint Clair', 'AL', 1_115],
    ['St Clair County', 'AL', 1_115],
    ['Sainte Genevieve', 'MO', 29_186],
    ["Prince George's", 'MD', 24_033],
    ['PRINCE GEORGES', 'MD', 24_033],
    ['O’Brien', 'IA', 19_141],
    ['Baltimore', 'MD', 24_005],
    ['Baltimore County', 'MD', 24_005],
    ['Baltimore (city)', 'MD', 24_510],
    ['City of Richmond', 'VA', 51_760],
    ['Alexandria City', 'VA', 51_510],
    ['James City', 'VA', 51_095],
    ['James City County', 'VA', 51_095],
    ['Charles City', 'VA', 51_036],
    ['Carson City', 'NV', 32_510],
    ['City and County of San Francisco', 'CA', 6_075],
    ['Municipality of Anchorage', 'AK', 2_020],
    ['Matanuska-Susitna Borough', 'AK', 2_170],
    ['Yukon-Koyukuk Census Area', 'AK', 2_290],
    ['Sitka City and Borough', 'AK', 2_220],
    ['Capitol Planning Region', 'CT', 9_110],
    ['Mayaguez Municipio', 'PR', 72_097],
    ['Dade', 'FL', 12_086],
    ['Miami-Dade', 'FL', 12_086],
    ['Shannon', 'SD', 46_102],
    ['Bedford city', 'VA', 51_019],
  ])('%s, %s is %i', (name, state, fips) => {
    expect(countyByName(name, state)).toBe(fips);
  });

  test.each([
    ['Hartford', 'CT'],
    ['Sullivan', 'ME'],
    ['Sullivan', 'XX'],
    ['', 'NH'],
    ['County', 'NH'],
  ])('"%s", %s is none', (name, state) => {
    expect(countyByName(name, state)).toBeNull();
  });
});
