import type { Db } from '../../../shared/platform/db.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { plainWords } from '../../../shared/regions/county-names.ts';
import { nearestCounty } from '../../../shared/regions/county-polygons.ts';
import { splitState } from '../../../shared/regions/search-counties.ts';
import { stateOfFips } from '../../../shared/regions/states.ts';
import { beginningOf } from './find-words.ts';
import type { LoadedCounty, Match } from './search-result.ts';

type Named = { name: string; class: string; words: string; lon: number; lat: number };

/** Some names are shared by a hundred streams. */
const MOST = 100;

/** Lakes, hills, neighborhoods, and other named places, by the start of their names. */
export async function findNames(
  db: Db,
  text: string,
  loaded: ReadonlyMap<number, LoadedCounty>,
): Promise<Match[]> {
  const { name, state } = splitState(plainWords(text));
  if (name === '') return [];
  const [begin, end] = beginningOf(name);
  const found = await db.run<Named>('search/find_names', { begin, end, limit: MOST });
  return found.flatMap(({ name: label, class: what, words, lon, lat }): Match[] => {
    const point = [lon / 1e7, lat / 1e7];
    const fips = nearestCounty(point[0]!, point[1]!);
    if (state !== undefined && (fips === null || stateOfFips(fips) !== state)) return [];
    const score = (words === name ? 0.87 : 0.56) + (fips !== null && loaded.has(fips) ? 0.05 : 0);
    const detail = fips === null ? what : `${what} in ${countyText(fips)}`;
    return [
      {
        score,
        result: { type: 'place', label, detail, ...(fips !== null && { fips: fiveDigits(fips) }), point },
      },
    ];
  });
}
