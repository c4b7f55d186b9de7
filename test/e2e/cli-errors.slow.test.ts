import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../cli/main.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { runCommand } from '../support/plat.ts';
import { onServer, withDatabase } from '../support/server.ts';

const db = await createTestDatabase();
const written = testFolder();

/** These start services; database-away.slow and up.slow try them. */
const SERVICES = new Set(['up', 'api', 'worker']);

/**
 * Every command, called with something for each argument and option that it needs. `migrate` is last: it
 * gives the database a schema.
 */
const lines = leaves(createProgram())
  .filter(([name]) => !SERVICES.has(name!))
  .sort(([a], [b]) => Number(a === 'migrate') - Number(b === 'migrate'));

function leaves(command: Command, path: string[] = []): string[][] {
  if (command.commands.length > 0)
    return command.commands
      .filter(({ _hidden }: Command & { _hidden?: boolean }) => !_hidden)
      .flatMap(inner => leaves(inner, [...path, inner.name()]));
  // `plat publish` makes the folder that it is given.
  const needed = command.registeredArguments
    .filter(({ required }) => required)
    .map(argument => (argument.name() === 'folder' ? join(written, '1') : '1'));
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(option => (option.isBoolean() ? [option.long!] : [option.long!, '1']));
  return [[...path, ...needed, ...options]];
}

type Case = { name: string; url(): Promise<string> | string };
const CASES: Case[] = [
  { name: 'no database answers', url: () => 'postgres://nobody@127.0.0.1:1/nothing' },
  { name: 'the database has no schema', url: emptyDatabase },
  { name: 'the database is read-only', url: () => withOption('default_transaction_read_only=on') },
  { name: 'the role may do nothing', url: powerlessRole },
  { name: 'nothing of that name is there', url: () => db.url },
];

const empty = `${db.name}_empty`;
afterAll(() => onServer(db.url, client => client.query(`drop database if exists ${empty} with (force)`)));

async function emptyDatabase(): Promise<string> {
  await onServer(db.url, client => client.query(`create database ${empty} template template0`));
  return withDatabase(db.url, empty);
}

function withOption(option: string): string {
  const url = new URL(db.url);
  url.searchParams.set('options', `-c ${option}`);
  return url.href;
}

async function powerlessRole(): Promise<string> {
  const role = `${db.name}_nobody`;
  await onServer(db.url, client => client.query(`create role ${role} login password 'x'`));
  const url = new URL(db.url);
  url.username = role;
  url.password = 'x';
  return url.href;
}

test('every command is tried', () => {
  expect(lines.length).toBeGreaterThan(50);
});

describe.each(CASES)('$name', ({ url }) => {
  test('no command prints a stack, or an error without an explanation', async () => {
    const folder = testFolder();
    const env = { DATABASE_URL: await url(), PLAT_DIR: folder, FEEDS_DIR: folder };
    const bad: string[] = [];
    for (const line of lines) {
      const { code, err } = await runCommand(env, line);
      if (/^\s+at /m.test(err) || /Unexpected error/.test(err) || (code !== 0 && err === ''))
        bad.push(`${line.join(' ')}: ${code} ${err.slice(0, 300)}`);
    }
    expect(bad).toEqual([]);
  });
});

test('wrong settings, and missing files', async () => {
  for (const [env, line] of [
    [{ DATABASE_URL: db.url, PORT: 'abc' }, ['status']],
    [{ DATABASE_URL: 'no url' }, ['status']],
    [{ DATABASE_URL: db.url }, ['feed', 'check', '/nowhere/at/all.yaml']],
    [{}, ['status']],
  ] as const) {
    const { code, err } = await runCommand({ ...env, PLAT_DIR: testFolder() }, [...line]);
    expect([code, err]).toEqual([expect.any(Number), expect.stringMatching(/^plat: \S/)]);
    expect(code).not.toBe(0);
    expect(err).not.toMatch(/^\s+at /m);
    expect(err).not.toContain('Unexpected error');
  }
});
