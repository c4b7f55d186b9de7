import { randomUUID } from 'node:crypto';
import type { Address, Subject } from '../kernels/person/match.ts';
import type { Db } from '../platform/db.ts';
import { hmac, storedTags } from './person-identity.ts';

const secrets = new WeakMap<Db, Promise<Buffer>>();

/** The installation's secret key for hashing the suppression list. */
export function contactSecret(db: Db): Promise<Buffer> {
  const cached = secrets.get(db);
  if (cached !== undefined) return cached;
  const read = db.run<{ secret: Buffer }>('contacts/read_secret').then(rows => rows[0]!.secret);
  secrets.set(db, read);
  read.catch(() => secrets.delete(db));
  return read;
}

/** Tags in the format that the suppression list and stored results use. */
export async function hashesOf(db: Db, tags: readonly string[]): Promise<Buffer[]> {
  const secret = await contactSecret(db);
  return tags.map(tag => hmac(secret, tag));
}

/**
 * What must not be returned: null for the suppression list, or the reason of a feed that withholds it. The
 * keys are tags, or hashes as hexadecimal digits.
 */
export type Suppressed = ReadonlyMap<string, string | null>;

export const hexOf = (hash: Buffer): string => hash.toString('hex');

export async function listHashes(db: Db, hashes: readonly Buffer[]): Promise<Suppressed> {
  if (hashes.length === 0) return new Map();
  const rows = await db.run<{ hash: Buffer; reason: string | null }>('contacts/list_suppressed', {
    hmacs: hashes,
  });
  return new Map(rows.map(({ hash, reason }) => [hexOf(hash), reason]));
}

export async function listSuppressed(db: Db, tags: readonly string[]): Promise<Suppressed> {
  if (tags.length === 0) return new Map();
  const hashes = await hashesOf(db, tags);
  const listed = await listHashes(db, hashes);
  const found = tags.map((tag, i) => [tag, hexOf(hashes[i]!)] as const).filter(([, hex]) => listed.has(hex));
  return new Map(found.map(([tag, hex]) => [tag, listed.get(hex)!]));
}

/** The entries with these keys. */
export const pickKeys = (all: Suppressed, keys: readonly string[]): Suppressed =>
  new Map(keys.filter(key => all.has(key)).map(key => [key, all.get(key)!]));

/** Null wins, because the suppression list must not show a reason. */
export const firstReason = (reasons: readonly (string | null)[]): string | null | undefined =>
  reasons.includes(null) ? null : reasons[0];

/** Adds a person or an entity, with phone numbers, to the list. */
export async function suppress(
  db: Db,
  subjects: readonly Subject[],
  places: readonly Address[],
  numbers: readonly string[],
  by: string,
): Promise<number> {
  const [row] = await db.run<{ added: number }>('contacts/add_suppressions', {
    hmacs: await hashesOf(db, storedTags(subjects, places, numbers)),
    request_id: randomUUID(),
    by,
  });
  return row!.added;
}
