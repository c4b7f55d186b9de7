import { countyOf } from '../../../shared/domain/property-id.ts';
import type { Database } from '../../http/database.ts';
import { inAll } from '../parcels/serial-lists.ts';

/** From a word up to another one, which is excluded. */
export type WordRange = readonly [begin: string, end: string];

/** Beyond every word that begins so. */
const LAST = '\u{10ffff}';

export const wholeWord = (word: string): WordRange => [word, `${word}\u0001`];
export const beginningOf = (word: string): WordRange => [word, `${word}${LAST}`];

/**
 * How much is read for an answer: bytes of a word's serials in a county, and parcels that are looked at.
 * First little, which is enough for all but a few searches, then what bounds the work of one.
 */
const ROUNDS = [
  { alone: 400, several: 16_000, parcels: 400 },
  { alone: 400_000, several: 100_000_000, parcels: 5_000 },
];

type Source = {
  table: 'owner_words' | 'situs_words';
  /** Each term's ranges, any of which a parcel's words may lie in. */
  terms: readonly (readonly WordRange[])[];
  /** In the order in which they are looked through where one is nearer than another. */
  counties: readonly number[];
  near: boolean;
};

/**
 * The parcels with a word of every term, looked at until `wanted` of them are told to match.
 * @param read what is shown of the matching ones among some parcels
 */
export async function findByWords<Row>(
  database: Database,
  { table, terms, counties, near }: Source,
  read: (propertyIds: number[]) => Promise<Row[]>,
  wanted: number,
): Promise<Row[]> {
  let rows: Row[] = [];
  for (const { alone, several, parcels } of ROUNDS) {
    const most = terms.length === 1 ? alone : several;
    const { byCounty, cut } = await listCandidates(database, { table, terms, counties, most });
    const chosen = choose(byCounty, counties, near, parcels);
    rows = chosen.length === 0 ? [] : await read(chosen);
    const all = !cut && chosen.length === [...byCounty.values()].reduce((sum, ids) => sum + ids.length, 0);
    if (all || rows.length >= wanted) break;
  }
  return rows;
}

type Words = { fips: number; serials: string; cut: boolean };

async function listCandidates(
  database: Database,
  { table, terms, counties, most }: Omit<Source, 'near'> & { most: number },
): Promise<{ byCounty: Map<number, number[]>; cut: boolean }> {
  const ranges = terms.flatMap((own, term) => own.map(([begin, end]) => ({ term, begin, end })));
  const rows = await database.runComposed<Words>(
    'search/find_words',
    { table },
    {
      terms: ranges.map(({ term }) => term),
      begins: ranges.map(({ begin }) => begin),
      ends: ranges.map(({ end }) => end),
      count: terms.length,
      counties,
      most,
    },
  );
  const lists = new Map<number, Buffer[]>();
  for (const { fips, serials } of rows)
    lists.set(fips, [...(lists.get(fips) ?? []), Buffer.from(serials, 'base64')]);
  const byCounty = new Map([...lists].map(([fips, own]) => [fips, inAll(own, fips)] as const));
  return { byCounty, cut: rows.some(row => row.cut) };
}

/** The nearest ones, or some of each county. */
function choose(
  byCounty: ReadonlyMap<number, number[]>,
  counties: readonly number[],
  near: boolean,
  most: number,
): number[] {
  const share = near ? most : Math.ceil(most / Math.max(1, byCounty.size));
  const chosen = counties.flatMap(fips => byCounty.get(fips)?.slice(0, share) ?? []);
  const total = [...byCounty.values()].reduce((sum, ids) => sum + ids.length, 0);
  return total <= most ? [...byCounty.values()].flat() : chosen.slice(0, most);
}

/** What statements on parcels take. */
export const scopeOf = (propertyIds: readonly number[]) => ({
  counties: [...new Set(propertyIds.map(countyOf))],
  property_ids: propertyIds,
});
