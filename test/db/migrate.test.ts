import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { assertSchemaVersion, migrate } from '../../shared/base/migrate.ts';
import { rootDir } from '../../shared/base/root.ts';
import { dumpSchema } from '../../tools/checks/generated-files.ts';
import { onServer, withDatabase } from '../support/server.ts';

const FOLDER = join(rootDir, 'sql', 'migrations');
const FILES = readdirSync(FOLDER).sort();
const SCHEMA = readFileSync(join(rootDir, 'sql', 'schema.sql'), 'utf8');

let count = 0;

/** Runs `work` on a database without any table. */
async function inEmptyDatabase(work: (client: pg.Client, url: string) => Promise<void>): Promise<void> {
  const server = inject('testServer').url;
  const name = `plat_migrate_${process.pid}_${++count}`;
  await onServer(server, client => client.query(`create database ${name} template template0`));
  try {
    const url = withDatabase(server, name);
    await onServer(url, client => work(client, url));
  } finally {
    await onServer(server, client => client.query(`drop database ${name} with (force)`));
  }
}

const listMigrations = async (client: pg.Client) =>
  (
    await client.query<{ name: string }>(
      'select version, name, checksum from schema_migrations order by version',
    )
  ).rows;

/** The record of a database that stands at `last` of the migrations of before the first release. */
async function recordOldChain(client: pg.Client, last: string): Promise<void> {
  await client.query(`
    create table schema_migrations (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
    )`);
  await client.query(
    `insert into schema_migrations (version, name, checksum)
     select n, case n when 1 then '0001_regions.sql' when $1 then $2 else to_char(n, 'FM0000') || '_old.sql' end, 'old'
     from generate_series(1, $1::int) n`,
    [Number(last.slice(0, 4)), last],
  );
}

test('an empty database gets every migration, and none a second time', async () => {
  await inEmptyDatabase(async (client, url) => {
    expect(await migrate(url, { queue: false })).toEqual(FILES);
    expect((await listMigrations(client)).map(({ name }) => name)).toEqual(FILES);
    await assertSchemaVersion(client);
    expect(await migrate(url, { queue: false })).toEqual([]);
  });
});

describe('a database with the migrations of before the first release', () => {
  test('with all of them is carried over: its record becomes the first migration, and no more', async () => {
    await inEmptyDatabase(async (client, url) => {
      await client.query(readFileSync(join(FOLDER, FILES[0]!), 'utf8'));
      await recordOldChain(client, '0044_drop_packed_stats.sql');
      await client.query("insert into companies (name) values ('Kept')");
      const rows = async () =>
        (await client.query('select secret, companies.id from contact_secret, companies')).rows;
      const before = await rows();
      await expect(assertSchemaVersion(client)).rejects.toMatchObject({
        code: 'schema_version',
        message: expect.stringMatching(/became one\. Run `plat migrate`\.$/),
      });

      expect(await migrate(url, { queue: false })).toEqual(FILES.slice(1));
      expect((await listMigrations(client)).map(({ name }) => name)).toEqual(FILES);
      expect(await rows()).toEqual(before);
      expect(await dumpSchema(client)).toBe(SCHEMA);
      await assertSchemaVersion(client);
      expect(await migrate(url, { queue: false })).toEqual([]);
    });
  });

  test('in the middle of them is told which version brings it to their end, and is left alone', async () => {
    await inEmptyDatabase(async (client, url) => {
      await recordOldChain(client, '0030_coverage.sql');
      const record = await listMigrations(client);
      await expect(migrate(url, { queue: false })).rejects.toMatchObject({
        code: 'migration',
        message: expect.stringMatching(
          /stopped at 0030_coverage\.sql.* Run `plat migrate` of commit [0-9a-f]{10} .* first, then this program's\./,
        ),
      });
      expect(await listMigrations(client)).toEqual(record);
    });
  });
});
