import { addToGroup } from '../../../shared/kernels/groups.ts';
import { likeLiteral } from '../../../shared/kernels/owner/owner-words.ts';
import { filledUp } from '../../../shared/model/roll-text.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { inAll, SERIAL_BYTES } from './serial-lists.ts';

/** Reading the names of this many parcels costs less than the lists of the words that most owners have. */
const FEW_PARCELS = 1_000;

/** For shorter pieces the whole index is read, five times as long as all words of the county. */
const TRIGRAM = 3;

const lengthOf = (piece: string) => [...piece].length;

const patternsOf = (pieces: readonly string[]) => pieces.map(piece => `%${likeLiteral(piece)}%`);

/**
 * Ids, ascending, of a county's parcels whose owner's name holds all pieces: by the words of the owners, and
 * where these leave something open, by the names.
 * @param pieces one at least, none with white space
 */
export async function findByOwner(db: Db, fips: number, pieces: readonly string[]): Promise<number[]> {
  const long = pieces.filter(piece => lengthOf(piece) >= TRIGRAM);
  const short = pieces.filter(piece => lengthOf(piece) === 2);
  // Single characters alone: every name is looked at, a second for 2,000,000.
  if (long.length + short.length === 0) return listMatching(db, fips, null, pieces);
  const lists = await listSerials(db, fips, long, 'w.word');
  if (lists.every(list => list.length > FEW_PARCELS * SERIAL_BYTES))
    lists.push(...(await listSerials(db, fips, short, "w.word || ''")));
  const matches = inAll(lists, fips);
  if (lists.length === pieces.length || matches.length === 0) return matches;
  return listMatching(db, fips, matches, pieces);
}

/** Of these parcels, or of all on the roll of the county, those whose owner's name holds all pieces. */
async function listMatching(
  db: Db,
  fips: number,
  ids: readonly number[] | null,
  pieces: readonly string[],
): Promise<number[]> {
  const values = { fips, property_ids: ids, patterns: patternsOf(pieces) };
  const rows = await db.run<{ property_id: number }>('parcels/list_matching_owners', values, {});
  return rows.map(row => row.property_id);
}

/**
 * By piece the serials of the parcels that have it, in any order and some repeatedly; of the rarest piece
 * alone where those are few.
 */
async function listSerials(db: Db, fips: number, pieces: readonly string[], word: string): Promise<Buffer[]> {
  if (pieces.length === 0) return [];
  const values = { fips, patterns: patternsOf(pieces), few: FEW_PARCELS };
  const rows = await db.run<{ serials: string }>('parcels/find_owner_words', values, { word });
  return rows.map(row => Buffer.from(row.serials, 'base64'));
}

/**
 * Ids, ascending, of a county's parcels with this number, and whose owner's name holds all pieces, if any: as
 * it is written, case aside; if no parcel has it, those with the same groups of letters and digits, however
 * they are parted; if none has these either, those with the groups filled up with zeros, as the county does.
 */
export async function findByApn(
  db: Db,
  fips: number,
  apn: string,
  pieces: readonly string[],
): Promise<number[]> {
  const patterns = patternsOf(pieces);
  const find = async (number: string) =>
    matching(
      await db.run<FoundApn & { owned: boolean }>('parcels/find_apn', {
        fips,
        apn: number,
        patterns,
      }),
      number,
    );
  let rows = await find(apn);
  if (rows.length === 0) {
    const forms = await readForms(db, fips);
    rows = (await Promise.all(forms(apn).map(find))).flat();
  }
  const ids = rows.filter(row => row.owned).map(row => row.property_id);
  return ids.sort((a, b) => a - b);
}

type FoundApn = { property_id: number; apn: string };

/** How a county would write a number: 16-70-5 is 000016 000070 000005 in one. */
async function readForms(db: Db, fips: number): Promise<(apn: string) => string[]> {
  const counties = await db.run<{ apn_shapes: string[] }>('parcels/read_apn_shapes', { fips });
  const shapes = counties.flatMap(({ apn_shapes }) => apn_shapes);
  return apn => [...new Set(shapes.flatMap(shape => filledUp(apn, shape) ?? []))];
}

/**
 * Of parcels with a number, however it is parted, those that have it as it is written, case aside; only where
 * none has, those with the same groups of letters and digits.
 */
function matching<Row extends { apn: string }>(rows: readonly Row[], apn: string): Row[] {
  const plain = (text: string) => text.trim().toUpperCase();
  const groups = (text: string) =>
    plain(text)
      .match(/\p{L}+|\p{N}+/gu)
      ?.join(' ') ?? '';
  const exact = rows.filter(row => plain(row.apn) === plain(apn));
  const alike = /^\d+$/.test(plain(apn)) ? rows : rows.filter(row => groups(row.apn) === groups(apn));
  return [...(exact.length > 0 ? exact : alike)];
}

/** Ids of a county's parcels by their numbers, as `findByApn` finds them; only numbers that have some. */
export async function findByApns(
  db: Db,
  fips: number,
  apns: readonly string[],
): Promise<Map<string, number[]>> {
  const found = await findWritten(db, fips, apns);
  const missing = apns.filter(apn => !found.has(apn));
  if (missing.length === 0) return found;
  const forms = await readForms(db, fips);
  const byForm = await findWritten(db, fips, [...new Set(missing.flatMap(forms))]);
  for (const apn of missing) {
    const ids = forms(apn).flatMap(form => byForm.get(form) ?? []);
    if (ids.length > 0) found.set(apn, ids);
  }
  return found;
}

async function findWritten(db: Db, fips: number, apns: readonly string[]): Promise<Map<string, number[]>> {
  if (apns.length === 0) return new Map();
  const rows = await db.run<FoundApn & { asked: string }>('parcels/find_apns', { fips, apns });
  const byNumber = new Map<string, typeof rows>();
  for (const row of rows) addToGroup(byNumber, row.asked, row);
  return new Map(
    [...byNumber].flatMap(([asked, parcels]) => {
      const ids = matching(parcels, asked).map(row => row.property_id);
      return ids.length === 0 ? [] : [[asked, ids] as const];
    }),
  );
}
