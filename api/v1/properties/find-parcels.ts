import { likeLiteral } from '../../../shared/kernels/owner/words.ts';
import {
  narrowed,
  type Serials,
  type StoredSerials,
  serialsOf,
  unionOf,
} from '../../../shared/kernels/serials/serials.ts';
import type { Database } from '../../http/database.ts';
import { propertyIdOf } from './property-id.ts';

/** The index of words knows pieces of three letters (pg_trgm). */
const INDEXED_LENGTH = 3;
/** Looking a piece up costs as much as looking for it in the names of this many parcels; */
const FEW_PARCELS = 500;
/** and reading all words of a county, as this many. */
const MANY_PARCELS = 4_000;

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
 * Parcels on the roll of a county whose primary owner's name holds all pieces, in any case. Pieces are looked up among
 * the words of the county's owners, the rarest first, until few parcels are left; the others are looked for in the names
 * of those. Short ones are looked up only where many parcels are left, and single characters, which nearly every name
 * has, never.
 * @param pieces one at least, the longest first and of two characters or more, as `ownerPieces` gives them
 */
export async function findByOwner(
  database: Database,
  fips: number,
  pieces: readonly string[],
): Promise<Serials> {
  const first = await findRarest(database, fips, pieces);
  let { found } = first;
  const unchecked: string[] = [];
  for (const piece of first.others) {
    if (found.length <= worthOf(piece)) unchecked.push(piece);
    else found = narrowed(found, await readWords(database, fips, piece));
  }
  return unchecked.length === 0 ? found : checkNames(database, fips, found, unchecked);
}

type RankedRow = { fewest_first: number[] } & (StoredSerials | { serials: null });

/** The parcels of the piece that the fewest have, and the other pieces, the rarest first. */
async function findRarest(
  database: Database,
  fips: number,
  pieces: readonly string[],
): Promise<{ found: Serials; others: string[] }> {
  const indexed = pieces.filter(piece => lengthOf(piece) >= INDEXED_LENGTH);
  const short = pieces.slice(indexed.length);
  if (indexed.length === 0)
    return { found: unionOf(await readWords(database, fips, short[0]!)), others: short.slice(1) };
  const values = [fips, indexed.map(holding)];
  const rows = await database.run<RankedRow>('properties/find_owner_words', values);
  return {
    found: unionOf(rows.filter((row): row is RankedRow & StoredSerials => row.serials !== null)),
    others: [...rows[0]!.fewest_first.slice(1).map(at => indexed[at]!), ...short],
  };
}

/** The most parcels in whose names a piece is rather looked for than looked up. */
function worthOf(piece: string): number {
  if (lengthOf(piece) >= INDEXED_LENGTH) return FEW_PARCELS;
  return lengthOf(piece) > 1 ? MANY_PARCELS : Number.POSITIVE_INFINITY;
}

function readWords(database: Database, fips: number, piece: string): Promise<StoredSerials[]> {
  return lengthOf(piece) >= INDEXED_LENGTH
    ? database.run<StoredSerials>('properties/read_owner_words', [fips, holding(piece)])
    : database.run<StoredSerials>('properties/scan_owner_words', [fips, piece]);
}

async function checkNames(
  database: Database,
  fips: number,
  found: Serials,
  pieces: readonly string[],
): Promise<Serials> {
  const ids = Array.from(found, serial => propertyIdOf(fips, serial));
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
): Promise<Serials> {
  const values = [fips, apn, pieces.map(holding)];
  const rows = await database.run<{ serial: number }>('properties/find_apn', values);
  return serialsOf(rows.map(row => row.serial));
}
