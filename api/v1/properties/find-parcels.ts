import { likeLiteral } from '../../../shared/kernels/owner/words.ts';
import type { Statements } from '../../http/database.ts';
import { propertyIdOf } from '../common/property-id.ts';

/** To read the names of so many parcels costs less than the lists of the words that most owners have. */
const FEW_PARCELS = 1_000;

/** An index of trigrams finds longer pieces, and no shorter one leaves many names out. */
const MIN_INDEXED = 2;

/** LIKE patterns for the pieces of text, separated by white space, that an owner's name must hold. */
export const patternsOf = (pieces: readonly string[]) => pieces.map(piece => `%${likeLiteral(piece)}%`);

/**
 * Parcels on the roll of a county whose primary owner's name holds all pieces, in any case: by the words of the owners, and where these
 * leave something open, by the names themselves.
 * @param pieces one at least of two characters or more
 * @returns property ids, ascending
 */
export async function findByOwner(
  statements: Statements,
  fips: number,
  pieces: readonly string[],
): Promise<number[]> {
  const indexed = pieces.filter(piece => [...piece].length >= MIN_INDEXED);
  const lists = await statements.run<{ serials: Buffer }>('properties/find_owner_words', [
    fips,
    patternsOf(indexed),
    FEW_PARCELS,
  ]);
  if (lists.length === 0) return [];
  const found = inAll(lists.map(({ serials }) => serials)).map(serial => propertyIdOf(fips, serial));
  if (lists.length === pieces.length) return found;
  const rows = await statements.run<{ property_id: number }>('properties/list_matching_owners', [
    fips,
    found,
    patternsOf(pieces),
  ]);
  return rows.map(row => row.property_id);
}

/** The serials that every list has, ascending. @param lists of 4 bytes a serial, in any order, some more than once */
function inAll(lists: readonly Buffer[]): number[] {
  let last = 0;
  for (const list of lists)
    for (let at = 0; at < list.length; at += 4) last = Math.max(last, list.readInt32BE(at));
  /** By serial: in how many of the lists so far it is, without a gap. */
  const marks = new Uint8Array(last + 1);
  for (const [n, list] of lists.entries())
    for (let at = 0; at < list.length; at += 4) {
      const serial = list.readInt32BE(at);
      if (marks[serial] === n) marks[serial] = n + 1;
    }
  const common: number[] = [];
  for (let serial = 0; serial <= last; serial++) if (marks[serial] === lists.length) common.push(serial);
  return common;
}

/**
 * Parcels on the roll of a county with this number, normalised, whose owner's name holds all pieces, if any.
 * @returns property ids, ascending
 */
export async function findByApn(
  statements: Statements,
  fips: number,
  apn: string,
  pieces: readonly string[],
): Promise<number[]> {
  const values = [fips, apn, patternsOf(pieces)];
  const rows = await statements.run<{ property_id: number }>('properties/find_apn', values);
  return rows.map(row => row.property_id);
}
