import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';

const db = await createTestDatabase();
const { plat, json, refused } = commandsOn(db);

test('an id names its account, also when another account is called so', async () => {
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

test('names are stored without the blanks around them', async () => {
  expect(await json('account', 'create', '  Acme Land\t', '--company', ' Acme ')).toMatchObject({
    name: 'Acme Land',
    company: 'Acme',
  });
  await json('key', 'create', 'Acme Land', '--name', ' web ');
  expect(await json('key', 'list', '--account', 'Acme Land')).toMatchObject([{ name: 'web' }]);
  expect(await json('account', 'create', '界'.repeat(100))).toMatchObject({ name: '界'.repeat(100) });
});

describe('refused', () => {
  const long = 'x'.repeat(101);
  test.each<[string, string[], string]>([
    ['an empty account', ['account', 'create', ' '], 'name of the account is empty'],
    ['a long account', ['account', 'create', long], 'has 101 characters; at most 100'],
    ['an account of lines', ['account', 'create', 'two\nlines'], 'control characters'],
    ['an account with colours', ['account', 'create', '\u001b[31mred'], 'control characters'],
    [
      'an account like an id',
      ['account', 'create', '5e9b0f3c-6a52-5d0e-9b60-0C9F3A1F7F11'],
      'looks like the id',
    ],
    ['one without dashes', ['account', 'create', '5e9b0f3c6a525d0e9b600c9f3a1f7f11'], 'looks like the id'],
    ['an empty company', ['account', 'create', 'a', '--company', ''], 'name of the company is empty'],
    [
      'an empty company, set',
      ['account', 'set', 'Acme Land', '--company', ''],
      'name of the company is empty',
    ],
    ['an empty key', ['key', 'create', 'Acme Land', '--name', ''], 'name of the key is empty'],
    ['a key of lines', ['key', 'create', 'Acme Land', '--name', 'a\tb'], 'control characters'],
    [
      'a long e-mail address',
      ['account', 'create', 'a', '--user', `${'x'.repeat(250)}@a.example`],
      'no e-mail',
    ],
    [
      'an e-mail address with colours',
      ['account', 'create', 'a', '--user', '\u001b[31ma@b.example'],
      'no e-mail',
    ],
    ['the keys of nobody', ['key', 'list', '--account', 'nobody'], 'no account "nobody"'],
    ['a key for nobody', ['key', 'create', 'nobody'], 'no account "nobody"'],
  ])('%s', async (_what, argv, reason) => refused(argv, reason));

  test("an empty name of a known user, which keeps the user's name", async () => {
    await json('account', 'create', 'first', '--user', 'ana@acme.example', '--user-name', 'Ana Lima');
    await refused(
      ['account', 'create', 'second', '--user', 'ana@acme.example', '--user-name', ''],
      'name of the user is empty',
    );
    await refused(['account', 'set', 'first', '--user-name', ' '], 'name of the user is empty');
    expect(await json('account', 'show', 'first')).toMatchObject({ user_name: 'Ana Lima' });
  });
});

describe('values', () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const today = new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);

  test.each<[string[], string]>([
    [['account', 'create', 'slow', '--rate', '0'], 'rates are over 0'],
    [['account', 'create', 'slow', '--burst', '0'], 'rates are over 0'],
    [['account', 'create', 'slow', '--skip-trace-rate', '0'], 'rates are over 0'],
    [['account', 'create', 'slow', '--tokens', '1000000000'], 'at most 999,999,999'],
    [['account', 'create', 'slow', '--tokens', '-1'], 'A whole number is needed'],
    [['account', 'create', 'slow', '--backstop', '99999999999999999999'], 'at most 999,999,999'],
    [['account', 'create', 'slow', '--pro', '--no-pro'], '--pro and --no-pro exclude each other'],
    [['account', 'create', 'slow', '--no-overage', '--overage'], '--overage and --no-overage exclude'],
    [['account', 'set', 'real', '--payment-method', '--no-payment-method'], 'exclude each other'],
    [['tier', 'set', 'free', '--direct', '--no-direct'], '--direct and --no-direct exclude'],
    [['key', 'create', 'real', '--expires', yesterday], 'That day is over'],
  ])('%j is refused', async (argv, reason) => {
    await refused(argv, reason);
    expect((await json('account', 'list')).map((row: { name: string }) => row.name)).not.toContain('slow');
  });

  test('a key may expire today, and a backstop be 0', async () => {
    expect((await plat('key', 'create', 'Acme Land', '--expires', today)).code).toBe(0);
    await json('account', 'create', 'bound', '--overage', '--payment-method', '--backstop', '0');
    expect(await json('account', 'show', 'bound')).toMatchObject({ backstop_tokens: 0 });
  });
});
