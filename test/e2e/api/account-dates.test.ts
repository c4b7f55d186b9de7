import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { STATS } from '../../support/spender.ts';

const DAY_MS = 86_400_000;
const db = await createTestDatabase();
const api = await startTestApi(db);
const { plat, json, refused } = commandsOn(db);
beforeAll(() => insertRegions(db));

const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const dayOf = (moment: string) => moment.slice(0, 10);

/** An account made so many days ago, whose first period begins now. */
async function made(name: string, daysAgo: number): Promise<string> {
  await json('account', 'create', name);
  await db.pool.query('update accounts set created_at = $2 where name = $1', [name, ago(daysAgo)]);
  return name;
}

/** Uses 20 tokens, so many days ago. */
async function use20(name: string, daysAgo = 0): Promise<void> {
  const { key } = await json('key', 'create', name);
  for (let call = 0; call < 2; call++) expect((await api.call(STATS, { key })).status).toBe(200);
  await db.pool.query(
    'update usage_daily set day = $2 where account_id = (select id from accounts where name = $1)',
    [name, dayOf(ago(daysAgo))],
  );
}

type Period = {
  period_start: string;
  period_end: string;
  tokens_used: number;
  current: boolean;
  records: { date: string; tokens: number }[];
};

/** The periods, the newest first, each of which is the sum of days that it holds. */
async function periodsOf(name: string): Promise<Period[]> {
  const listed = (await json('usage', '--account', name)) as Period[];
  const periods: Period[] = [];
  for (const { period_start } of listed)
    periods.push(await json('usage', '--account', name, '--period', period_start));
  for (const { records, tokens_used, period_start, period_end } of periods) {
    expect(records.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(tokens_used);
    for (const { date } of records) {
      expect(date >= dayOf(period_start)).toBe(true);
      expect(Date.parse(date)).toBeLessThan(Date.parse(period_end));
    }
  }
  return periods;
}

describe('past dates', () => {
  test("of days on which the period was not used are refused, with or without --force: today's calls stay in today's period", async () => {
    const name = await made('today', 400);
    await json('account', 'set', name, '--period-start', ago(20));
    await use20(name);
    const before = await periodsOf(name);
    for (const flags of [
      ['--period-start', ago(70)],
      ['--period-end', ago(10)],
      ['--period-start', ago(15), '--period-end', ago(1)],
    ])
      for (const force of [[], ['--force']])
        await refused(['account', 'set', name, ...flags, ...force], `\\b${dayOf(ago(0))}\\b.*--force`);
    expect(await periodsOf(name)).toEqual(before);
    expect(before).toMatchObject([{ tokens_used: 20, current: true }]);
  });

  test('in a used period need --force, and then close the period with its usage', async () => {
    const name = await made('closed', 400);
    await json('account', 'set', name, '--period-start', ago(20));
    await use20(name, 15);
    const { period_start } = await json('account', 'show', name);
    const end = ago(10);
    const argv = ['account', 'set', name, '--period-end', end];
    await refused(argv, `\\b20 tokens\\b.*\\b${period_start} to ${end}\\b.*--force`);
    expect(await periodsOf(name)).toHaveLength(1);
    const { code, err } = await plat(...argv, '--force');
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`\\b${period_start} to ${end}\\b.*\\b20 tokens\\b.*\\b${end}`)),
    ]);
    expect(await periodsOf(name)).toMatchObject([
      { period_start: end, tokens_used: 0, current: true },
      { period_start, period_end: end, tokens_used: 20, current: false },
    ]);
    await refused(['account', 'set', name, '--period-start', ago(10.1)], `\\bclosed\\b.*\\b${end}\\b`);
    await json('account', 'set', name, '--period-start', ago(9));

    // Nor does a contract that begins anew.
    await json('account', 'set', name, '--no-contract');
    await refused(['account', 'set', name, '--tier', 'free', '--period-start', ago(1)], '\\bclosed\\b');
  });

  test('in an unused period close it, and the output says how many periods follow', async () => {
    const name = await made('long ago', 400);
    const { code, err } = await plat('account', 'set', name, '--period-start', ago(100));
    const periods = await periodsOf(name);
    expect(periods.length).toBeGreaterThan(3);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `\\b0 tokens\\b.*\\b${periods[0]!.period_start}.*\\b${periods.length - 2}\\b.*\\b${periods.length - 1} periods\\b`,
        ),
      ),
    ]);
  });
});

describe('periods that ended before the account was created are not opened', () => {
  test('an account created today has one period, on the chosen day of the month', async () => {
    const name = await made('new', 0);
    await use20(name);
    const { created_at } = await json('account', 'show', name);
    const { code, err } = await plat('account', 'set', name, '--period-start', '2023-11-30');
    const [current, ...closed] = await periodsOf(name);
    expect(closed).toEqual([]);
    expect(current).toMatchObject({ tokens_used: 20, current: true });
    const { period_start, period_end } = current!;
    expect(Date.parse(period_start)).toBeLessThan(Date.now());
    expect(Date.parse(period_end)).toBeGreaterThan(Date.now());
    for (const moment of [period_start, period_end]) expect(moment).toMatch(/-(30|02-2[89])T00:00:00\.000Z$/);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^plat: .*\\b${created_at}\\b.*\\b${period_start} to ${period_end}\\b`),
      ),
    ]);
  });

  test('an older account has all periods since it was created, and an end is the start of the next one', async () => {
    const since = await made('since', 70);
    await plat('account', 'set', since, '--period-start', ago(1_000));
    const periods = await periodsOf(since);
    expect(Date.parse(periods.at(-1)!.period_start)).toBeLessThan(Date.parse(ago(70)));
    expect(Date.parse(periods.at(-1)!.period_end)).toBeGreaterThan(Date.parse(ago(70)));

    const ended = await made('ended', 0);
    const dates = ['--period-start', '2024-01-05', '--period-end', '2024-01-20'];
    expect((await plat('account', 'set', ended, ...dates)).code).toBe(0);
    expect(await periodsOf(ended)).toMatchObject([
      { period_start: expect.stringMatching(/-20T00:00:00.000Z$/) },
    ]);
  });
});

test('a start after days on which the period was used is refused', async () => {
  const name = await made('late', 400);
  await json('account', 'set', name, '--period-start', ago(20));
  await use20(name, 15);
  await refused(['account', 'set', name, '--period-start', ago(10), '--force'], '--force');
  await json('account', 'set', name, '--period-start', ago(15.5));
  expect(await periodsOf(name)).toMatchObject([{ tokens_used: 20 }]);
});

test('dates are in order and within range, and a period has at most 400 days', async () => {
  const { name } = await json('account', 'create', 'long');
  for (const [flags, reason] of [
    [['--period-end', '2101-01-01'], '2000 to 2100\\b.*\\b2101\\b'],
    [['--period-start', '1999-12-31', '--period-end', ago(-1)], '2000 to 2100\\b.*\\b1999\\b'],
    [['--period-start', '1999-12-31'], '2000 to 2100\\b.*\\b1999\\b'],
    [['--period-start', ago(200), '--period-end', ago(-201)], '\\b401 days\\b.*\\b400\\b'],
    [['--period-end', ago(-401)], '\\b40[12] days'],
    [['--period-start', '2023-02-01', '--period-end', '2023-01-01'], '2023-02-01.*2023-01-01'],
  ] as const)
    await refused(['account', 'set', name, ...flags], reason);
  await json('account', 'set', name, '--period-start', ago(200), '--period-end', ago(-199));
});
