import { allCounties, type County } from './counties.ts';
import { stateCode } from './states.ts';

/**
 * Dade 1997, Wade Hampton and Shannon 2015:
 * https://www.census.gov/programs-surveys/geography/technical-documentation/county-changes.html
 */
const FORMER_NAMES: readonly County[] = [
  { fips: 12086, name: 'Dade', state: 'FL' },
  { fips: 2158, name: 'Wade Hampton', state: 'AK' },
  { fips: 46102, name: 'Shannon', state: 'SD' },
];

/**
 * County codes from 510 on are independent cities.
 * https://www.census.gov/library/reference/code-lists/ansi.html
 */
const FIRST_INDEPENDENT_CITY = 510;

const KIND_BEFORE = /^(?:city and county|city and borough|municipality|county|city|parish) of /;
const KIND_AFTER =
  / (?:county|co|cnty|parish|city and borough|borough|census area|ca|municipality|municipio|planning region|region|district|island|city)$/;

/** Lower case, unaccented, words apart by one space, Saint as st. */
export function plainWords(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}|['’.]/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/\bsaint\b/g, 'st')
    .replace(/\bsainte\b/g, 'ste')
    .trim();
}

/** Spaces don't distinguish counties: LaSalle and La Salle, De Kalb and DeKalb. */
const joined = (words: string): string => words.replaceAll(' ', '');

type Names = { counties: Map<string, number>; cities: Map<string, number> };

let cached: Names | undefined;

function names(): Names {
  if (cached) return cached;
  cached = { counties: new Map(), cities: new Map() };
  for (const county of [...FORMER_NAMES, ...allCounties()]) {
    const map = county.fips % 1000 >= FIRST_INDEPENDENT_CITY ? cached.cities : cached.counties;
    map.set(`${county.state} ${joined(plainWords(county.name))}`, county.fips);
  }
  return cached;
}

/**
 * The FIPS code of the county that a source names, in any case and spelling, with or without 'County',
 * 'Parish', or the like. null if the state has none.
 * If a county and an independent city share a name (Baltimore, Fairfax …), 'city' selects the city.
 * @param state USPS code or full name
 */
export function countyByName(name: string, state: string): number | null {
  const code = stateCode(state);
  if (code === undefined) return null;
  const { counties, cities } = names();
  const find = (map: Map<string, number>, words: string) => map.get(`${code} ${joined(words)}`);

  const words = plainWords(name);
  // First the name as it is: James City is a county, Carson City a city, and neither name ends
  // where 'City' starts.
  const asItStands = find(counties, words) ?? find(cities, words);
  if (asItStands !== undefined) return asItStands;

  const bare = words.replace(KIND_BEFORE, '').replace(KIND_AFTER, '');
  const isCity = / city$|^city of /.test(words);
  const match = isCity
    ? (find(cities, bare) ?? find(counties, bare))
    : (find(counties, bare) ?? find(cities, bare));
  return match ?? null;
}
