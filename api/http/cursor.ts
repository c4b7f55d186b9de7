import { createHash } from 'node:crypto';
import type { Db } from '../../shared/platform/db.ts';
import { sign, verifySigned } from './signed.ts';

/** A place in a sorted list: a row's sort values and, last, its id. JSON leaves numbers unchanged. */
export type Place = readonly (string | number | null)[];

/** What a cursor says. Short names: it travels in every `next` and `previous`. */
export type Cursor = {
  /** Digest of the request that it continues. */
  r: string;
  /** The row beside which the page begins. */
  k: Place;
  /** Whether the page lies after or before that row. */
  d: 'next' | 'previous';
  /** The number of the page. */
  p: number;
  /** How many rows the list had when the walk began. */
  n: number;
  /**
   * When the first page was read, in milliseconds: what is counted from today is counted from then on every
   * page.
   */
  t: number;
};

/** A later format is not mistaken for this one. */
const FORMAT = 'plat cursor 1\n';

export const signCursor = (cursor: Cursor, secret: Buffer): string => sign(FORMAT, cursor, secret);

/** The cursor, or undefined when it was not signed with this secret or was changed since. */
export function readCursor(text: string, secret: Buffer): Cursor | undefined {
  return verifySigned(FORMAT, text, [secret]) as Cursor | undefined;
}

/** Digest of a request: the same for the same JSON value, whatever the order of its fields. */
export function requestDigest(request: unknown): string {
  return createHash('sha256').update(canonical(request)).digest('base64url').slice(0, 22);
}

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** The key that signs cursors: the configured one, else the installation's, which all processes share. */
export type CursorSecret = () => Promise<Buffer>;

export function openCursorSecret(db: Db, configured: string | undefined): CursorSecret {
  let cached: Buffer | undefined = configured === undefined ? undefined : Buffer.from(configured);
  return async () => {
    if (cached !== undefined) return cached;
    const rows = await db.run<{ secret: Buffer }>('accounts/read_cursor_secret');
    cached = rows[0]!.secret;
    return cached;
  };
}
