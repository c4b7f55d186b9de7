import { inject } from 'vitest';
import { migrate, readMigrations } from '../../shared/migrate.ts';
import type { TestDatabase } from './database.ts';
import { onServer, withDatabase } from './server.ts';

type Query = TestDatabase['pool']['query'];

/**
 * What a migration makes of rows that were there before it: a database with the first `before` migrations, the rows that `fill`
 * writes, then all other migrations, then `look`.
 */
export async function migrateFrom(
  db: TestDatabase,
  before: number,
  fill: (query: Query) => Promise<unknown>,
  look: (query: Query) => Promise<unknown>,
): Promise<void> {
  const server = inject('testServer').url;
  const name = `${db.name}_before`;
  await onServer(server, client => client.query(`create database ${name} template template0`));
  const url = withDatabase(server, name);
  try {
    await onServer(url, async client => {
      await client.query(
        'create table schema_migrations (version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
      );
      for (const { version, name, text, checksum } of readMigrations().slice(0, before)) {
        await client.query(text);
        await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
          ...[version, name, checksum],
        ]);
      }
      await fill(client.query.bind(client) as Query);
    });
    await migrate(url, { queue: false });
    await onServer(url, client => look(client.query.bind(client) as Query));
  } finally {
    await onServer(server, client => client.query(`drop database ${name} with (force)`));
  }
}
