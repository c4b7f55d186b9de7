import { beforeAll, expect, test } from 'vitest';
import { insertRegions, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { STATS, spender } from '../../support/spender.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { plat, json, refused } = commandsOn(db);
const used20 = spender(api, json);
beforeAll(() => insertRegions(db));

test('plat usage lists periods and, for one period, its days; as a table, CSV, or JSON', async () => {
  await json(
    'account',
    'create',
    'billed',
    '--tokens',
    '15',
    '--overage',
    '--payment-method',
    '--overage-price',
    '200',
  );
  const { key } = await json('key', 'create', 'billed');
  for (let call = 0; call < 2; call++) await api.call(STATS, { key });
  const [period] = await json('usage', '--account', 'billed');
  expect(period).toMatchObject({
    tier: 'starter',
    tokens_used: 20,
    tokens_overage: 5,
    overage_amount_cents: 1,
  });
  const day = new Date().toISOString().slice(0, 10);
  for (const name of ['current', period.period_start, period.period_start.slice(0, 7)])
    expect(await json('usage', '--account', 'billed', '--period', name)).toMatchObject({
      tokens_used: 20,
      records: [{ date: day, endpoint: 'public_market_stats', mode: 'direct', tokens: 20, calls: 2 }],
    });
  expect((await plat('usage', '--account', 'billed', '--period', 'current', '--csv')).out).toBe(
    `date,endpoint,mode,tokens,calls\r\n${day},public_market_stats,direct,20,2\n`,
  );
  expect((await plat('usage', '--account', 'billed', '--csv')).out).toBe(
    'period_start,period_end,tier,tokens_used,tokens_included,tokens_overage,overage_cents_per_1000,overage_amount_cents,current\r\n' +
      `${period.period_start},${period.period_end},starter,20,15,5,200,1,true\n`,
  );
  expect((await plat('usage', '--account', 'billed')).out).toContain('tokens_overage');
});

test("in CSV a text that a spreadsheet would take for a formula is marked as text, a number isn't", async () => {
  const cells = [
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['+1', '+1'],
    ['+1+1', "'+1+1"],
    ['＝1', "'＝1"],
    ['-1+1', "'-1+1"],
    ['-1', '-1'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ["it's a=b", "it's a=b"],
  ] as const;
  for (const [tier, cell] of cells) {
    const made = await plat('tier', 'set', '--new', '--tokens', '1', '--overage-price', '1', '--', tier);
    expect(made.code).toBe(0);
    const { name } = await json('account', 'create', `of ${tier}`, `--tier=${tier}`);
    const { out } = await plat('usage', '--account', name, '--csv');
    expect(out.split('\r\n')[1]!.replace(/^[^,]+Z,[^,]+Z,/, '')).toBe(`${cell},0,1,0,1,0,true\n`);
  }
});

test('plat usage --period accepts the start of a period as shown, and every shorter form of it', async () => {
  const name = await used20('started');
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
    '2026-01-05 10:00:00Z',
    '2026-01-05T10:00:00Z',
    '2026-01-05T10:00:00.250Z',
    '2026-01-05 10:00:00.250Z',
    '2026-01-05t10:00:00z',
    '2026-01-05 10:00',
    '2026-01-05',
    ' 2026-01-05 ',
  ])
    expect(await json('usage', '--account', name, '--period', text)).toMatchObject({
      period_start: starts[0],
      tokens_used: 3,
    });
  await refused(
    ['usage', '--account', name, '--period', '2026-01'],
    `\\b2026-01\\b.*: ${starts[1]}, ${starts[0]}\\.`,
  );
  // Whole fields alone: 2026-1 is no November.
  for (const text of [
    '',
    ' ',
    '2',
    '2026',
    '2026-',
    '2026-0',
    '2026-01-',
    '2026-01-0',
    '2026-01-05T',
    '2026-01-05 10',
    '2026-01-05 10:00:0',
    '2026-01-05 10:00:00.2',
    '2026-01-05Z',
    'now',
    '2026-01-05T10:00:00+01:00',
  ])
    await refused(
      ['usage', '--account', name, '--period', text],
      `"${text.replace('+', '\\+')}" .*\\bcurrent\\b`,
    );
  await refused(['usage', '--account', name, '--period', '2026-01-05 10:00:01Z'], '2026-01-05 10:00:01Z');
});
