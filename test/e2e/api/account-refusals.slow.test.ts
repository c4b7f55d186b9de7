import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';

const db = await createTestDatabase();
const { plat, json, refused } = commandsOn(db);

beforeAll(() => json('account', 'create', 'Acme Land', '--company', 'Acme'));

test('an id identifies its account, even if another account has it as its name', async () => {
  const real = await json('account', 'create', 'real');
  const posing = await json('account', 'create', 'posing');
  await db.pool.query('update accounts set name = $1 where id = $2', [real.id, posing.id]);

  const key = await json('key', 'create', real.id.toUpperCase());
  expect(await json('key', 'list', '--account', real.id)).toMatchObject([{ id: key.id, account: 'real' }]);
  expect(await json('account', 'set', real.id, '--tokens', '7')).toMatchObject({ name: 'real' });
  expect(await json('account', 'show', real.id)).toMatchObject({ name: 'real', tokens_included: 7 });
  expect(await json('account', 'history', real.id)).toHaveLength(3);
  expect(await json('account', 'show', posing.id)).toMatchObject({ name: real.id, tokens_included: 5_000 });
  expect(await json('usage', '--account', real.id)).toMatchObject([{ tokens_included: 7 }]);
});

test('names are stored without surrounding blanks', async () => {
  expect(await json('account', 'create', '  South Land\t', '--company', ' South ')).toMatchObject({
    name: 'South Land',
    company: 'South',
  });
  await json('key', 'create', 'South Land', '--name', ' web ');
  expect(await json('key', 'list', '--account', 'South Land')).toMatchObject([{ name: 'web' }]);
  expect(await json('account', 'create', '界'.repeat(100))).toMatchObject({ name: '界'.repeat(100) });
});

describe('refusals', () => {
  const long = 'x'.repeat(101);
  test.each<[string, string[], string]>([
    ['an empty account', ['account', 'create', ' '], 'account\\b.*empty'],
    ['a long account', ['account', 'create', long], '\\b101 characters.*\\b100\\b'],
    ['an account of lines', ['account', 'create', 'two\nlines'], 'control characters'],
    ['an account with colours', ['account', 'create', '\u001b[31mred'], 'control characters'],
    ['an account like an id', ['account', 'create', '5e9b0f3c-6a52-5d0e-9b60-0C9F3A1F7F11'], '\\bid\\b'],
    ['one without dashes', ['account', 'create', '5e9b0f3c6a525d0e9b600c9f3a1f7f11'], '\\bid\\b'],
    ['an empty company', ['account', 'create', 'a', '--company', ''], 'company\\b.*empty'],
    ['an empty company, set', ['account', 'set', 'Acme Land', '--company', ''], 'company\\b.*empty'],
    ['an empty key', ['key', 'create', 'Acme Land', '--name', ''], 'key\\b.*empty'],
    ['a key of lines', ['key', 'create', 'Acme Land', '--name', 'a\tb'], 'control characters'],
    ['a long email address', ['account', 'create', 'a', '--user', `${'x'.repeat(250)}@a.example`], 'email'],
    ['an email address with colors', ['account', 'create', 'a', '--user', '\u001b[31ma@b.example'], 'email'],
    ['the keys of nobody', ['key', 'list', '--account', 'nobody'], 'account "nobody"'],
    ['a key for nobody', ['key', 'create', 'nobody'], 'account "nobody"'],
  ])('%s', async (_what, argv, reason) => refused(argv, reason));

  test("an empty name of an existing user keeps the user's name", async () => {
    await json('account', 'create', 'first', '--user', 'ana@acme.example', '--user-name', 'Ana Lima');
    await refused(
      ['account', 'create', 'second', '--user', 'ana@acme.example', '--user-name', ''],
      'user\\b.*empty',
    );
    await refused(['account', 'set', 'first', '--user-name', ' '], 'user\\b.*empty');
    expect(await json('account', 'show', 'first')).toMatchObject({ user_name: 'Ana Lima' });
  });
});

describe('names that look like others', () => {
  test.each([
    ['a zero-width space', 'ac\u200bme'],
    ['a word joiner', 'ac\u2060me'],
    ['text from right to left', 'acme \u202eemca'],
    ['a soft hyphen', 'ac\u00adme'],
    ['a filler', 'ac\u3164me'],
    ['half a character', 'ac\ud800me'],
    ['one for private use', 'ac\ue000me'],
  ])('with %s are refused, whatever they name', async (_what, name) => {
    for (const argv of [
      ['account', 'create', name],
      ['account', 'create', 'plain', '--company', name],
      ['account', 'create', 'plain', '--user', 'a@b.example', '--user-name', name],
      ['tier', 'set', name, '--new', '--tokens', '1', '--overage-price', '1'],
      ['key', 'create', 'Acme Land', '--name', name],
    ])
      await refused(argv, 'control characters.*invisible');
  });

  test.each([
    ['case', 'Über Land', 'ÜBER LAND'],
    ['sharp s', 'Groß', 'GROSS'],
    ['composition', 'Café', 'Cafe\u0301'],
    ['width', 'Wide', 'Ｗｉｄｅ'],
  ])('only by %s are refused for new accounts, companies and tiers', async (_what, known, alike) => {
    const terms = ['--tokens', '1', '--overage-price', '1'];
    await json('tier', 'set', known, '--new', ...terms);
    await json('account', 'create', known);
    const reason = `"${alike}" .*case.*encoding`;
    for (const argv of [
      ['account', 'create', alike],
      ['account', 'create', `${known} 2`, '--company', alike],
      ['account', 'set', 'Acme Land', '--company', alike],
      ['tier', 'set', alike, '--new', ...terms],
    ])
      await refused(argv, reason);
    await refused(['account', 'show', alike], `account "${alike}"`);
    await refused(['account', 'create', known], `account.*"${known}"`);
    expect(await json('account', 'create', `${known} 2`, '--company', known)).toMatchObject({
      company: known,
    });
  });

  test("an account may have the same name as its user's company, but not one that only looks like another", async () => {
    await json('account', 'create', 'north 1', '--company', 'Northern', '--user', 'n@n.example');
    await refused(['account', 'create', 'NORTHERN', '--user', 'new@n.example'], '"NORTHERN".*company');
    expect(await json('account', 'create', 'northern', '--user', 'n@n.example')).toMatchObject({
      company: 'Northern',
    });
  });

  test('stay valid where they already exist', async () => {
    await json('account', 'create', 'odd');
    const odd = 'o\u200bdd';
    for (const table of ['accounts', 'companies'])
      await db.pool.query(`update ${table} set name = $1 where name = 'odd'`, [odd]);
    await db.pool.query(
      "insert into tiers select $1, tokens_included, overage_cents_per_1000, direct from tiers where name = 'free'",
      [odd],
    );
    expect(await json('account', 'show', odd)).toMatchObject({ name: odd, company: odd });
    expect(await json('tier', 'set', odd, '--tokens', '3')).toMatchObject({ tokens_included: 3 });
    expect(await json('account', 'create', 'odd 2', '--company', odd)).toMatchObject({ company: odd });
  });
});

test.each([
  ['plain-1.example', 'plain-1.example'],
  ['two words', "'two words'"],
  ["Joe's & $HOME", "'Joe'\\''s & $HOME'"],
  ['-x', '-- -x'],
  ['--all of it', "-- '--all of it'"],
  ['~root', "'~root'"],
])('the next command is one that a shell takes: %s', async (name, word) => {
  const { out } = await plat('account', 'create', '--', name);
  expect(out).toMatch(/ Next: plat key create .+\n$/);
  const command = out.trim().split(' Next: ')[1]!;
  expect(command).toBe(`plat key create ${word}`);
  const words = execFileSync('sh', [
    '-c',
    `for word in ${command.slice(5)}; do printf '%s\\0' "$word"; done`,
  ]);
  const { code } = await plat(...words.toString().split('\0').slice(0, -1));
  expect(code).toBe(0);
});

test.each([
  ['create', ['--no-contract', '--tokens', '5']],
  ['create', ['--no-contract', '--overage-price', '5']],
  ['create', ['--no-contract', '--tier', 'free']],
  ['set', ['--no-contract', '--tokens', '5']],
  ['set', ['--no-contract', '--overage-price', '5']],
  ['set', ['--no-contract', '--period-start', '2026-01-01']],
  ['set', ['--no-contract', '--period-end', '2026-01-01']],
])('plat account %s %j: terms need a contract', async (verb, flags) => {
  const name = verb === 'set' ? 'Acme Land' : 'without';
  await refused(['account', verb, name, ...flags], /contract/);
  await refused(['account', 'show', 'without'], 'account "without"');
  expect((await json('account', 'show', 'Acme Land')).tier).toBe('starter');
});
