import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { STATS } from '../../support/spender.ts';

const MARKETS = '/api/public/v1/markets/';

const db = await createTestDatabase();
/** Seconds pass when the test says so: a process uses what it read about an account for two. */
let passed = 0;
const api = await startTestApi(db, { now: () => new Date(Date.now() + passed) });
beforeAll(() => insertRegions(db));
const { plat, json, refused } = commandsOn(db);

describe('plat account', () => {
  test('create and show, with all terms', async () => {
    await json(
      'account',
      'create',
      'acme',
      '--tier',
      'growth',
      '--no-pro',
      '--tokens',
      '1000',
      '--overage-price',
      '250',
      '--overage',
      '--payment-method',
      '--invoice',
      'unpaid',
      '--backstop',
      '500',
      '--rate',
      '30',
      '--burst',
      '40',
      '--company',
      'Acme Land',
      '--user',
      'ana@acme.example',
      '--user-name',
      'Ana Lima',
    );
    expect(await json('account', 'show', 'acme')).toMatchObject({
      name: 'acme',
      company: 'Acme Land',
      user_email: 'ana@acme.example',
      user_name: 'Ana Lima',
      pro: false,
      tier: 'growth',
      tokens_included: 1_000,
      overage_cents_per_1000: 250,
      overage_allowed: true,
      payment_method: true,
      invoice_paid: false,
      backstop_tokens: 500,
      rate_per_minute: 30,
      rate_burst: 40,
      tokens_used: 0,
      keys: 0,
    });
    expect((await plat('account', 'show', 'acme')).out).toContain('ana@acme.example');
  });

  test.each([
    [['--pro'], { pro: true }],
    [['--tier', 'scale'], { tier: 'scale', tokens_included: 500_000, overage_cents_per_1000: 300 }],
    [
      ['--tier', 'starter', '--tokens', '7'],
      { tier: 'starter', tokens_included: 7, overage_cents_per_1000: 500 },
    ],
    [
      ['--tokens', '9', '--overage-price', '1'],
      { tier: 'starter', tokens_included: 9, overage_cents_per_1000: 1 },
    ],
    [['--no-overage', '--no-payment-method'], { overage_allowed: false, payment_method: false }],
    [['--invoice', 'paid'], { invoice_paid: true }],
    [['--backstop', 'none'], { backstop_tokens: null }],
    [['--backstop', '0'], { backstop_tokens: 0 }],
    [['--rate', '1', '--burst', '2'], { rate_per_minute: 1, rate_burst: 2 }],
    [['--company', 'Other', '--user', ''], { company: 'Other', user_email: null, user_name: null }],
    [
      ['--no-contract'],
      { tier: null, tokens_included: 0, overage_cents_per_1000: 0, period_start: null, period_end: null },
    ],
    [['--tier', 'free'], { tier: 'free', tokens_included: 500 }],
  ])('set %j', async (flags, expected) => {
    const before = await json('account', 'show', 'acme');
    const after = await json('account', 'set', 'acme', ...flags);
    expect(after).toMatchObject(expected);
    const dates =
      flags.includes('--tier') || flags.includes('--no-contract') ? ['period_start', 'period_end'] : [];
    const changed = Object.keys(after).filter(name => after[name] !== before[name]);
    expect(changed.filter(name => !(name in expected) && !dates.includes(name))).toEqual([]);
  });

  test('set the dates of the period', async () => {
    await json('account', 'create', 'dated');
    const start = new Date(Date.now() - 3 * 86_400_000);
    const set = await json('account', 'set', 'dated', '--period-start', start.toISOString());
    expect(new Date(set.period_start)).toEqual(start);
    const end = new Date(Date.now() + 86_400_000);
    expect((await json('account', 'set', 'dated', '--period-end', end.toISOString())).period_end).toBe(
      end.toISOString(),
    );
  });

  test.each([
    [['account', 'set', 'nobody', '--pro'], 2, 'account "nobody"'],
    [['account', 'set', 'dated', '--tier', 'gold'], 2, 'tier "gold"'],
    [['account', 'create', 'golden', '--tier', 'gold'], 2, 'tier "gold"'],
    [['account', 'set', 'dated', '--rate', '0'], 2, 'rate'],
    [['account', 'set', 'dated', '--period-end', '2020-01-01'], 2, 'period'],
    [['account', 'set', 'dated', '--period-start', '2999-01-01'], 2, '--period-end'],
    [['account', 'set', 'dated', '--period-end', 'soon'], 2, "'soon'"],
    [['account', 'set', 'dated', '--invoice', 'maybe'], 2, 'paid, unpaid'],
    [['account', 'set', 'dated', '--tier', 'free', '--no-contract'], 2, '--no-contract'],
    [['account', 'set', 'dated', '--user', 'ana'], 2, 'email'],
    [['account', 'create', 'named', '--user', 'Ana <ana@acme.example>'], 2, 'email'],
    [['account', 'set', 'dated', '--user-name', 'Ana'], 2, '--user'],
    [['account', 'create', 'named', '--user-name', 'Ana'], 2, '--user'],
    [['account', 'show', 'nobody'], 2, 'account "nobody"'],
    [['usage', '--account', 'dated', '--period', '1999-01'], 2, '1999-01'],
    [['usage', '--account', 'dated', '--csv', '--json'], 2, "'--json'"],
  ])('%j is refused', async (argv, code, reason) => {
    const refused = await plat(...argv);
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(reason)]);
  });

  test('a user is identified by email address, however it is written, and determines the company', async () => {
    await json('account', 'create', 'ben 1', '--company', 'Ben Land', '--user', 'Ben@land.example');
    const second = await json(
      'account',
      'create',
      'ben 2',
      '--user',
      'ben@LAND.example',
      '--user-name',
      'Ben Ito',
    );
    expect(second).toMatchObject({ company: 'Ben Land', user_email: 'Ben@land.example' });
    expect(await json('account', 'show', 'ben 1')).toMatchObject({ user_name: 'Ben Ito' });
    const listed = (await json('account', 'list')).filter((row: { name: string }) =>
      row.name.startsWith('ben'),
    );
    expect(listed).toMatchObject([{ user_email: 'Ben@land.example' }, { user_email: 'Ben@land.example' }]);
    expect((await plat('account', 'list')).out).toMatch(/ben 1 +Ben Land +Ben@land\.example/);
    const { rows } = await db.pool.query("select from users where email ilike 'ben@land.example'");
    expect(rows).toHaveLength(1);
    const keys = [await json('key', 'create', 'ben 1'), await json('key', 'create', 'ben 2')];
    await api.call(MARKETS, posting(keys[0].key, '{"region_id":"5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11"}'));
    expect((await api.call(MARKETS, { key: keys[1].key })).json).toMatchObject([
      { region: { fips: '33019' } },
    ]);
  });

  test("an account's user is replaced, renamed, and removed", async () => {
    await json('account', 'create', 'cy', '--user', 'cy@land.example');
    expect(await json('account', 'set', 'cy', '--user-name', 'Cy Young')).toMatchObject({
      user_email: 'cy@land.example',
      user_name: 'Cy Young',
    });
    expect(await json('account', 'set', 'cy', '--user', 'di@land.example')).toMatchObject({
      company: 'cy',
      user_email: 'di@land.example',
      user_name: '',
    });
    expect(await json('account', 'set', 'cy', '--user', '')).toMatchObject({ user_email: null });
    expect(await json('account', 'set', 'cy', '--user', 'CY@land.example')).toMatchObject({
      user_name: 'Cy Young',
    });
    const history = await json('account', 'history', 'cy');
    expect(history.filter(({ entity }: { entity: string }) => entity === 'users')).toMatchObject([
      { action: 'insert', after: { email: 'cy@land.example' } },
      { action: 'update', before: { name: '' }, after: { name: 'Cy Young' } },
      { action: 'insert', after: { email: 'di@land.example' } },
    ]);
  });

  test("a user's accounts belong to one company: a sole account takes its user along, otherwise the move is refused", async () => {
    await json('account', 'create', 'eve 1', '--company', 'Eve Land', '--user', 'eve@land.example');
    expect(await json('account', 'set', 'eve 1', '--company', 'Eve Homes')).toMatchObject({
      company: 'Eve Homes',
      user_email: 'eve@land.example',
    });
    await json('account', 'create', 'eve 2', '--user', 'eve@land.example');
    const before = await json('account', 'history', 'eve 1');
    for (const argv of [
      ['account', 'set', 'eve 1', '--company', 'Eve Land'],
      ['account', 'set', 'eve 1', '--company', 'Eve Land', '--user', 'eve@land.example', '--pro'],
      ['account', 'create', 'eve 3', '--company', 'Eve Land', '--user', 'eve@land.example'],
      ['account', 'set', 'cy', '--user', 'eve@land.example'],
    ]) {
      const refused = await plat(...argv);
      expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/compan/)]);
    }
    expect(await json('account', 'history', 'eve 1')).toEqual(before);
    expect(await json('account', 'set', 'eve 2', '--company', 'Eve Land', '--user', '')).toMatchObject({
      company: 'Eve Land',
    });
    expect(
      await json('account', 'set', 'cy', '--company', 'Eve Homes', '--user', 'eve@land.example'),
    ).toMatchObject({ company: 'Eve Homes', user_email: 'eve@land.example' });
  });

  test('terms without a contract are refused, and nothing changes', async () => {
    await json('account', 'create', 'bare', '--no-contract');
    const refused = await plat('account', 'set', 'bare', '--tokens', '5', '--pro');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--tier')]);
    expect(await json('account', 'show', 'bare')).toMatchObject({ tier: null, tokens_included: 0 });
  });

  test('history shows who changed what, with old and new values, and no secrets', async () => {
    await json('account', 'create', 'watched');
    const { key, id, prefix } = await json('key', 'create', 'watched', '--name', 'web');
    await json('account', 'set', 'watched', '--pro');
    await json('account', 'set', 'watched', '--no-pro');
    await json('key', 'revoke', prefix);
    await db.pool.query("update accounts set tokens_included = 1 where name = 'watched'");
    const history = await json('account', 'history', 'watched');
    expect(history).toMatchObject([
      { action: 'insert', entity: 'accounts', before: null, after: { name: 'watched', tier: 'starter' } },
      { action: 'insert', entity: 'api_keys', entity_id: id, after: { name: 'web', prefix } },
      { action: 'update', entity: 'accounts', before: { pro: true }, after: { pro: false } },
      {
        action: 'update',
        entity: 'api_keys',
        before: { revoked_at: null },
        after: { revoked_at: expect.any(String) },
      },
      { action: 'update', before: { tokens_included: 5_000 }, after: { tokens_included: 1 } },
    ]);
    const me = process.env.SUDO_USER ?? userInfo().username;
    expect(history.slice(0, 4).every((change: { actor: string }) => change.actor.startsWith(`${me}@`))).toBe(
      true,
    );
    // Whoever goes past the program is known by the database's user.
    expect(history[4].actor).toBe(new URL(db.url).username);
    expect(history.every((change: { at: string }) => !Number.isNaN(Date.parse(change.at)))).toBe(true);
    expect(JSON.stringify(history)).not.toContain(key.slice(prefix.length));
    expect(JSON.stringify(history)).not.toContain('key_hash');
    expect((await plat('account', 'history', 'watched')).out).toContain('{"pro":false}');
  });
});

test('plat tier: new terms apply to new contracts, and every tier can be created', async () => {
  await json('account', 'create', 'early', '--tier', 'growth');
  expect(await json('tier', 'set', 'growth', '--tokens', '60000')).toEqual({
    name: 'growth',
    tokens_included: 60_000,
    overage_cents_per_1000: 400,
    price_cents: null,
    direct: true,
  });
  await json('account', 'create', 'late', '--tier', 'growth');
  expect((await json('account', 'show', 'early')).tokens_included).toBe(50_000);
  expect((await json('account', 'show', 'late')).tokens_included).toBe(60_000);
  await json('tier', 'set', 'agents', '--new', '--tokens', '70', '--overage-price', '9', '--no-direct');
  await json('account', 'create', 'robots', '--tier', 'agents');
  const { key } = await json('key', 'create', 'robots');
  expect((await api.call(STATS, { key })).json).toMatchObject({ error: { code: 'tier_upgrade_required' } });
  expect((await json('tier', 'list')).map((tier: { name: string }) => tier.name)).toContain('agents');
});

test('plat tier set changes existing tiers, and creates one only with the option', async () => {
  const before = await json('tier', 'list');
  await refused(['tier', 'set', 'grwoth', '--tokens', '60000'], 'tier "grwoth".*--new');
  await refused(['tier', 'set', '', '--new', '--tokens', '1', '--overage-price', '1'], 'tier\\b.*empty');
  await refused(['tier', 'set', 'sunset', '--new', '--tokens', '1'], '--overage-price');
  await refused(['tier', 'set', 'sunset', '--new', '--overage-price', '1'], '--tokens');
  await refused(['tier', 'set', 'scale', '--new', '--tokens', '1', '--overage-price', '1'], '--new');
  expect(await json('tier', 'list')).toEqual(before);
});

test('plat tier set --no-direct applies to existing accounts, as it says; history shows who did what', async () => {
  const terms = ['--tokens', '70', '--overage-price', '9'];
  expect(await json('tier', 'set', 'rest', '--new', ...terms)).toMatchObject({ direct: true });
  await json('account', 'create', 'of before', '--tier', 'rest');
  const { out } = await plat('tier', 'set', 'rest', '--no-direct', '--tokens', '80');
  expect(out).toMatch(/--no-direct .*accounts/);
  expect((await plat('tier', 'set', '--help')).out).toMatch(/--no-direct .*accounts/);
  const { key } = await json('key', 'create', 'of before');
  expect((await api.call(STATS, { key })).json).toMatchObject({ error: { code: 'tier_upgrade_required' } });
  expect(await json('account', 'show', 'of before')).toMatchObject({ tokens_included: 70 });

  expect(await json('tier', 'history', 'rest')).toMatchObject([
    { action: 'insert', actor: expect.stringContaining('@'), after: { tokens_included: 70, direct: true } },
    {
      action: 'update',
      before: { tokens_included: 70, direct: true },
      after: { tokens_included: 80, direct: false },
    },
  ]);
  expect((await plat('tier', 'history', 'rest')).out).toContain('"direct":false');
  await refused(['tier', 'history', 'nothing'], 'no tier "nothing"');
});

test('a change takes effect in a process that has just served the account', async () => {
  await json('account', 'create', 'slow');
  const { key } = await json('key', 'create', 'slow');
  expect((await api.call(STATS, { key })).status).toBe(200);
  await json('account', 'set', 'slow', '--invoice', 'unpaid');
  expect((await answers(key, 402)).json).toMatchObject({ error: { code: 'payment_required' } });
});

/** The answer of this status, which processes give within seconds. */
async function answers(key: string, status: number) {
  passed += 2_000;
  const reply = await api.call(STATS, { key });
  expect(reply.status).toBe(status);
  return reply;
}

test('a disabled account is refused with all its keys, and accepted again once enabled', async () => {
  await json('account', 'create', 'paused');
  const { key } = await json('key', 'create', 'paused');
  await answers(key, 200);
  expect((await plat('account', 'disable', 'paused')).out).toContain('paused');
  expect((await answers(key, 401)).json).toMatchObject({
    error: { code: 'unauthorized', message: expect.stringContaining('account') },
  });
  expect(await json('account', 'show', 'paused')).toMatchObject({ disabled_at: expect.any(String) });
  expect((await json('account', 'history', 'paused')).at(-1)).toMatchObject({
    action: 'update',
    before: { disabled_at: null },
    after: { disabled_at: expect.any(String) },
  });
  await json('account', 'enable', 'paused');
  await answers(key, 200);
  await refused(['account', 'disable', 'nobody'], 'no account "nobody"');
});

test('a key is rotated: both keys work until the old one expires, or at once without an overlap', async () => {
  await json('account', 'create', 'rotating');
  const first = await json('key', 'create', 'rotating', '--name', 'web', '--expires', '2099-12-31');
  const second = await json('key', 'rotate', first.prefix);
  for (const { key } of [first, second]) await answers(key, 200);
  expect(await json('key', 'list', '--account', 'rotating')).toMatchObject([
    { id: first.id, name: 'web', expires_at: second.old_until, revoked_at: null },
    { id: second.id, name: 'web', expires_at: '2099-12-31T23:59:59.000Z', revoked_at: null },
  ]);
  const { out } = await plat('key', 'rotate', second.id, '--overlap', '0');
  await answers(second.key, 401);
  await answers(out.trim(), 200);
  await refused(['key', 'rotate', second.id], 'No active key');
});
