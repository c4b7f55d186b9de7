import { expect, inject, test } from 'vitest';
import { migrate, readMigrations } from '../../shared/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { onServer, withDatabase } from '../support/server.ts';

const db = await createTestDatabase();

/** Everything before 0008_saved_markets.sql. */
const BEFORE = 7;

test('accounts of before there were companies get one each, of their name, and keep everything', async () => {
  const server = inject('testServer').url;
  const name = `${db.name}_before`;
  await onServer(server, client => client.query(`create database ${name} template template0`));
  const url = withDatabase(server, name);
  try {
    await onServer(url, async client => {
      await client.query(
        'create table schema_migrations (version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
      );
      for (const { version, name, text, checksum } of readMigrations().slice(0, BEFORE)) {
        await client.query(text);
        await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
          ...[version, name, checksum],
        ]);
      }
      await client.query(
        `insert into accounts (name, tier, tokens_included, period_anchor, period_start, period_end)
         select name, 'starter', 5, now(), now(), now() + interval '1 month' from unnest(array['acme', 'other']) as name`,
      );
    });
    await migrate(url, { queue: false });
    const { rows } = await onServer(url, client =>
      client.query(
        `select a.name, c.name as company, a.tokens_included::int from accounts a join companies c on c.id = a.company_id order by 1`,
      ),
    );
    expect(rows).toEqual([
      { name: 'acme', company: 'acme', tokens_included: 5 },
      { name: 'other', company: 'other', tokens_included: 5 },
    ]);
  } finally {
    await onServer(server, client => client.query(`drop database ${name} with (force)`));
  }
});
