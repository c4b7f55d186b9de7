import { likeLiteral } from '../../../shared/kernels/owner/words.ts';
import {
  allOf,
  commonOf,
  NONE,
  type Serials,
  type StoredSerials,
  serialsOf,
  unionOf,
} from '../../../shared/kernels/serials/serials.ts';
import type { Database } from '../../http/database.ts';
import { propertyIdOf } from '../common/property-id.ts';
import { type CountyWords, heldOwnersOf } from './held-owners.ts';
import { indexWords, wordsHolding } from './word-index.ts';

/** As many as a page may have: the statement that reads a page can look at the names of so many as well. */
const FEW_PARCELS = 100;
/** To look at so many names costs as much as to go through all words of 2,000,000 parcels: 30 ms on a busy machine. */
const MANY_PARCELS = 1_000;
/** More words than these cost more to name and to read one by one than to go through all of them. */
const MANY_WORDS = 2_000;
/** What is read besides the rarest piece because it is likely to be asked for again: 16,000 parcels. */
const READ_ALONG_BYTES = 64 * 1024;

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

/** What `upper` of PostgreSQL does to ASCII on every server. */
function foldAscii(text: string): string {
  return text.replace(/[a-z]+/g, part => part.toUpperCase());
}

/** A LIKE pattern. */
export const holding = (piece: string) => `%${likeLiteral(piece)}%`;

/** Parcels found by their owners: in the names of those the unchecked pieces must yet be looked for. */
export type OwnerMatch = { version: string | null; found: Serials; unchecked: string[] };

/**
 * Parcels on the roll of a county whose primary owner's name holds all pieces, in any case. Pieces are looked up among
 * the words of the county's owners until few parcels are left; the others have to be looked for in the names of those.
 * Pieces that very many words hold are looked up only where many parcels are left, and single characters, which nearly
 * every name has, never. What this process has read before is not asked for again: the answer may be that of an earlier
 * version, and is good if what is read of the parcels afterwards has the same one.
 * @param pieces one at least, the longest first and of two characters or more, as `ownerPieces` gives them
 * @returns 100 parcels at most where something is left unchecked; undefined when another version came up meanwhile.
 *   Then, as when it comes up afterwards: `forgetOwners`, and once more.
 */
export async function findByOwner(
  database: Database,
  fips: number,
  pieces: readonly string[],
): Promise<OwnerMatch | undefined> {
  const held = heldOwnersOf(database);
  const folded = await foldAll(database, pieces);
  const { version, words } = await held.county(fips, () => readCounty(database, fips));
  if (version === null) return { version, found: NONE, unchecked: [] };

  const known: Serials[] = [];
  const missing = new Set<string>();
  for (const piece of folded) {
    const parcels = held.parcels(fips, version, piece);
    if (parcels === undefined) missing.add(piece);
    else known.push(parcels);
  }
  // The fewest first: what is left is never more.
  known.sort((a, b) => a.size - b.size);
  let found = known.length === 0 ? undefined : known.reduce(commonOf);
  const take = ({ piece, parcels }: Piece) => {
    held.keep(fips, version, piece, parcels);
    found = found === undefined ? parcels : commonOf(found, parcels);
    missing.delete(piece);
  };
  const areMore = (limit: number) => found === undefined || found.size > limit;

  if (areMore(FEW_PARCELS)) {
    const named = new Map<string, string[]>();
    for (const piece of missing) {
      const holders = lengthOf(piece) > 1 ? wordsHolding(words, piece, MANY_WORDS) : undefined;
      if (holders?.length === 0) take({ piece, parcels: NONE });
      else if (holders !== undefined) named.set(piece, holders);
    }
    while (named.size > 0 && areMore(FEW_PARCELS)) {
      const read = await readWords(database, fips, named);
      if (read.version !== version || read.pieces.length === 0) return undefined;
      for (const piece of read.pieces) {
        take(piece);
        named.delete(piece.piece);
      }
    }
    for (const piece of missing) {
      if (named.has(piece) || lengthOf(piece) === 1 || !areMore(MANY_PARCELS)) continue;
      const read = await scanWords(database, fips, piece);
      if (read.version !== version) return undefined;
      take({ piece, parcels: read.parcels });
    }
  }
  const unchecked = [...missing];
  if (unchecked.length === 0 || found!.size <= FEW_PARCELS) return { version, found: found!, unchecked };
  return { version, found: await checkNames(database, fips, found!, unchecked), unchecked: [] };
}

/** To be called when what is held of a county's owners turned out to be behind. */
export function forgetOwners(database: Database, fips: number): void {
  heldOwnersOf(database).forget(fips);
}

async function foldAll(database: Database, pieces: readonly string[]): Promise<string[]> {
  const areAscii = pieces.every(piece => Buffer.byteLength(piece) === piece.length);
  if (areAscii) return pieces.map(foldAscii);
  const rows = await database.run<{ pieces: string[] }>('properties/fold_pieces', [pieces]);
  return rows[0]!.pieces;
}

async function readCounty(database: Database, fips: number): Promise<CountyWords> {
  const rows = await database.run<{ version: string | null; words: string | null }>(
    'properties/list_owner_words',
    [fips],
  );
  return { version: rows[0]!.version, words: indexWords(rows[0]!.words ?? '') };
}

type Piece = { piece: string; parcels: Serials };
type WordRow = { version: string | null } & (StoredSerials | { serials: null });

/** The parcels of the piece that the fewest have, and those of others that are soon read. */
async function readWords(
  database: Database,
  fips: number,
  named: ReadonlyMap<string, readonly string[]>,
): Promise<{ version: string | null; pieces: Piece[] }> {
  const pieces = [...named.keys()];
  const words = [...named.values()].flat();
  const pieceOf = [...named.values()].flatMap((holders, at) => holders.map(() => at));
  const rows = await database.run<WordRow & { piece: number | null }>('properties/read_owner_words', [
    fips,
    words,
    pieceOf,
    READ_ALONG_BYTES,
  ]);
  return {
    version: rows[0]!.version,
    pieces: pieces.flatMap((piece, at) => {
      const own = rows.filter(row => row.piece === at);
      return own.length === 0 ? [] : [{ piece, parcels: parcelsOf(own) }];
    }),
  };
}

async function scanWords(
  database: Database,
  fips: number,
  piece: string,
): Promise<{ version: string | null; parcels: Serials }> {
  const rows = await database.run<WordRow>('properties/scan_owner_words', [fips, piece]);
  return { version: rows[0]!.version, parcels: parcelsOf(rows) };
}

const parcelsOf = (rows: readonly WordRow[]) =>
  unionOf(rows.filter((row): row is WordRow & StoredSerials => row.serials !== null));

async function checkNames(
  database: Database,
  fips: number,
  found: Serials,
  pieces: readonly string[],
): Promise<Serials> {
  const ids = allOf(found).map(serial => propertyIdOf(fips, serial));
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
