import type { Database } from './database.ts';

/** The key that signs cursors: the configured one, else the installation's own, which all its processes share. */
export type CursorSecret = () => Promise<Buffer>;

export function openCursorSecret(database: Database, configured: string | undefined): CursorSecret {
  let known: Buffer | undefined = configured === undefined ? undefined : Buffer.from(configured);
  return async () => {
    if (known !== undefined) return known;
    const rows = await database.run<{ secret: Buffer }>('api/read_cursor_secret');
    known = rows[0]!.secret;
    return known;
  };
}
