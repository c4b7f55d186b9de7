import { createHash } from 'node:crypto';
import type { Db } from '../../shared/platform/db.ts';
import { sign, verifySigned } from './signed.ts';

/** A place in a sorted list: a row's sort values and, last, its id. JSON leaves numbers unchanged. */
export type Place = readonly (string | number | null)[];

/** The content of a cursor. Names are short because every `next` and `previous` contains a cursor. */
export type Cursor = {
  /** Digest of the request. */
  r: string;
  /** The row adjacent to the page. */
  k: Place;
  /** Whether the page is after or before that row. */
  d: 'next' | 'previous';
  /** The page number. */
  p: number;
  /** The number of rows, counted on the first page. */
  n: number;
  /** When the first page was read, in milliseconds. Every page counts days and months back from this time. */
  t: number;
};

/** Distinguishes this format from later ones. */
const FORMAT = 'plat cursor 1\n';

export const signCursor = (cursor: Cursor, secret: Buffer): string => sign(FORMAT, cursor, secret);

/** The cursor, or undefined if it was altered or signed with another secret. */
export function readCursor(text: string, secret: Buffer): Cursor | undefined {
  return verifySigned(FORMAT, text, [secret]) as Cursor | undefined;
}

/** Digest of a request. The order of fields doesn't matter. */
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

/** The key that signs cursors: the configured one, or the installation's, which all processes share. */
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
