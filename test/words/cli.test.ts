import { join } from 'node:path';
import { expect, test } from 'vitest';
import { welcome } from '../../cli/up/welcome.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn, runCommand } from '../support/plat.ts';

/**
 * What an operator reads on a terminal: the welcome, the help, and refusals with their fix. Other tests hold
 * exit codes, names and figures, so that a sentence is reworded in its source and here.
 */
const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { plat } = commandsOn(db);

test.each<[string[], string]>([
  [['runs', '--limit', 'many'], 'Enter a whole number.'],
  [['runs', 'show', '999'], 'There is no run 999. `plat runs` lists them.'],
  [['runs', 'undo', '999'], 'There is no run 999. `plat runs` lists them.'],
  [['runs', '--feed', 'nowhere'], 'There is no feed named nowhere'],
  [['feed', 'remove', 'nowhere'], 'There is no layer of a feed named nowhere'],
  [
    ['feed', 'suggest', 'roll.csv', '--name', 'a_b'],
    'Enter up to 63 lowercase letters, digits, and hyphens, such as a-b.',
  ],
  [['feed', 'check', '/nowhere/feed.yaml'], "Can't read feed file /nowhere/feed.yaml (ENOENT)"],
  [
    ['feed', 'run', 'bangor-me-elevation', '--layer', 'x.geojson'],
    'the feed bangor-me-elevation has kind elevation. It accepts --elevation, not --layer',
  ],
  [['recompute', 'stats'], 'use one of --fips, --zip, and --all'],
  [['recompute', 'stats', '--fips', 'Sullivan'], 'Enter a 5-digit FIPS code, such as 33019.'],
  [['recompute', 'stats', '--fips', '99999'], 'No county has the FIPS code 99999.'],
  [['recompute', 'stats', '--all', '--as-of', '2025-02-30'], 'Enter a date as YYYY-MM-DD'],
  [['recompute', 'stats', '--all', '--as-of', '2130-01-01'], 'The date is in the future. Today is 20'],
  [['county', 'add', '33019', '--wait'], '--wait needs --run'],
  [['account', 'create', 'x', '--tier', 'gold'], 'There is no tier "gold"'],
  [['account', 'create', ' '], 'name of the account is empty'],
  [['account', 'create', 'x', '--user', 'ana'], 'is not an email address'],
  [['key', 'create', 'nobody'], 'There is no account "nobody"'],
  [['key', 'revoke', 'plat_unknown'], 'No active key matches'],
  [['export', 'x.csv'], 'choose what to export with --county, --filter, or --comps'],
])('plat %j says what is wrong', async (argv, words) => {
  const { code, err } = await plat(...argv);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
});

test('without a database the command says how to get one', async () => {
  const { code, err } = await runCommand({ PLAT_DIR: join(db.folder, 'none') }, ['status']);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('Start it with `npm start` in another terminal, or set DATABASE_URL'),
  ]);
});

test("a queued job's message says where to look", async () => {
  expect((await plat('recompute', 'stats', '--all')).out).toMatch(
    /^statistics: job [0-9a-f-]{36} is queued\. `plat status` shows its progress\.\n$/,
  );
});

test('the help explains each exit code', async () => {
  const { out } = await plat('--help');
  expect(out).toContain('Usage: plat [options]');
  expect(out).toContain(
    'Exit codes: 0 done, 1 failed, 2 usage error or unknown name, 3 blocked by the gate.',
  );
});

test('npm start shows a new user the next steps', async () => {
  const { key } = await newCaller(db);
  const text = await welcome({
    url: api.url,
    link: '/sign-in/link/x',
    key,
    keyFile: '.plat/demo-key',
    admin: 'secret',
    logs: '.plat/logs',
  });
  for (const words of [
    `Plat is ready at ${api.url}`,
    `web app          ${api.url}/sign-in/link/x`,
    `demo key         ${key}   (also in .plat/demo-key)`,
    `documentation    ${api.url}/docs`,
    `queues           ${api.url}/admin/queues   (user admin, password secret)`,
    'Calls to try, with their responses:',
    "# A county that doesn't exist: 404, 0 tokens",
    'or npx plat --help. Press Ctrl-C to stop.',
  ])
    expect(text).toContain(words);
});
