import { allCounties, type County } from './counties.ts';
import { stateCode } from './states.ts';

/**
 * Former names: Dade until 1997, Wade Hampton and Shannon until 2015. Source:
 * https://www.census.gov/programs-surveys/geography/technical-documentation/county-changes.html
 */
const FORMER_NAMES: readonly County[] = [
  { fips: 12086, name: 'Dade', state: 'FL' },
  { fips: 2158, name: 'Wade Hampton', state: 'AK' },
  { fips: 46102, name: 'Shannon', state: 'SD' },
];

/**
 * County codes starting at 510 are independent cities.
 * https://www.census.gov/library/reference/code-lists/ansi.html
 */
const FIRST_INDEPENDENT_CITY = 510;

const KIND_BEFORE = /^(?:city and county|city and borough|municipality|county|city|parish) of /;
const KIND_AFTER =
  / (?:county|co|cnty|parish|city and borough|borough|census area|ca|municipality|municipio|planning region|region|district|island|city)$/;

/** Normalizes a name: lowercase, without accents, with single spaces between words and "st" for Saint. */
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

/** Ignores spaces, so that LaSalle matches La Salle, and De Kalb matches DeKalb. */
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
 * 'Parish', or similar. null if the state has no such county. If a county and an independent city share a
 * name (Baltimore, Fairfax …), 'city' selects the city.
 * @param state USPS code or full name
 */
export function countyByName(name: string, state: string): number | null {
  const code = stateCode(state);
  if (code === undefined) return null;
  const { counties, cities } = names();
  const find = (map: Map<string, number>, words: string) => map.get(`${code} ${joined(words)}`);

  const words = plainWords(name);
  // Try the name unchanged first, because 'City' is part of some names: James City is a county, and Carson
  // City is a city.
  const exactMatch = find(counties, words) ?? find(cities, words);
  if (exactMatch !== undefined) return exactMatch;

  const bare = words.replace(KIND_BEFORE, '').replace(KIND_AFTER, '');
  const isCity = / city$|^city of /.test(words);
  const match = isCity
    ? (find(cities, bare) ?? find(counties, bare))
    : (find(counties, bare) ?? find(cities, bare));
  return match ?? null;
}
