import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { listPeriods, readPeriod } from '../../cli/usage-command.ts';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { insertRegions, newCaller, startTestApi } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';

const STATS = '/api/public/v1/markets-stats/33019/stats/';
const START = Date.parse('2027-01-31T10:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What a process read about an account is used for up to 2 seconds. */
const UNTIL_EFFECTIVE_MS = 5_000;

const db = await createTestDatabase();
const clock = await stopClock(db, new Date(START).toISOString());
const api = await startTestApi(db, { now: () => clock.now() });
beforeAll(() => insertRegions(db));

/** From a minute to months before or after the moment that it is added to. */
const offset = fc.oneof(
  fc.integer({ min: -100 * 24, max: 40 * 24 }).map(hours => hours * HOUR_MS),
  fc.constantFrom(-31 * DAY_MS, -DAY_MS, -60_000, 60_000, DAY_MS),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant('call' as const) }),
  fc.record({
    kind: fc.constant('wait' as const),
    ms: fc.integer({ min: 1, max: 45 * 24 }).map(h => h * HOUR_MS),
  }),
  fc.record({
    kind: fc.constant('dates' as const),
    starts: fc.option(offset),
    ends: fc.option(offset),
    force: fc.boolean(),
  }),
);

test('whatever dates are set, every call stays in a period of its day, and periods follow each other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async steps => {
      await clock.set(new Date(START));
      const { accountId, key } = await newCaller(db);
      await db.pool.query('update accounts set created_at = $2 where id = $1', [accountId, new Date(START)]);
      let used = 0;
      for (const each of steps) {
        const now = clock.now().getTime();
        if (each.kind === 'wait') await clock.set(new Date(now + each.ms));
        else if (each.kind === 'call') {
          expect((await api.call(STATS, { key })).status).toBe(200);
          used += 10;
        } else {
          const { starts, ends, force } = each;
          const change = {
            force,
            ...(starts === null ? {} : { periodStart: new Date(now + starts) }),
            ...(ends === null ? {} : { periodEnd: new Date(now + ends) }),
          };
          const before = await listPeriods(db.pool, accountId);
          try {
            await changeAccount(db.pool, accountId, change);
          } catch (error) {
            expect(error).toBeInstanceOf(PlatError);
            expect(await listPeriods(db.pool, accountId)).toEqual(before);
          }
          // Without --force no allotment begins anew.
          const after = (await listPeriods(db.pool, accountId))[0]!;
          if (!force) expect(after.tokens_used).toBe(before[0]!.tokens_used);
          await clock.set(new Date(now + UNTIL_EFFECTIVE_MS));
        }
        await checkBooks(accountId, used);
      }
    }),
    { numRuns: runs(15) },
  );
});

async function checkBooks(accountId: string, used: number): Promise<void> {
  const periods = (await listPeriods(db.pool, accountId)).reverse();
  expect(periods.reduce((sum, { tokens_used }) => sum + tokens_used, 0)).toBe(used);
  expect(periods.filter(({ current }) => current)).toHaveLength(1);
  for (const [index, period] of periods.entries()) {
    const { period_start, period_end, tokens_used } = period;
    const next = periods[index + 1];
    if (next) expect(period_end.getTime()).toBeLessThanOrEqual(next.period_start.getTime());
    expect(period_end.getTime()).toBeGreaterThan(next ? START : clock.now().getTime());
    const { records } = await readPeriod(db.pool, accountId, period_start.toISOString());
    expect(records.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(tokens_used);
    for (const { date } of records) {
      expect(Date.parse(date) + DAY_MS).toBeGreaterThan(period_start.getTime());
      expect(Date.parse(date)).toBeLessThan(period_end.getTime());
    }
  }
}
