import { groupBy } from '../../../shared/kernels/groups.ts';
import { likeLiteral } from '../../../shared/kernels/owner/owner-words.ts';
import { filledUp } from '../../../shared/model/roll-text.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { inAll, SERIAL_BYTES } from './serial-lists.ts';

/** Reading the names of this many parcels is cheaper than reading the lists of common words. */
const FEW_PARCELS = 1_000;

/**
 * The length of a trigram. For a shorter piece, PostgreSQL would read the whole index, which takes five times
 * as long as reading all of the county's words.
 */
const TRIGRAM = 3;

const lengthOf = (piece: string) => [...piece].length;

const patternsOf = (pieces: readonly string[]) => pieces.map(piece => `%${likeLiteral(piece)}%`);

/**
 * Ids of a county's parcels whose owner name contains all pieces, in ascending order. Uses the index of owner
 * words, and then the names if the words aren't conclusive.
 * @param pieces one or more, without whitespace
 */
export async function findByOwner(db: Db, fips: number, pieces: readonly string[]): Promise<number[]> {
  const long = pieces.filter(piece => lengthOf(piece) >= TRIGRAM);
  const short = pieces.filter(piece => lengthOf(piece) === 2);
  // All pieces are single characters, so scan every name. This takes about a second for 2,000,000 parcels.
  if (long.length + short.length === 0) return listMatching(db, fips, null, pieces);
  const lists = await listSerials(db, fips, long, 'w.word');
  if (lists.every(list => list.length > FEW_PARCELS * SERIAL_BYTES))
    lists.push(...(await listSerials(db, fips, short, "w.word || ''")));
  const matches = inAll(lists, fips);
  if (lists.length === pieces.length || matches.length === 0) return matches;
  return listMatching(db, fips, matches, pieces);
}

/** The `ids` whose owner name contains all pieces. If `ids` is null, searches the whole county. */
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
 * For each piece, the serials of the parcels that have that piece, unordered and with repeats. If the rarest
 * piece has few parcels, returns only its serials.
 */
async function listSerials(db: Db, fips: number, pieces: readonly string[], word: string): Promise<Buffer[]> {
  if (pieces.length === 0) return [];
  const values = { fips, patterns: patternsOf(pieces), few: FEW_PARCELS };
  const rows = await db.run<{ serials: string }>('parcels/find_owner_words', values, { word });
  return rows.map(row => Buffer.from(row.serials, 'base64'));
}

/**
 * Ids of a county's parcels with this number whose owner name contains all pieces, in ascending order. Tries
 * the number as written (ignoring case), then its groups of letters and digits (ignoring separators), then
 * the groups padded with zeros as the county pads them.
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

/** How a county writes a number. For example, 16-70-5 becomes 000016 000070 000005. */
async function readForms(db: Db, fips: number): Promise<(apn: string) => string[]> {
  const counties = await db.run<{ apn_shapes: string[] }>('parcels/read_apn_shapes', { fips });
  const shapes = counties.flatMap(({ apn_shapes }) => apn_shapes);
  return apn => [...new Set(shapes.flatMap(shape => filledUp(apn, shape) ?? []))];
}

/** Parcels with exactly this number, ignoring case. If there are none, those with the same groups. */
function matching<Row extends { apn: string }>(rows: readonly Row[], apn: string): Row[] {
  const normalize = (text: string) => text.trim().toUpperCase();
  const groups = (text: string) =>
    normalize(text)
      .match(/\p{L}+|\p{N}+/gu)
      ?.join(' ') ?? '';
  const exact = rows.filter(row => normalize(row.apn) === normalize(apn));
  const sameGroups = /^\d+$/.test(normalize(apn))
    ? rows
    : rows.filter(row => groups(row.apn) === groups(apn));
  return [...(exact.length > 0 ? exact : sameGroups)];
}

/** Ids of a county's parcels by number, matched like `findByApn`. Numbers without a match are omitted. */
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
  return new Map(
    [...groupBy(rows, row => row.asked)].flatMap(([asked, parcels]) => {
      const ids = matching(parcels, asked).map(row => row.property_id);
      return ids.length === 0 ? [] : [[asked, ids] as const];
    }),
  );
}
