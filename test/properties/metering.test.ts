import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { listPeriods } from '../../cli/usage-command.ts';
import { createKey, revokeKey } from '../../shared/accounts/accounts.ts';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { SCOPES } from '../../shared/accounts/tiers.ts';
import { expireRecords } from '../../workers/housekeeping/expire-records-job.ts';
import { insertRegions, newCaller, startTestApi } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { FULL } from '../support/filter-parcels.ts';
import {
  acceptRefusal,
  allowed,
  CALLS,
  endContract,
  type Kind,
  type Model,
  monthsAfter,
  openPeriod,
  pay,
  roll,
} from '../support/metering-model.ts';
import { insertParcels } from '../support/parcels.ts';
import { runs } from '../support/runs.ts';
import { askTool } from '../support/tool-call.ts';

const START = '2027-01-31T10:00:00Z';
/** What a process read about an account is used for up to 2 seconds. */
const UNTIL_EFFECTIVE_MS = 5_000;

const db = await createTestDatabase();
const clock = await stopClock(db, START);
const now = () => clock.now();
const apis = [await startTestApi(db, { now }), await startTestApi(db, { now })];
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});

type Real = { accountId: string; key: string; keyId: string; repeated: number };

/** Every third call comes over MCP: the books are one. */
async function send(real: Real, kind: Kind, at: number, idempotencyKey?: string) {
  const { path, body, tool } = CALLS[kind];
  const named: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  if (at % 3 === 2) {
    const { status, tokens } = await askTool(apis[at % 2]!.url, real.key, tool, { headers: named });
    return { status, tokens };
  }
  const headers = { ...named, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const reply = await apis[at % 2]!.call(`/api/public/v1/${path}`, {
    key: real.key,
    headers,
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  return { status: reply.status, tokens: Number(reply.headers.get('x-tokens-used')) };
}

type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const kinds = fc.constantFrom<Kind>('stats', 'stats', 'filter', 'unknown', 'search');

const single = fc.tuple(kinds, fc.nat(5)).map(([kind, at]) =>
  command(`${kind} at ${at}`, async (model, real) => {
    expect(acceptRefusal(model, kind, await send(real, kind, at))).toEqual(
      acceptRefusal(model, kind, pay(model, kind, clock.now())),
    );
  }),
);

/** Of calls of one kind at once it does not matter which are served: as many as one after the other. */
const atOnce = fc.tuple(kinds, fc.integer({ min: 2, max: 8 })).map(([kind, count]) =>
  command(`${count} times ${kind} at once`, async (model, real) => {
    const replies = await Promise.all(Array.from({ length: count }, (_, at) => send(real, kind, at)));
    const expected = Array.from({ length: count }, () =>
      acceptRefusal(model, kind, pay(model, kind, clock.now())),
    );
    const order = (a: { status: number }, b: { status: number }) => a.status - b.status;
    expect(replies.map(reply => acceptRefusal(model, kind, reply)).sort(order)).toEqual(expected.sort(order));
  }),
);

const repeated = fc.integer({ min: 2, max: 4 }).map(count =>
  command(`${count} times the same filter`, async (model, real) => {
    const name = `repeat-${real.repeated++}`;
    const replies = await Promise.all(
      Array.from({ length: count }, (_, at) => send(real, 'filter', at, name)),
    );
    const expected = pay(model, 'filter', clock.now());
    expect(new Set(replies.map(reply => reply.status))).toEqual(new Set([expected.status]));
    expect(replies.reduce((sum, reply) => sum + reply.tokens, 0)).toBe(expected.tokens);
  }),
);

/**
 * Every connection to the database is cut amid calls: what was seen is billed, and of the failed
 * calls none or all.
 */
const cut = fc.integer({ min: 2, max: 8 }).map(count =>
  command(`connections are cut amid ${count} times stats`, async (model, real) => {
    const calls = Array.from({ length: count }, (_, at) => send(real, 'stats', at));
    await cutConnections();
    const replies = await Promise.all(calls);
    await untilServing(real);
    const seen = replies.reduce((sum, reply) => sum + reply.tokens, 0);
    const failed = replies.filter(reply => reply.status === 503).length;
    const refused = replies.filter(reply => reply.status === 402 || reply.status === 401).length;
    expect(seen / 10 + failed + refused).toBe(count);
    if (!model.keyValid || model.tier === null) return expect(seen).toBe(0);
    roll(model, clock.now());
    const period = model.periods.at(-1)!;
    const [current] = await listPeriods(db.pool, real.accountId);
    const billed = current!.tokens_used - period.used;
    expect(billed).toBeGreaterThanOrEqual(seen);
    expect(billed).toBeLessThanOrEqual(seen + 10 * failed);
    if (billed > 0) expect(current!.tokens_used).toBeLessThanOrEqual(allowed(model));
    period.used += billed;
    const day = `${clock.now().toISOString().slice(0, 10)} ${CALLS.stats.endpoint}`;
    if (billed > 0) period.days.set(day, (period.days.get(day) ?? 0) + billed);
  }),
);

async function cutConnections(): Promise<void> {
  const { rows } = await db.pool.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'plat api test'`,
  );
  const left = async () => {
    const found = await db.pool.query('select from pg_stat_activity where pid = any($1)', [
      rows.map(row => row.pid),
    ]);
    return found.rowCount;
  };
  await expect.poll(left, { interval: 5 }).toBe(0);
}

async function untilServing(real: Real): Promise<void> {
  for (const at of apis.keys())
    await expect.poll(async () => (await send(real, 'unknown', at)).status, { interval: 5 }).not.toBe(503);
}

const wait = fc
  .constantFrom(1, 3_600, 86_400, 20 * 86_400, 45 * 86_400)
  .map(seconds =>
    command(`${seconds} s later`, () => clock.set(new Date(clock.now().getTime() + seconds * 1_000))),
  );

/** To the last millisecond of the period, or to the first of the next one. */
const edge = fc.boolean().map(after =>
  command(after ? 'the period ends' : 'the last millisecond', async model => {
    roll(model, clock.now());
    const period = model.periods.at(-1);
    if (period?.open) await clock.set(new Date(period.end.getTime() - (after ? 0 : 1)));
  }),
);

const house = fc.constant(
  command('housekeeping', async () => {
    await expireRecords(db.pool, db.config);
  }),
);

const tiers: Record<string, number> = { starter: 5_000, growth: 50_000 };

const contract = fc
  .record(
    {
      tier: fc.constantFrom('starter', 'growth', null),
      tokensIncluded: fc.integer({ min: 0, max: 150 }),
      overageAllowed: fc.boolean(),
      paymentMethod: fc.boolean(),
      backstopTokens: fc.option(fc.integer({ min: 0, max: 60 })),
    },
    { requiredKeys: [] },
  )
  .map(given =>
    command(`change ${JSON.stringify(given)}`, async (model, real) => {
      const change = { ...given };
      // Terms need a contract.
      if (change.tier === null || (model.tier === null && change.tier === undefined))
        delete change.tokensIncluded;
      roll(model, clock.now());
      await changeAccount(db.pool, real.accountId, { ...change, force: true });
      const began = model.tier === null && typeof change.tier === 'string';
      if (change.tier !== undefined) {
        if (change.tier === null) endContract(model, clock.now());
        model.tier = change.tier;
        model.included = change.tier === null ? 0 : tiers[change.tier]!;
      }
      model.included = change.tokensIncluded ?? model.included;
      model.overage = change.overageAllowed ?? model.overage;
      model.paymentMethod = change.paymentMethod ?? model.paymentMethod;
      if (change.backstopTokens !== undefined) model.backstop = change.backstopTokens;
      if (began) {
        model.anchor = clock.now();
        openPeriod(model, clock.now(), monthsAfter(clock.now(), 1));
      }
      await clock.set(new Date(clock.now().getTime() + UNTIL_EFFECTIVE_MS));
    }),
  );

const revoke = fc.constant(
  command('revoke the key', async (model, real) => {
    await revokeKey(db.pool, real.keyId);
    model.keyValid = false;
    await clock.set(new Date(clock.now().getTime() + UNTIL_EFFECTIVE_MS));
  }),
);

const renew = fc.constant(
  command('a new key', async (model, real) => {
    const { id, key } = await createKey(db.pool, real.accountId, { name: 'next', scopes: [...SCOPES] });
    Object.assign(real, { key, keyId: id });
    model.keyValid = true;
  }),
);

/** Every period with its usage, and that of the current one by day, as the database and the API tell them. */
const look = command('look', async (model, real) => {
  roll(model, clock.now());
  const periods = (await listPeriods(db.pool, real.accountId)).reverse();
  expect(
    periods.map(period => [
      period.period_start,
      period.period_end,
      period.tokens_used,
      period.tokens_included,
    ]),
  ).toEqual(
    model.periods.map(period => [
      period.start,
      period.end,
      period.used,
      period.open ? model.included : period.included,
    ]),
  );
  const { key } = await createKey(db.pool, real.accountId, { name: 'look' });
  const current = model.tier === null ? undefined : model.periods.at(-1);
  const used = current?.used ?? 0;
  expect((await apis[0]!.call('/api/public/v1/usage/', { key })).json).toMatchObject([
    {
      tier: model.tier,
      tokens_used: used,
      tokens_included: model.tier === null ? 0 : model.included,
      tokens_overage: model.tier === null ? 0 : Math.max(0, used - model.included),
    },
  ]);
  const { records } = (await apis[1]!.call('/api/public/v1/usage/breakdown/', { key })).json as {
    records: { date: string; endpoint: string; tokens: number }[];
  };
  // Of both modes together.
  const days = new Map<string, number>();
  for (const { date, endpoint, tokens } of records) {
    const day = `${date} ${endpoint}`;
    days.set(day, (days.get(day) ?? 0) + tokens);
  }
  expect([...days]).toEqual([...(current?.days ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
});

test('whatever happens in whatever order, the charges equal those of a simple model', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [
          single,
          single,
          atOnce,
          atOnce,
          repeated,
          cut,
          wait,
          edge,
          house,
          contract,
          revoke,
          renew,
          fc.constant(look),
        ],
        {
          size: '+1',
          maxCommands: 40,
        },
      ),
      async commands => {
        await clock.set(START);
        const terms = { tier: 'starter', tokensIncluded: 200, overageAllowed: false } as const;
        const caller = await newCaller(db, terms, { scopes: [...SCOPES] });
        const model: Model = {
          tier: 'starter',
          included: 200,
          overage: false,
          paymentMethod: false,
          backstop: null,
          keyValid: true,
          periods: [],
          anchor: clock.now(),
        };
        openPeriod(model, clock.now(), monthsAfter(clock.now(), 1));
        const real: Real = { ...caller, repeated: 0 };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await look.run(model, real);
      },
    ),
    { numRuns: runs(8), endOnFailure: false },
  );
});
