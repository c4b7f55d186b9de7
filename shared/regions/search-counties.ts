import { nearMatches } from '../base/near-words.ts';
import { regionsOfFormer } from './connecticut.ts';
import { allCounties, type County } from './counties.ts';
import { plainWords } from './county-names.ts';
import { STATES, type StateCode, stateCode } from './states.ts';

/** `near` is what may have been meant where nothing is called so. */
export type CountySearch = { counties: County[]; near: County[] };

const KIND = / (?:county|parish|borough|census area|municipality|municipio|planning region)$/;
const MAX_NEAR = 5;

/** Counties by FIPS code, by how a name begins, with or without a state after it, or by a state alone. */
export function searchCounties(text: string): CountySearch {
  const all = allCounties();
  const plain = plainWords(text);
  if (plain === '') return { counties: [], near: [] };
  if (/^\d+$/.test(plain)) {
    const counties = all.filter(({ fips }) => fips === Number(plain));
    const regions = regionsOfFormer(Number(plain)) as number[];
    return { counties, near: all.filter(({ fips }) => regions.includes(fips)) };
  }
  const { name, state } = splitState(plain);
  const within = all.filter(county => state === undefined || county.state === state);
  const counties = within.filter(county => startsAWord(wordsOfName(county.name), name));
  // Washington is a name of counties, and a state.
  if (state === undefined && counties.length === 0) {
    const ofState = all.filter(county => county.state === stateOf(plain));
    if (ofState.length > 0) return { counties: ofState, near: [] };
  }
  if (counties.length > 0) return { counties, near: [] };
  const names = nearMatches(name, new Set(within.map(county => county.name)), MAX_NEAR);
  return {
    counties,
    near: names.flatMap(each => within.filter(county => county.name === each)).slice(0, MAX_NEAR),
  };
}

const namesInWords = new Map<string, string>();

/** Remembered, as a search reads those of all counties. */
function wordsOfName(name: string): string {
  const words = namesInWords.get(name) ?? plainWords(name);
  namesInWords.set(name, words);
  return words;
}

const startsAWord = (county: string, name: string): boolean =>
  ` ${county}`.includes(` ${name}`) || county.replaceAll(' ', '').startsWith(name.replaceAll(' ', ''));

const STATE_OF_WORDS = new Map<string, StateCode>(
  STATES.map(({ name, code }) => [plainWords(name), code] as const),
);
const stateOf = (words: string): StateCode | undefined => STATE_OF_WORDS.get(words) ?? stateCode(words);

/** 'sullivan county new hampshire' in name and state; two letters alone are a state. */
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
