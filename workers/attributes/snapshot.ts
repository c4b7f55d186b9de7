import type { Client, Pool } from '../../shared/db.ts';

/** Runs statements that all see the database as of one moment, and only read. */
export async function inSnapshot<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let usable = false;
  try {
    await client.query('begin isolation level repeatable read read only');
    const result = await work(client);
    await client.query('commit');
    usable = true;
    return result;
  } finally {
    // After an error the session ends, and with it the transaction.
    client.release(!usable);
  }
}
