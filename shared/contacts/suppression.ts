import { randomUUID } from 'node:crypto';
import type { Address, Subject } from '../kernels/person/match.ts';
import type { Run } from '../platform/db.ts';
import { hmac, storedTags } from './person-identity.ts';

const secrets = new WeakMap<Run, Promise<Buffer>>();

/** The key of the list's hashes, the installation's own. */
export function contactSecret(run: Run): Promise<Buffer> {
  const cached = secrets.get(run);
  if (cached !== undefined) return cached;
  const read = run<{ secret: Buffer }>('contacts/read_secret').then(rows => rows[0]!.secret);
  secrets.set(run, read);
  read.catch(() => secrets.delete(run));
  return read;
}

/** Tags as the suppression list and what is kept about people store them. */
export async function hashesOf(run: Run, tags: readonly string[]): Promise<Buffer[]> {
  const secret = await contactSecret(run);
  return tags.map(tag => hmac(secret, tag));
}

/** The tags that are on the suppression list. */
export async function listSuppressed(run: Run, tags: readonly string[]): Promise<Set<string>> {
  if (tags.length === 0) return new Set();
  const secret = await contactSecret(run);
  const byHash = new Map(tags.map(tag => [hmac(secret, tag).toString('hex'), tag]));
  const rows = await run<{ hash: Buffer }>('contacts/list_suppressed', {
    hmacs: [...byHash.keys()].map(hex => Buffer.from(hex, 'hex')),
  });
  return new Set(rows.map(row => byHash.get(row.hash.toString('hex'))!));
}

/** Puts a person or an entity, with telephone numbers, on the list. @returns how many entries are new */
export async function suppress(
  run: Run,
  subjects: readonly Subject[],
  places: readonly Address[],
  numbers: readonly string[],
  by: string,
): Promise<number> {
  const [row] = await run<{ added: number }>('contacts/add_suppressions', {
    hmacs: await hashesOf(run, storedTags(subjects, places, numbers)),
    request_id: randomUUID(),
    by,
  });
  return row!.added;
}
