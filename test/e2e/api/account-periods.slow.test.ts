import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, startTestApi } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { spender } from '../../support/spender.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { plat, json, refused } = commandsOn(db);
const used20 = spender(api, json);
beforeAll(() => insertRegions(db));

const overageOf = async (name: string) =>
  (await json('usage', '--account', name))[0] as { tokens_overage: number; overage_amount_cents: number };

describe('new terms of a period that has used tokens', () => {
  test('an allotment below the usage is refused without overage', async () => {
    const name = await used20('capped', '--overage-price', '200');
    const { period_end } = await json('account', 'show', name);
    for (const flags of [
      ['--tokens', '19'],
      ['--tokens', '0', '--overage'],
    ])
      await refused(['account', 'set', name, ...flags], `\\b20 tokens\\b.*\\b${period_end}\\b.*--force`);
    await json('tier', 'set', 'free', '--tokens', '10');
    await refused(['account', 'set', name, '--tier', 'free'], '\\b10\\b.*overage');
    expect(await json('account', 'show', name)).toMatchObject({ tier: 'starter', tokens_included: 5_000 });
    expect(await json('account', 'set', name, '--tokens', '20')).toMatchObject({ tokens_included: 20 });
  });

  test('--force lowers it anyway, and the output says what happens to overage', async () => {
    const name = await used20('forced', '--overage-price', '200');
    const { code, err } = await plat('account', 'set', name, '--tokens', '15', '--force');
    expect([code, err]).toEqual([0, expect.stringMatching(/\b0 tokens .*\b0\.00 .*\b5 tokens .*\b0\.01 /)]);
    expect(await overageOf(name)).toMatchObject({ tokens_overage: 5, overage_amount_cents: 1 });
  });

  test.each([
    [
      ['--overage-price', '100000'],
      [10, '10.00'],
    ],
    [
      ['--tier', 'starter'],
      [0, '0.00'],
    ],
    [
      ['--tokens', '0'],
      [20, '0.03'],
    ],
  ])('%j shows the overage that is used, as invoices will have it', async (flags, [tokens, dollars]) => {
    const terms = ['--tokens', '10', '--overage', '--payment-method', '--overage-price', '150'];
    const name = await used20(`repriced by ${flags[0]}`, ...terms);
    const { code, err } = await plat('account', 'set', name, ...flags);
    const said = new RegExp(`\\b10 tokens .*\\b0\\.02 .*\\b${tokens} tokens .*\\b${dollars} `);
    expect([code, err]).toEqual([0, expect.stringMatching(said)]);
    const { tokens_overage, overage_amount_cents } = await overageOf(name);
    expect([tokens_overage, (overage_amount_cents / 100).toFixed(2)]).toEqual([tokens, dollars]);
  });

  const REASONS = {
    backstop: 'overage\\b.*\\bbackstop\\b.*\\b5\\b',
    payment: 'overage\\b.*\\bpayment method\\b',
  };

  test("overage above the limit is refused, overage up to it isn't", async () => {
    const name = await used20('bounded', '--overage', '--payment-method', '--backstop', '5');
    await refused(['account', 'set', name, '--tokens', '14'], REASONS.backstop);
    await json('account', 'set', name, '--backstop', '6');
    expect((await plat('account', 'set', name, '--tokens', '14')).code).toBe(0);
    expect(await overageOf(name)).toMatchObject({ tokens_overage: 6 });
    // What is overage already may be bounded from now on.
    await json('account', 'set', name, '--backstop', '1');
    await json('account', 'set', name, '--no-payment-method');
    await refused(['account', 'set', name, '--tokens', '13'], REASONS.payment);
  });

  test.each([
    { flags: ['--overage'], reason: REASONS.payment },
    { flags: ['--overage', '--no-payment-method'], reason: REASONS.payment },
    { flags: ['--overage', '--payment-method', '--backstop', '5'], reason: REASONS.backstop },
    { flags: ['--overage', '--payment-method'], reason: undefined },
    { flags: ['--overage', '--payment-method', '--backstop', '10'], reason: undefined },
  ])(
    'what counts is what the account may have then, in one command and in two: %j',
    async ({ flags, reason }) => {
      const tokens = ['--tokens', '10'];
      const [one, two] = [await used20(`one ${flags.join()}`), await used20(`two ${flags.join()}`)];
      await json('account', 'set', two, ...flags);
      for (const argv of [
        ['account', 'set', one, ...tokens, ...flags],
        ['account', 'set', two, ...tokens],
      ])
        if (reason) await refused(argv, reason);
        else expect((await plat(...argv)).code).toBe(0);
      for (const name of [one, two])
        expect(await overageOf(name)).toMatchObject({ tokens_overage: reason ? 0 : 10 });
    },
  );

  test('a charge in progress counts', async () => {
    const name = await used20('busy');
    const charge = await db.pool.connect();
    await charge.query('begin');
    await charge.query(
      "update usage_periods set tokens_used = 30 where account_id = (select id from accounts where name = 'busy')",
    );
    const change = refused(['account', 'set', name, '--tokens', '25'], '\\b30 tokens\\b.*\\b25\\b');
    await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
    await charge.query('commit');
    charge.release();
    await change;
  });
});
