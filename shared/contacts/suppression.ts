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

export async function listSuppressed(db: Db, tags: readonly string[]): Promise<Set<string>> {
  if (tags.length === 0) return new Set();
  const secret = await contactSecret(db);
  const byHash = new Map(tags.map(tag => [hmac(secret, tag).toString('hex'), tag]));
  const rows = await db.run<{ hash: Buffer }>('contacts/list_suppressed', {
    hmacs: [...byHash.keys()].map(hex => Buffer.from(hex, 'hex')),
  });
  return new Set(rows.map(row => byHash.get(row.hash.toString('hex'))!));
}

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
