import { countyOf } from '../../../shared/model/property-id.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { batch } from '../../http/batch.ts';
import { inAll } from '../parcels/serial-lists.ts';

/** A range of words. The end is exclusive. */
export type WordRange = readonly [begin: string, end: string];

/** Sorts after every word that has the same start. */
const LAST = '\u{10ffff}';

export const wholeWord = (word: string): WordRange => [word, `${word}\u0001`];
export const beginningOf = (word: string): WordRange => [word, `${word}${LAST}`];

/**
 * Shorter prefixes match too many words to look up, so they are only compared with parcels that were already
 * found.
 */
export const SHORTEST_BEGINNING = 2;

/**
 * How much a search reads: bytes of a word's serials in a county, and parcels to check. The first round is
 * enough for nearly all searches. The second round limits the work that one search can cause.
 */
const ROUNDS = [
  { alone: 400, several: 16_000, parcels: 200 },
  { alone: 400_000, several: 100_000_000, parcels: 5_000 },
];

type Question = {
  table: 'owner_words' | 'situs_words';
  /** Ranges for each term. A parcel matches a term if one of its words is in one of the ranges. */
  terms: readonly (readonly WordRange[])[];
};

type Candidates = { byCounty: ReadonlyMap<number, number[]>; cut: boolean };

export type WordSearch = {
  /** Counties to search, nearest first if `near` is set. */
  counties: readonly number[];
  near: boolean;
  /** Concurrent lookups share a statement. */
  lookUp: (question: Question & { most: number }) => Promise<Candidates>;
};

export const searchWords = (db: Db, counties: readonly number[], near: boolean): WordSearch => ({
  counties,
  near,
  lookUp: batch(questions => listCandidates(db, questions)),
});

/**
 * Finds parcels that have a word for every term, until `wanted` of them match.
 * @param read checks parcels and returns the rows to show
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
