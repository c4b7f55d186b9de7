import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';

const STATS = '/api/public/v1/markets-stats/33019/stats/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { plat, json, refused } = commandsOn(db);
beforeAll(() => insertRegions(db));

/** An account that has used 20 tokens of this period. */
async function used20(name: string, ...terms: string[]): Promise<string> {
  await json('account', 'create', name, ...terms);
  const { key } = await json('key', 'create', name);
  for (let call = 0; call < 2; call++) expect((await api.call(STATS, { key })).status).toBe(200);
  return name;
}

const overageOf = async (name: string) =>
  (await json('usage', '--account', name))[0] as { tokens_overage: number; overage_amount_cents: number };

describe('new terms of a period that has used tokens', () => {
  test('an allotment below what is used is refused without overage', async () => {
    const name = await used20('capped', '--overage-price', '200');
    const { period_end } = await json('account', 'show', name);
    for (const flags of [
      ['--tokens', '19'],
      ['--tokens', '0', '--overage'],
    ])
      await refused(
        ['account', 'set', name, ...flags],
        `has used 20 tokens: .* Wait for the period's end, ${period_end}, or insist \\(--force\\)`,
      );
    await json('tier', 'set', 'free', '--tokens', '10');
    await refused(['account', 'set', name, '--tier', 'free'], '10 of them would become overage');
    expect(await json('account', 'show', name)).toMatchObject({ tier: 'starter', tokens_included: 5_000 });
    expect(await json('account', 'set', name, '--tokens', '20')).toMatchObject({ tokens_included: 20 });
  });

  test('--force lowers it all the same, and says what becomes of overage', async () => {
    const name = await used20('forced', '--overage-price', '200');
    const { code, err } = await plat('account', 'set', name, '--tokens', '15', '--force');
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/was 0 tokens for 0\.00 US dollars and becomes 5 tokens for 0\.01 US dollars/),
    ]);
    expect(await overageOf(name)).toMatchObject({ tokens_overage: 5, overage_amount_cents: 1 });
  });

  test.each([
    [
      ['--overage-price', '100000'],
      '10 tokens for 0.02 US dollars and becomes 10 tokens for 10.00 US dollars',
    ],
    [['--tier', 'starter'], '10 tokens for 0.02 US dollars and becomes 0 tokens for 0.00 US dollars'],
    [['--tokens', '0'], '10 tokens for 0.02 US dollars and becomes 20 tokens for 0.03 US dollars'],
  ])('%j says what becomes of the overage that is used, as invoices will have it', async (flags, said) => {
    const terms = ['--tokens', '10', '--overage', '--payment-method', '--overage-price', '150'];
    const name = await used20(`repriced by ${flags[0]}`, ...terms);
    const { code, err } = await plat('account', 'set', name, ...flags);
    expect([code, err]).toEqual([0, expect.stringContaining(said)]);
    const { tokens_overage, overage_amount_cents } = await overageOf(name);
    expect(said).toMatch(
      new RegExp(`becomes ${tokens_overage} tokens for ${(overage_amount_cents / 100).toFixed(2)} US`),
    );
  });

  test('nothing is said where nothing was used', async () => {
    await json('account', 'create', 'unused');
    await json('account', 'set', 'unused', '--tokens', '1', '--overage-price', '9');
  });

  test('the help says so', async () => {
    expect((await plat('account', 'set', '--help')).out).toContain('priced by the terms at its end');
  });
});

describe('the dates of a period', () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  test('that are over close it now, which is said', async () => {
    const name = await used20('closed');
    const [start, end] = [ago(20), ago(10)];
    const { code, err } = await plat('account', 'set', name, '--period-start', start, '--period-end', end);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        `from ${start} to ${end} is over by these dates: it is closed now, with 20 tokens used`,
      ),
    ]);
    expect(await json('usage', '--account', name)).toMatchObject([
      { period_start: end, tokens_used: 0, current: true },
      { period_start: start, period_end: end, tokens_used: 20, current: false },
    ]);
    await refused(
      ['account', 'set', name, '--period-start', ago(10.1)],
      `before it is closed and ended ${end}: this one cannot begin earlier`,
    );
    await json('account', 'set', name, '--period-start', ago(9));

    // Nor does a contract that begins anew.
    await json('account', 'set', name, '--no-contract');
    await refused(
      ['account', 'set', name, '--tier', 'free', '--period-start', ago(1)],
      'cannot begin earlier',
    );
  });

  test('are of these years, and a period of at most 400 days', async () => {
    const name = (await json('account', 'create', 'long')).name;
    for (const [flags, reason] of [
      [['--period-end', '2101-01-01'], 'years 2000 to 2100, not in 2101'],
      [['--period-start', '1999-12-31', '--period-end', ago(-1)], 'years 2000 to 2100, not in 1999'],
      [['--period-start', ago(200), '--period-end', ago(-201)], 'would have 401 days; at most 400'],
      [['--period-end', ago(-401)], 'would have 40[12] days'],
    ] as const)
      await refused(['account', 'set', name, ...flags], reason);
    await json('account', 'set', name, '--period-start', ago(200), '--period-end', ago(-199));
  });
});

test('plat usage --period takes the start of a period as it is shown, and every shorter form of it', async () => {
  const name = await used20('billed');
  const starts = ['2026-01-05T10:00:00.250Z', '2026-01-06T10:00:00.000Z'];
  for (const start of starts)
    await db.pool.query(
      `insert into usage_periods (account_id, period_start, period_end, tier, tokens_included, overage_cents_per_1000, tokens_used)
       select id, $2, $2::timestamptz + interval '1 day', tier, tokens_included, 0, 3 from accounts where name = $1`,
      [name, start],
    );
  const { out } = await plat('usage', '--account', name);
  const shown = out.split('\n').map(line => line.slice(0, 20));
  expect(shown).toContain('2026-01-05 10:00:00Z');
  for (const text of [
    ...[
      '2026-01-05 10:00:00Z',
      '2026-01-05T10:00:00Z',
      '2026-01-05T10:00:00.250Z',
      '2026-01-05 10:00:00.250Z',
    ],
    ...['2026-01-05t10:00:00z', '2026-01-05 10:00', '2026-01-05', ' 2026-01-05 '],
  ])
    expect(await json('usage', '--account', name, '--period', text)).toMatchObject({
      period_start: starts[0],
      tokens_used: 3,
    });
  await refused(['usage', '--account', name, '--period', '2026-01'], 'Several periods');
  await refused(['usage', '--account', name, '--period', '2026-01-05 10:00:01Z'], 'No period');
});
