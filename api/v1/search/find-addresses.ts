import { spellingsOf, spellingsOfPrefix } from '../../../shared/kernels/owner/address-spellings.ts';
import { wordsOf } from '../../../shared/kernels/owner/owner-words.ts';
import { STREET_SUFFIXES } from '../../../shared/kernels/owner/suffixes.ts';
import { acres } from '../../../shared/model/figures.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { shortApn } from '../../../shared/model/roll-text.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { STATES, stateOfFips } from '../../../shared/regions/states.ts';
import { type ParcelSummary, readSummaries, toSummary } from '../common/parcel-summary.ts';
import {
  beginningOf,
  findByWords,
  SHORTEST_BEGINNING,
  type WordRange,
  type WordSearch,
  wholeWord,
} from './find-words.ts';
import type { Match } from './search-result.ts';

/** A word of the search text, and the address words and place words that it could match. */
type Term = { street: WordRange[]; place: WordRange[]; fits(word: string): boolean };

/** No address has more than this. Limits the work that one search can cause. */
const MAX_TERMS = 10;
/** The prefix that city and ZIP words have in the table. */
const OF_PLACE = '@';

const STATE_CODES = new Set<string>(
  STATES.map(({ code }) => code).filter(code => !STREET_SUFFIXES.has(code)),
);

/** Some rolls pad house numbers with zeros. */
const MAX_HOUSE_DIGITS = 6;
const withZeros = (word: string): string[] =>
  /^[1-9]\d*$/.test(word)
    ? Array.from({ length: MAX_HOUSE_DIGITS - Math.min(word.length, MAX_HOUSE_DIGITS) }, (_, i) =>
        word.padStart(word.length + i + 1, '0'),
      )
    : [];

/** The last word can be incomplete, because the user may still be typing. */
function termsOf(words: readonly string[]): Term[] {
  return words.map((word, at) => {
    const isLast = at === words.length - 1;
    const spellings = new Set([
      ...(isLast ? spellingsOfPrefix(word) : spellingsOf(word)),
      ...withZeros(word),
    ]);
    const range = (spelling: string, before = ''): WordRange =>
      isLast && spelling === word ? beginningOf(before + spelling) : wholeWord(before + spelling);
    return {
      street: [...spellings].map(spelling => range(spelling)),
      place: [...spellings].map(spelling => range(spelling, OF_PLACE)),
      fits: other => spellings.has(other) || (isLast && other.startsWith(word)),
    };
  });
}

/**
 * The words to look up. A single word is looked up only in streets. Several words are looked up in streets
 * and places. A state is looked up only if there is nothing else, because rolls don't name their own state.
 */
function lookedUp(words: readonly string[], terms: readonly Term[]): WordRange[][] {
  const all = terms.map((term, at) => ({ ...term, word: words[at]!, isLast: at === terms.length - 1 }));
  const significant = all.filter(({ word }) => !STATE_CODES.has(word));
  const chosen = significant.length > 0 ? significant : all;
  return chosen
    .filter(({ word, isLast }) => !isLast || word.length >= SHORTEST_BEGINNING)
    .map(({ street, place }) => (chosen.length === 1 ? street : [...street, ...place]));
}

export const readParcels = async (db: Db, ids: readonly number[]): Promise<ParcelSummary[]> =>
  (await readSummaries(db, ids)).map(row => toSummary(row, ''));

/** Parcels whose address, city, ZIP, and state contain all words. One word must be in the street address. */
export async function findAddresses(
  db: Db,
  search: WordSearch,
  text: string,
  wanted: number,
): Promise<Match[]> {
  const words = wordsOf(text).split(' ');
  if (words.length > MAX_TERMS || !words.some(word => /\p{L}/u.test(word))) return [];
  const terms = termsOf(words);
  const indexed = lookedUp(words, terms);
  if (indexed.length === 0) return [];
  const read = async (ids: number[]) => {
    const parcels = await readParcels(db, ids);
    return parcels.filter(parcel => {
      const street = wordsOf(parcel.situs_address ?? '').split(' ');
      const place = wordsOf([parcel.situs_city, parcel.situs_zip].join(' ')).split(' ');
      const isAt = ({ fits }: Term) => street.some(word => fits(word));
      const isIn = ({ fits }: Term) => place.some(word => fits(word));
      const isMatch = (term: Term, at: number) => isAt(term) || isIn(term) || words[at] === stateOf(parcel);
      return terms.some(isAt) && terms.every(isMatch);
    });
  };
  const parcels = await findByWords(search, { table: 'situs_words', terms: indexed }, read, wanted);
  return parcels.map(parcel => ({
    score: scoreOf(parcel, words, terms),
    result: { type: 'address', label: addressOf(parcel), detail: detailOf(parcel), ...parcelPlace(parcel) },
  }));
}

const stateOf = ({ property_id: id, situs_state }: ParcelSummary) =>
  situs_state ?? stateOfFips(countyOf(id)) ?? '';

/** The score is highest if the address starts with the search words and has no others. */
function scoreOf({ situs_address }: ParcelSummary, words: readonly string[], terms: readonly Term[]): number {
  const own = wordsOf(situs_address ?? '').split(' ');
  const inOrder = own.findIndex((word, at) => !terms[at]?.fits(word));
  const begins = inOrder < 0 ? own.length : inOrder;
  const isWhole = begins === own.length;
  const isNumbered = /^\d/.test(words[0] ?? '') && begins > 0;
  return (
    (isNumbered ? 0.8 : 0.68) + (isWhole ? 0.08 : 0) + (0.05 * Math.min(begins, words.length)) / words.length
  );
}

/** "12 N MAIN ST, NEWPORT, NH 03773" */
export function addressOf(parcel: ParcelSummary): string {
  const end = [stateOf(parcel), parcel.situs_zip].filter(Boolean).join(' ');
  return [parcel.situs_address, parcel.situs_city, end].filter(Boolean).join(', ');
}

export function detailOf({ property_id: id, apn, effective_acres: size }: ParcelSummary): string {
  const facts = [
    countyText(countyOf(id)),
    apn && `APN ${shortApn(apn)}`,
    size !== null && `${acres(size)} acres`,
  ];
  return facts.filter(Boolean).join(' · ');
}

export const parcelPlace = ({ fips, property_id, situs_zip, point }: ParcelSummary) => ({
  ...(fips !== null && { fips }),
  ...(situs_zip !== null && { zip: situs_zip }),
  property_id,
  ...(point !== null && { point }),
});
