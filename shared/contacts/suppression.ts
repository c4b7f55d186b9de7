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
 * Which of these tags must not be returned: those on the suppression list, with null, and those that a feed
 * withholds, with the feed's reason.
 */
export type SuppressedTags = ReadonlyMap<string, string | null>;

export async function listSuppressed(db: Db, tags: readonly string[]): Promise<SuppressedTags> {
  if (tags.length === 0) return new Map();
  const secret = await contactSecret(db);
  const byHash = new Map(tags.map(tag => [hmac(secret, tag).toString('hex'), tag]));
  const rows = await db.run<Suppressed>('contacts/list_suppressed', {
    hmacs: [...byHash.keys()].map(hex => Buffer.from(hex, 'hex')),
  });
  return new Map(rows.map(row => [byHash.get(row.hash.toString('hex'))!, row.reason]));
}

type Suppressed = { hash: Buffer; reason: string | null };

/**
 * Why the people with these hashes must not be returned: a feed's reason, or null if they are on the
 * suppression list. Undefined if they can be returned.
 */
export async function whySuppressed(db: Db, hashes: readonly Buffer[]): Promise<string | null | undefined> {
  const rows = await db.run<Suppressed>('contacts/list_suppressed', { hmacs: hashes });
  return firstReason(rows.map(({ reason }) => reason));
}

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
