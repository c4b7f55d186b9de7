import { countyOf } from '../../../shared/model/property-id.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { batch } from '../../http/batch.ts';
import { inAll } from '../parcels/serial-lists.ts';

/** From a word up to another one, which is excluded. */
export type WordRange = readonly [begin: string, end: string];

/** Beyond every word that begins so. */
const LAST = '\u{10ffff}';

export const wholeWord = (word: string): WordRange => [word, `${word}\u0001`];
export const beginningOf = (word: string): WordRange => [word, `${word}${LAST}`];

/** Shorter beginnings are of too many words to be looked up, and are only compared. */
export const SHORTEST_BEGINNING = 2;

/**
 * How much is read for an answer: bytes of a word's serials in a county, and parcels that are looked at.
 * First little, which is enough for all but a few searches, then what bounds the work of one.
 */
const ROUNDS = [
  { alone: 400, several: 16_000, parcels: 200 },
  { alone: 400_000, several: 100_000_000, parcels: 5_000 },
];

type Question = {
  table: 'owner_words' | 'situs_words';
  /** Each term's ranges, any of which a parcel's words may lie in. */
  terms: readonly (readonly WordRange[])[];
};

type Candidates = { byCounty: ReadonlyMap<number, number[]>; cut: boolean };

export type WordSearch = {
  /** In the order in which they are looked through where one is nearer than another. */
  counties: readonly number[];
  near: boolean;
  /** Those who ask at once, one of a table, share a statement. */
  lookUp: (question: Question & { most: number }) => Promise<Candidates>;
};

export const searchWords = (db: Db, counties: readonly number[], near: boolean): WordSearch => ({
  counties,
  near,
  lookUp: batch(questions => listCandidates(db, questions)),
});

/**
 * The parcels with a word of every term, looked at until `wanted` of them are told to match.
 * @param read what is shown of the matching ones among some parcels
 */
export async function findByWords<Row>(
  { counties, near, lookUp }: WordSearch,
  question: Question,
  read: (propertyIds: number[]) => Promise<Row[]>,
  wanted: number,
): Promise<Row[]> {
  let rows: Row[] = [];
  for (const { alone, several, parcels } of ROUNDS) {
    const most = question.terms.length === 1 ? alone : several;
    const { byCounty, cut } = await lookUp({ ...question, most });
    const all = counties.flatMap(fips => byCounty.get(fips) ?? []);
    const chosen = all.length <= parcels ? all : choose(byCounty, counties, near, parcels);
    rows = chosen.length === 0 ? [] : await read(chosen);
    if ((!cut && chosen === all) || rows.length >= wanted) break;
  }
  return rows;
}

type Words = { table: string; fips: number; serials: string; cut: boolean };

async function listCandidates(
  db: Db,
  questions: readonly (Question & { most: number })[],
): Promise<Candidates[]> {
  const ranges = questions.flatMap(({ table, terms, most }) =>
    terms.flatMap((own, term) =>
      own.map(([begin, end]) => ({ table, term, begin, end, count: terms.length, most })),
    ),
  );
  const rows = await db.run<Words>('search/find_words', {
    tables: ranges.map(({ table }) => table),
    terms: ranges.map(({ term }) => term),
    begins: ranges.map(({ begin }) => begin),
    ends: ranges.map(({ end }) => end),
    counts: ranges.map(({ count }) => count),
    most: ranges.map(({ most }) => most),
  });
  return questions.map(({ table }) => {
    const own = rows.filter(row => row.table === table);
    const lists = new Map<number, Buffer[]>();
    for (const { fips, serials } of own)
      lists.set(fips, [...(lists.get(fips) ?? []), Buffer.from(serials, 'base64')]);
    const byCounty = new Map([...lists].map(([fips, some]) => [fips, inAll(some, fips)] as const));
    return { byCounty, cut: own.some(row => row.cut) };
  });
}

function choose(
  byCounty: ReadonlyMap<number, number[]>,
  counties: readonly number[],
  near: boolean,
  most: number,
): number[] {
  const share = near ? most : Math.ceil(most / byCounty.size);
  return counties.flatMap(fips => byCounty.get(fips)?.slice(0, share) ?? []).slice(0, most);
}

export const scopeOf = (propertyIds: readonly number[]) => ({
  counties: [...new Set(propertyIds.map(countyOf))],
  property_ids: propertyIds,
});
