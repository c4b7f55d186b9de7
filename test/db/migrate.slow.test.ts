import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { Db } from '../../shared/platform/db.ts';
import { assertSchemaVersion, listPending, migrate } from '../../shared/platform/migrate.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { dumpSchema } from '../../tools/checks/generated-files.ts';
import { testFolder } from '../support/folder.ts';
import { onServer, withDatabase } from '../support/server.ts';
import { eventually } from '../support/workers.ts';

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
      `select version, name, checksum from schema_migrations
       union all select version, name, checksum from schema_expansions order by version`,
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
    expect(await migrate(url)).toEqual(FILES);
    expect((await listMigrations(client)).map(({ name }) => name)).toEqual(FILES);
    expect(await assertSchemaVersion(new Db(client))).toEqual([]);
    expect(await migrate(url)).toEqual([]);
    expect(await listPending(url)).toEqual([]);
  });
});

test('several processes at once apply each migration once', async () => {
  await inEmptyDatabase(async (client, url) => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
    expect(applied.flat()).toEqual(FILES);
    expect((await listMigrations(client)).map(({ name }) => name)).toEqual(FILES);
  });
});

test('a migration that was changed after it had been applied is refused', async () => {
  const folder = testFolder();
  const write = (text: string) => writeFileSync(join(folder, '0001_base.sql'), text);
  write('create table notes (id int primary key);');
  await inEmptyDatabase(async (client, url) => {
    const again = () => migrate(url, { folder });
    expect(await again()).toEqual(['0001_base.sql']);
    const before = await listMigrations(client);
    write('create table notes (id bigint primary key);');
    await expect(again()).rejects.toMatchObject({
      code: 'migration',
      message: expect.stringContaining('0001_base.sql'),
    });
    expect(await listMigrations(client)).toEqual(before);
  });
});

describe('a release on the schema of a newer one', () => {
  const OLD = { '0001_base.sql': 'create table notes (id int primary key);' };
  const EXPANDING = {
    '0025_text.sql': '-- expanding: notes have a text\nalter table notes add column text text;',
  };
  const BREAKING = { '0026_body.sql': '-- breaking: text is body\nalter table notes rename text to body;' };
  /** 24 files say nothing of their kind. */
  const landed = Object.fromEntries(
    Array.from({ length: 23 }, (_, i) => [`${String(i + 2).padStart(4, '0')}_landed.sql`, 'select 1;']),
  );
  const release = (...parts: Record<string, string>[]) => {
    const folder = testFolder();
    for (const [name, text] of Object.entries(Object.assign({}, OLD, landed, ...parts)))
      writeFileSync(join(folder, name), text as string);
    return folder;
  };
  const [old, expanded, broken, silent] = [
    release(),
    release(EXPANDING),
    release(EXPANDING, BREAKING),
    release({ '0025_silent.sql': 'select 1;' }),
  ] as const;
  const run = (url: string, folder: string) => migrate(url, { folder });
  /** What a1ecaab0, whose releases know nothing of kinds, compares with its own number. */
  const seenByFirst = async (client: pg.Client) =>
    (await client.query<{ version: number }>('select max(version) as version from schema_migrations'))
      .rows[0]!.version;

  test('works while that has only backward-compatible migrations, and its own plat migrate leaves them alone', async () => {
    await inEmptyDatabase(async (client, url) => {
      await run(url, old);
      expect(await listPending(url, expanded)).toEqual([{ name: '0025_text.sql', kind: 'expanding' }]);
      await expect(assertSchemaVersion(new Db(client), expanded)).rejects.toMatchObject({
        code: 'schema_version',
      });
      expect(await run(url, expanded)).toEqual(['0025_text.sql']);

      expect(await seenByFirst(client)).toBe(24);
      expect(await assertSchemaVersion(new Db(client), old)).toEqual(['0025_text.sql']);
      expect(await run(url, old)).toEqual([]);
      expect(await assertSchemaVersion(new Db(client), expanded)).toEqual([]);
      expect(await run(url, expanded)).toEqual([]);
    });
  });

  test('refuses a breaking one, at startup and in plat migrate, and changes nothing', async () => {
    await inEmptyDatabase(async (client, url) => {
      expect((await run(url, broken)).slice(-2)).toEqual(['0025_text.sql', '0026_body.sql']);
      expect(await seenByFirst(client)).toBe(26);
      for (const folder of [old, expanded]) {
        const newer = { message: expect.stringContaining('0026_body.sql') };
        await expect(assertSchemaVersion(new Db(client), folder)).rejects.toMatchObject({
          ...newer,
          code: 'schema_version',
        });
        for (const work of [run, listPending])
          await expect(work(url, folder)).rejects.toMatchObject({ ...newer, code: 'migration' });
      }
      expect(await run(url, broken)).toEqual([]);
    });
  });

  test("a migration that doesn't declare its kind counts as breaking", async () => {
    await inEmptyDatabase(async (client, url) => {
      await run(url, silent);
      await expect(assertSchemaVersion(new Db(client), old)).rejects.toMatchObject({
        code: 'schema_version',
      });
    });
  });

  test('a migration that waits for a table lets others use it, and continues when it is free', async () => {
    await inEmptyDatabase(async (client, url) => {
      await run(url, old);
      await client.query('begin');
      await client.query('insert into notes values (1)');
      let waits = false;
      const running = migrate(url, { folder: expanded, say: () => (waits = true) });
      await expect.poll(() => waits).toBe(true);
      // Behind a migration that waited on, this would never come back.
      await onServer(url, other => other.query("set statement_timeout = '60s'; select from notes"));
      await client.query('commit');
      expect(await running).toEqual(['0025_text.sql']);
    });
  });

  test('a migration gives way to a call that has what it needs, and needs what it has', async () => {
    await inEmptyDatabase(async (client, url) => {
      await run(url, old);
      await client.query('create table pages (id int)');
      const folder = release({
        '0025_two_tables.sql': `-- expanding: notes have a text, and pages as well
          alter table notes add column text text;
          do $$ begin
            while not exists (select from pg_locks where relation = 'notes'::regclass and not granted) loop
              perform pg_sleep(0.01);
            end loop;
          end $$;
          alter table pages add column text text;`,
      });
      await client.query('begin');
      await client.query('insert into pages values (1)');
      let waits = false;
      const running = migrate(url, { folder, say: () => (waits = true) });
      await onServer(url, other =>
        expect
          .poll(async () => {
            const { rows } = await other.query(
              "select from pg_locks where relation = 'notes'::regclass and mode = 'AccessExclusiveLock' and granted",
            );
            return rows.length;
          })
          .toBe(1),
      );
      await client.query('insert into notes values (1)');
      await client.query('commit');
      await expect.poll(() => waits).toBe(true);
      // The next attempt finds a call that waits for the notes.
      const reading = eventually(async () => {
        await onServer(url, other => other.query('select from notes'));
        return (await listPending(url, folder)).length === 0;
      });
      expect(await running).toEqual(['0025_two_tables.sql']);
      await reading;
    });
  });
});

describe('a database with the migrations from before the first release', () => {
  test('is adopted if it has all of them: its record becomes the first migration, and nothing else changes', async () => {
    await inEmptyDatabase(async (client, url) => {
      await client.query(readFileSync(join(FOLDER, FILES[0]!), 'utf8'));
      await recordOldChain(client, '0044_drop_packed_stats.sql');
      await client.query("insert into companies (name) values ('Kept')");
      const rows = async () =>
        (await client.query('select secret, companies.id from contact_secret, companies')).rows;
      const before = await rows();
      await expect(assertSchemaVersion(new Db(client))).rejects.toMatchObject({
        code: 'schema_version',
        message: expect.stringContaining('`plat migrate`'),
      });

      expect(await migrate(url)).toEqual(FILES.slice(1));
      expect((await listMigrations(client)).map(({ name }) => name)).toEqual(FILES);
      expect(await rows()).toEqual(before);
      expect(await dumpSchema(new Db(client))).toBe(SCHEMA);
      await assertSchemaVersion(new Db(client));
      expect(await migrate(url)).toEqual([]);
    });
  });

  test('is left alone if it has some of them, and the error names the version that completes them', async () => {
    await inEmptyDatabase(async (client, url) => {
      await recordOldChain(client, '0030_coverage.sql');
      const before = (await client.query('table schema_migrations')).rows;
      await expect(migrate(url)).rejects.toMatchObject({
        code: 'migration',
        message: expect.stringMatching(/0030_coverage\.sql.*git checkout [0-9a-f]{10} .*npx plat migrate/),
      });
      expect((await client.query('table schema_migrations')).rows).toEqual(before);
    });
  });
});
