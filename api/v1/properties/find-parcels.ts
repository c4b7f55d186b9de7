import { likeLiteral } from '../../../shared/kernels/owner/words.ts';
import type { Database } from '../../http/database.ts';
import { propertyIdOf } from './property-id.ts';
import { intersection, membersFrom, type SerialSet, serialSet, serialSetOf } from './serial-set.ts';

/** Which pieces of text the name of the owner must hold. */
export type OwnerPieces = {
  /** Looked up among the words of the county's owners. */
  indexed: string[];
  /** So short that many words hold them: looked for in the names of the parcels that the others leave. */
  checked: string[];
};

/** The index knows pieces of three letters (pg_trgm). */
const INDEXED_LENGTH = 3;

/**
 * The pieces that `name` asks for, split at white space. One that is part of another says nothing new. Without a piece
 * that the index knows, the longest is looked up all the same, at the price of reading all words of the county.
 */
export function ownerPieces(name: string): OwnerPieces {
  const pieces = splitName(name).sort((a, b) => b.length - a.length);
  const needed = pieces.filter(
    (piece, at) => !pieces.slice(0, at).some(longer => foldAscii(longer).includes(foldAscii(piece))),
  );
  const indexed = needed.filter((piece, at) => at === 0 || [...piece].length >= INDEXED_LENGTH);
  return { indexed, checked: needed.slice(indexed.length) };
}

export function splitName(name: string): string[] {
  return name.split(/\s+/u).filter(piece => piece !== '');
}

/** What `upper` of PostgreSQL does to ASCII on every server; for the rest pieces are compared as they stand. */
function foldAscii(text: string): string {
  return text.replace(/[a-z]+/g, part => part.toUpperCase());
}

const holding = (piece: string) => `%${likeLiteral(piece)}%`;

/** Parcels on the roll of a county whose primary owner's name holds all pieces, in any case. */
export async function findByOwner(
  database: Database,
  fips: number,
  { indexed, checked }: OwnerPieces,
): Promise<SerialSet> {
  const rows = await database.run<{ piece: number; serials: Buffer }>('properties/find_owner_words', [
    fips,
    indexed.map(holding),
  ]);
  const lists: Buffer[][] = indexed.map(() => []);
  for (const { piece, serials } of rows) lists[piece]!.push(serials);
  const found = intersection(lists.map(serialSet));
  return checked.length === 0 ? found : checkNames(database, fips, found, checked);
}

async function checkNames(
  database: Database,
  fips: number,
  found: SerialSet,
  pieces: readonly string[],
): Promise<SerialSet> {
  const ids = membersFrom(found, 0, 0, Number.POSITIVE_INFINITY).map(serial => propertyIdOf(fips, serial));
  const [row] = await database.run<{ serials: Buffer }>('properties/check_owner_names', [
    fips,
    ids,
    pieces.map(holding),
  ]);
  return serialSet([row!.serials]);
}

/** Parcels on the roll of a county with this number, normalised, whose owner's name holds all pieces, if any. */
export async function findByApn(
  database: Database,
  fips: number,
  apn: string,
  pieces: readonly string[],
): Promise<SerialSet> {
  const rows = await database.run<{ serial: number }>('properties/find_apn', [
    fips,
    apn,
    pieces.map(holding),
  ]);
  return serialSetOf(rows.map(row => row.serial));
}
