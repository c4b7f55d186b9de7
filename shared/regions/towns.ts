import { plainWords } from './county-names.ts';
import { stateOfFips } from './states.ts';
import { readZips } from './zip-file.ts';

/**
 * A place with one or more post offices of that name, and their ZIPs. `fips` is the county with the most of
 * these ZIPs.
 */
export type Town = {
  name: string;
  /** In the format of `plainWords`. */
  words: string;
  state: string;
  fips: number;
  zips: string[];
  lon: number;
  lat: number;
};

let cached: readonly Town[] | undefined;

/** Every town, one per name and state, sorted by `words`. The file is read once (41,000 lines, 0.4 s). */
export function allTowns(): readonly Town[] {
  if (cached) return cached;
  const towns = new Map<string, Town & { counties: number[] }>();
  for (const { zip, town: name, fips, lon, lat } of readZips().zips) {
    const state = stateOfFips(fips)!;
    const words = plainWords(name);
    const town = towns.get(`${state} ${words}`);
    if (town === undefined)
      towns.set(`${state} ${words}`, { name, words, state, fips, zips: [zip], lon, lat, counties: [fips] });
    else {
      town.zips.push(zip);
      town.counties.push(fips);
    }
  }
  cached = [...towns.values()]
    .map(({ counties, ...town }) => ({ ...town, fips: mostFrequent(counties) }))
    .sort((a, b) => (a.words < b.words ? -1 : 1));
  return cached;
}

export function townsByPrefix(words: string): readonly Town[] {
  const towns = allTowns();
  let first = 0;
  for (let end = towns.length; first < end; ) {
    const middle = (first + end) >>> 1;
    if (towns[middle]!.words < words) first = middle + 1;
    else end = middle;
  }
  let end = first;
  while (towns[end]?.words.startsWith(words)) end++;
  return towns.slice(first, end);
}

function mostFrequent(codes: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
