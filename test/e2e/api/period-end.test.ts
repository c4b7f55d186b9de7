import { beforeAll, beforeEach, expect, test } from 'vitest';
import { listPeriods } from '../../../cli/usage-command.ts';
import { changeAccount, listChanges } from '../../../shared/accounts/contracts.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/database.ts';
import { STATS } from '../../support/spender.ts';

const USAGE = '/api/public/v1/usage/';
const BREAKDOWN = '/api/public/v1/usage/breakdown/';

const db = await createTestDatabase();
const clock = await stopClock(db, '2027-01-31T10:00:00Z');
const now = () => clock.now();
const one = await startTestApi(db, { now });
const two = await startTestApi(db, { now });
beforeAll(() => insertRegions(db));
beforeEach(() => clock.set('2027-01-31T10:00:00Z'));

type Totals = { tokens_used: number; period_start: string; period_end: string };
const totals = async (key: string) => ((await one.call(USAGE, { key })).json as [Totals])[0];

test('is exact to the second: the last call before period_end counts in the period, the first one at it in the next', async () => {
  const { key, accountId } = await newCaller(db, { tokensIncluded: 20 });
  await clock.set('2027-02-28T09:59:59.999Z');
  expect((await one.call(STATS, { key })).status).toBe(200);
  expect((await two.call(STATS, { key })).status).toBe(200);
  expect((await one.call(STATS, { key })).status).toBe(402);
  expect(await totals(key)).toMatchObject({
    tokens_used: 20,
    period_start: '2027-01-31T10:00:00.000Z',
    period_end: '2027-02-28T10:00:00.000Z',
  });

  await clock.set('2027-02-28T10:00:00Z');
  expect(await totals(key)).toMatchObject({
    tokens_used: 0,
    period_start: '2027-02-28T10:00:00.000Z',
    period_end: '2027-03-31T10:00:00.000Z',
  });
  expect((await two.call(STATS, { key })).status).toBe(200);
  expect(await totals(key)).toMatchObject({ tokens_used: 10 });
  expect((await one.call(BREAKDOWN, { key })).json).toMatchObject({
    period_start: '2027-02-28T10:00:00.000Z',
    records: [{ date: '2027-02-28', tokens: 10 }],
  });
  expect(
    (await listPeriods(db.pool, accountId)).map(({ tokens_used, current }) => [tokens_used, current]),
  ).toEqual([
    [10, true],
    [20, false],
  ]);
});

test('a process that still believes that the allotment is used up serves the first call of the next period', async () => {
  const { key } = await newCaller(db, { tokensIncluded: 10 });
  await one.call(STATS, { key });
  expect((await one.call(STATS, { key })).status).toBe(402);
  await clock.set('2027-02-28T10:00:00Z');
  expect((await one.call(STATS, { key })).status).toBe(200);
});

test('the breakdown is by UTC day', async () => {
  const { key } = await newCaller(db);
  await clock.set('2027-02-01T23:59:59.999Z');
  await one.call(STATS, { key });
  await clock.set('2027-02-02T00:00:00Z');
  await one.call(STATS, { key });
  const { records } = (await one.call(BREAKDOWN, { key })).json as { records: { date: string }[] };
  expect(records.map(({ date }) => date)).toEqual(['2027-02-01', '2027-02-02']);
});

test('40 calls at the boundary in two processes and housekeeping roll the period over once', async () => {
  const { key, accountId } = await newCaller(db, { tokensIncluded: 1_000 });
  await one.call(STATS, { key });
  await clock.set('2027-02-28T10:00:00Z');
  const calls = Array.from({ length: 40 }, (_, index) => (index % 2 ? one : two).call(STATS, { key }));
  await Promise.all([expireRecords(db.pool, db.config), expireRecords(db.pool, db.config)]);
  const replies = await Promise.all(calls);
  expect(new Set(replies.map(reply => reply.status))).toEqual(new Set([200]));
  expect((await listPeriods(db.pool, accountId)).map(period => period.tokens_used)).toEqual([400, 10]);
  const rolls = (await listChanges(db.pool, accountId)).filter(({ actor }) => actor === 'end of period');
  expect(rolls).toHaveLength(1);
});

test('periods keep their day of the month through months of 28 to 31 days, with or without calls', async () => {
  const { accountId } = await newCaller(db);
  await clock.set('2028-03-31T10:00:00Z');
  await expireRecords(db.pool, db.config);
  const days = (await listPeriods(db.pool, accountId)).map(period =>
    period.period_start.toISOString().slice(0, 10),
  );
  expect(days.reverse()).toEqual([
    '2027-01-31',
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2027-06-30',
    '2027-07-31',
    '2027-08-31',
    '2027-09-30',
    '2027-10-31',
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
  ]);
  const periods = (await listPeriods(db.pool, accountId)).reverse();
  for (const [index, { period_end }] of periods.slice(0, -1).entries())
    expect(period_end).toEqual(periods[index + 1]!.period_start);
});

test('a past period keeps its terms when the contract changes', async () => {
  const { key, accountId } = await newCaller(db, {
    tokensIncluded: 5,
    overageAllowed: true,
    paymentMethod: true,
    overageCentsPer1000: 1_000,
  });
  for (let call = 0; call < 3; call++) await one.call(STATS, { key });
  await clock.set('2027-02-28T10:00:00Z');
  await changeAccount(db.pool, accountId, { tier: 'growth', overageCentsPer1000: 1 });
  expect(await listPeriods(db.pool, accountId)).toMatchObject([
    { tier: 'growth', tokens_used: 0, tokens_included: 50_000, overage_amount_cents: 0, current: true },
    {
      tier: 'scale',
      tokens_used: 30,
      tokens_included: 5,
      tokens_overage: 25,
      overage_cents_per_1000: 1_000,
      overage_amount_cents: 25,
    },
  ]);
});

test('a period whose dates are corrected keeps its usage, and later ones follow it', async () => {
  const { key, accountId } = await newCaller(db);
  await one.call(STATS, { key });
  await changeAccount(db.pool, accountId, { periodStart: new Date('2027-01-15T00:00:00Z') });
  const moved = {
    tokens_used: 10,
    period_start: '2027-01-15T00:00:00.000Z',
    period_end: '2027-02-15T00:00:00.000Z',
  };
  expect(await totals(key)).toMatchObject(moved);
  expect((await one.call(STATS, { key })).status).toBe(200);
  expect((await one.call(BREAKDOWN, { key })).json).toMatchObject({ records: [{ tokens: 20 }] });
  await changeAccount(db.pool, accountId, { periodEnd: new Date('2027-02-01T00:00:00Z') });
  await clock.set('2027-02-01T00:00:00Z');
  expect(await totals(key)).toMatchObject({
    tokens_used: 0,
    period_start: '2027-02-01T00:00:00.000Z',
    period_end: '2027-03-01T00:00:00.000Z',
  });
});

test('a contract that ended and starts again has its own periods', async () => {
  const { key, accountId } = await newCaller(db);
  await one.call(STATS, { key });
  await clock.set('2027-02-05T10:00:00Z');
  await changeAccount(db.pool, accountId, { tier: null });
  await clock.set('2027-05-05T10:00:00Z');
  await changeAccount(db.pool, accountId, { tier: 'starter' });
  expect(await totals(key)).toMatchObject({
    tokens_used: 0,
    tokens_included: 5_000,
    period_start: '2027-05-05T10:00:00.000Z',
  });
  const periods = await listPeriods(db.pool, accountId);
  expect(periods.map(period => [period.tokens_used, period.tier, period.period_end.toISOString()])).toEqual([
    [0, 'starter', '2027-06-05T10:00:00.000Z'],
    [10, 'scale', '2027-02-05T10:00:00.000Z'],
  ]);
});
