import { likeLiteral, withoutApostrophes, wordsOf } from '../../../shared/kernels/owner/owner-words.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { beginningOf, findByWords, SHORTEST_BEGINNING, scopeOf, type WordSearch } from './find-words.ts';
import type { Match } from './search-result.ts';

/** No owner name needs more than this. Limits the work that one search can cause. */
const MAX_PIECES = 10;

/** Strips punctuation around words. Punctuation inside a word is kept. */
const piecesOf = (text: string) =>
  withoutApostrophes(text)
    .split(/\s+/u)
    .map(piece => piece.replace(/^[,;.]+|[,;.]+$/g, ''))
    .filter(piece => piece !== '');

type Owner = { fips: number; name: string; parcels: number };

/** Owners by county. Every piece of the text must be the start of a word in the name. */
export async function findOwners(db: Db, search: WordSearch, text: string, wanted: number): Promise<Match[]> {
  const pieces = piecesOf(text);
  const indexed = pieces.filter(piece => [...piece].length >= SHORTEST_BEGINNING);
  if (pieces.length > MAX_PIECES || indexed.length === 0 || !/\p{L}/u.test(text)) return [];
  const patterns = pieces.map(piece => `% ${likeLiteral(piece)}%`);
  const owners = await findByWords(
    search,
    { table: 'owner_words', terms: indexed.map(piece => [beginningOf(piece)]) },
    ids => db.run<Owner>('search/list_owners', { ...scopeOf(ids), patterns }),
    wanted,
  );
  const asked = wordsOf(text);
  return owners.map(({ fips, name }) => ({
    score: scoreOf(wordsOf(name), asked),
    result: { type: 'owner', label: name, detail: countyText(fips), fips: fiveDigits(fips) },
  }));
}

/** From best to worst: the whole name, the start of the name, whole words, and starts of words. */
function scoreOf(name: string, asked: string): number {
  if (name === asked) return 0.85;
  if (name.startsWith(`${asked} `)) return 0.75;
  if (asked.split(' ').every(word => ` ${name} `.includes(` ${word} `))) return 0.7;
  return name.startsWith(asked) ? 0.66 : 0.62;
}
