import { nearMatches } from '../platform/near-words.ts';
import { regionsOfFormer } from './connecticut.ts';
import { allCounties, type County } from './counties.ts';
import { plainWords } from './county-names.ts';
import { STATES, type StateCode, stateCode } from './states.ts';

/** `near` has similar names if nothing matches. */
export type CountySearch = { counties: County[]; near: County[] };

const KIND = / (?:county|parish|borough|census area|municipality|municipio|planning region)$/;
const MAX_NEAR = 5;

/**
 * Finds counties by FIPS code, by the start of the name (optionally followed by a state), or by state alone.
 */
export function searchCounties(text: string): CountySearch {
  const counties = matchCounties(text);
  const plain = plainWords(text);
  if (counties.length > 0 || plain === '') return { counties, near: [] };
  const all = allCounties();
  if (/^\d+$/.test(plain)) {
    const regions = regionsOfFormer(Number(plain)) as number[];
    return { counties, near: all.filter(({ fips }) => regions.includes(fips)) };
  }
  const { name, state } = splitState(plain);
  const within = all.filter(county => state === undefined || county.state === state);
  const names = nearMatches(name, new Set(within.map(county => county.name)), MAX_NEAR);
  return {
    counties,
    near: names.flatMap(each => within.filter(county => county.name === each)).slice(0, MAX_NEAR),
  };
}

/** Like `searchCounties`, but without similar names, which take ten times as long. */
export function matchCounties(text: string): County[] {
  const all = allCounties();
  const plain = plainWords(text);
  if (plain === '') return [];
  if (/^\d+$/.test(plain)) return all.filter(({ fips }) => fips === Number(plain));
  const { name, state } = splitState(plain);
  const [wordStart, joined] = [` ${name}`, name.replaceAll(' ', '')];
  const counties = allNames()
    .filter(each => state === undefined || each.county.state === state)
    .filter(each => each.words.includes(wordStart) || each.joined.startsWith(joined))
    .map(each => each.county);
  // Try counties first, because Washington is the name of both counties and a state.
  if (state !== undefined || counties.length > 0) return counties;
  const named = stateOf(plain);
  return named === undefined ? [] : all.filter(county => county.state === named);
}

type Named = { county: County; words: string; joined: string };

let namesInWords: readonly Named[] | undefined;

/** The text to search for each county, created once. */
function allNames(): readonly Named[] {
  namesInWords ??= allCounties().map(county => {
    const words = plainWords(county.name);
    return { county, words: ` ${words}`, joined: words.replaceAll(' ', '') };
  });
  return namesInWords;
}

const STATE_OF_WORDS = new Map<string, StateCode>(
  STATES.map(({ name, code }) => [plainWords(name), code] as const),
);
const stateOf = (words: string): StateCode | undefined => STATE_OF_WORDS.get(words) ?? stateCode(words);

/**
 * Splits a text such as 'sullivan county new hampshire' into name and state. A two-letter state code alone is
 * a state.
 */
export function splitState(plain: string): { name: string; state?: StateCode } {
  const words = plain.split(' ');
  if (plain.length === 2 && stateCode(plain) !== undefined) return { name: '', state: stateCode(plain)! };
  for (const at of [words.length - 1, words.length - 2, words.length - 3]) {
    const state = at > 0 ? stateOf(words.slice(at).join(' ')) : undefined;
    if (state !== undefined) return { name: bare(words.slice(0, at).join(' ')), state };
  }
  return { name: bare(plain) };
}

const bare = (name: string): string => name.replace(KIND, '');
