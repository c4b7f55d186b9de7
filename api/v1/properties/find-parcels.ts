import { likeLiteral } from '../../../shared/kernels/owner/words.ts';
import {
  keepOnly,
  membersFrom,
  type SerialSet,
  type StoredSerials,
  serialSetOf,
  sizeOf,
  unionOf,
} from '../../../shared/kernels/serials/serial-set.ts';
import type { Database } from '../../http/database.ts';
import { propertyIdOf } from './property-id.ts';

/** The index of words knows pieces of three letters (pg_trgm). */
const INDEXED_LENGTH = 3;
/** Reading all words of a county costs as much as reading the names of this many parcels. */
const FEW_PARCELS = 4_000;

const lengthOf = (piece: string) => [...piece].length;

export function splitName(name: string): string[] {
  return name.split(/\s+/u).filter(piece => piece !== '');
}

/** The pieces of text that `name` asks for, the longest first. One that is part of another says nothing new. */
export function ownerPieces(name: string): string[] {
  const pieces = splitName(name).sort((a, b) => lengthOf(b) - lengthOf(a));
  return pieces.filter(
    (piece, at) => !pieces.slice(0, at).some(longer => foldAscii(longer).includes(foldAscii(piece))),
  );
}

/** What `upper` of PostgreSQL does to ASCII on every server; for the rest pieces are compared as they stand. */
function foldAscii(text: string): string {
  return text.replace(/[a-z]+/g, part => part.toUpperCase());
}

const holding = (piece: string) => `%${likeLiteral(piece)}%`;

/**
 * Parcels on the roll of a county whose primary owner's name holds all pieces, in any case. Long pieces are looked up
 * among the words of the county's owners. Short ones are looked for in the names of the parcels that these leave; where
 * they leave many, in all words of the county, but for single characters, which nearly every name has.
 * @param pieces one at least, the longest first, as `ownerPieces` gives them
 */
export async function findByOwner(
  database: Database,
  fips: number,
  pieces: readonly string[],
): Promise<SerialSet> {
  const indexed = pieces.filter(piece => lengthOf(piece) >= INDEXED_LENGTH);
  let found = indexed.length === 0 ? undefined : await findWords(database, fips, indexed);
  let short = pieces.slice(indexed.length);
  if (found === undefined || (short.length > 0 && sizeOf(found) > FEW_PARCELS)) {
    const scanned = short.filter((piece, at) => lengthOf(piece) > 1 || (found === undefined && at === 0));
    if (scanned.length > 0) found = await scanWords(database, fips, scanned, found);
    short = short.filter(piece => !scanned.includes(piece));
  }
  return short.length === 0 ? found! : checkNames(database, fips, found!, short);
}

type WordRow = StoredSerials & { piece: number };

async function findWords(database: Database, fips: number, pieces: readonly string[]): Promise<SerialSet> {
  const values = [fips, pieces.map(holding)];
  return holdersOfAll(await database.run<WordRow>('properties/find_owner_words', values), pieces);
}

async function scanWords(
  database: Database,
  fips: number,
  pieces: readonly string[],
  among: SerialSet | undefined,
): Promise<SerialSet> {
  const values = [fips, pieces];
  return holdersOfAll(await database.run<WordRow>('properties/scan_owner_words', values), pieces, among);
}

/** Parcels (of those in `among`) that have, for each piece, one of its words. */
function holdersOfAll(rows: readonly WordRow[], pieces: readonly string[], among?: SerialSet): SerialSet {
  const lists = pieces.map((_, piece) => rows.filter(row => row.piece === piece));
  const found = among ?? unionOf(lists[0]!);
  for (const list of lists.slice(among === undefined ? 1 : 0)) keepOnly(found, list);
  return found;
}

async function checkNames(
  database: Database,
  fips: number,
  found: SerialSet,
  pieces: readonly string[],
): Promise<SerialSet> {
  const ids = membersFrom(found, 0, 0, Number.POSITIVE_INFINITY).map(serial => propertyIdOf(fips, serial));
  if (ids.length === 0) return found;
  const values = [fips, ids, pieces.map(holding)];
  return unionOf(await database.run<StoredSerials>('properties/check_owner_names', values));
}

/** Parcels on the roll of a county with this number, normalised, whose owner's name holds all pieces, if any. */
export async function findByApn(
  database: Database,
  fips: number,
  apn: string,
  pieces: readonly string[],
): Promise<SerialSet> {
  const values = [fips, apn, pieces.map(holding)];
  const rows = await database.run<{ serial: number }>('properties/find_apn', values);
  return serialSetOf(rows.map(row => row.serial));
}
