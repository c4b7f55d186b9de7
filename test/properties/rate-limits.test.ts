import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import type { Account } from '../../api/http/callers.ts';
import { openDatabase } from '../../api/http/database.ts';
import { openRateLimits, type RateState } from '../../api/http/rate-limits.ts';
import { createPool } from '../../shared/db.ts';
import { createLogger } from '../../shared/log.ts';
import { openRedis } from '../../shared/redis.ts';
import { stopClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { CALL } from '../support/rate-limits.ts';
import { BACKENDS, queueEnv } from '../support/workers.ts';

type Limits = Pick<Account, 'ratePerMinute' | 'rateBurst' | 'skipTracePerMinute'>;
type Kind = 'plain' | 'trace';

/** The plain reading of the rule: two buckets, one call after the other. Time is in microseconds. */
class Model {
  calls: number;
  traces: number;
  at: number;

  /** Full, when it is first asked. */
  constructor(limits: Limits, now: number) {
    this.calls = limits.rateBurst * CALL;
    this.traces = limits.skipTracePerMinute * CALL;
    this.at = now;
  }

  refill(limits: Limits, now: number): void {
    const { ratePerMinute, rateBurst, skipTracePerMinute } = limits;
    const passed = now - this.at;
    this.calls = Math.min(rateBurst * CALL, this.calls + passed * ratePerMinute);
    this.traces = Math.min(skipTracePerMinute * CALL, this.traces + passed * skipTracePerMinute);
    this.at = now;
  }

  take(kind: Kind): boolean {
    if (this.calls < CALL || (kind === 'trace' && this.traces < CALL)) return false;
    this.calls -= CALL;
    if (kind === 'trace') this.traces -= CALL;
    return true;
  }

  /** What the buckets let through of these calls, whatever their order. */
  most(kinds: Kind[]): number {
    const traces = kinds.filter(kind => kind === 'trace').length;
    const possible = Math.min(traces, Math.floor(this.traces / CALL));
    return Math.min(Math.floor(this.calls / CALL), kinds.length - traces + possible);
  }
}

const db = await createTestDatabase();
await stopClock(db, '2027-03-01T00:00:00Z');
const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');

/** Two processes on one backend: each has its own connections. */
async function openBackend({ kind }: (typeof BACKENDS)[number]) {
  const env = queueEnv(kind);
  const processes = await Promise.all(
    [0, 1].map(async () => {
      const pool = createPool(db.config, log, { applicationName: 'plat api test' });
      const redis = await openRedis({ REDIS_URL: env.REDIS_URL });
      afterAll(() => {
        redis?.disconnect();
        return pool.end();
      });
      return openRateLimits(openDatabase(pool, 5_000), redis, env.QUEUE_PREFIX!, log);
    }),
  );
  const time = kind === 'postgres' ? stoppedTime() : shiftedTime(env);
  return { kind, processes, ...time };
}

/** PostgreSQL's clock stands still until it is set. */
function stoppedTime() {
  let micros = 0;
  return {
    now: async (_account: string) => micros,
    async wait(_account: string, passed: number) {
      micros += passed;
      await db.pool.query("update clock.time set at = at + $1::bigint * interval '1 microsecond'", [passed]);
    },
  };
}

/** Redis' clock goes on: the bucket tells when it was last asked, and is put back for a wait. */
function shiftedTime(env: Record<string, string>) {
  const redis = new Redis(env.REDIS_URL!);
  afterAll(() => redis.disconnect());
  const shifts = new Map<string, number>();
  const key = (account: string) => `${env.QUEUE_PREFIX}:rate:${account}`;
  const shift =
    "return redis.call('exists', KEYS[1]) == 1 and redis.call('hincrby', KEYS[1], 'at', -ARGV[1])";
  return {
    now: async (account: string) => Number(await redis.hget(key(account), 'at')) + (shifts.get(account) ?? 0),
    async wait(account: string, passed: number) {
      shifts.set(account, (shifts.get(account) ?? 0) + passed);
      await redis.eval(shift, 1, key(account), passed);
    },
  };
}

function accountWith(id: string, limits: Limits): Account {
  return { id, ...limits } as Account;
}

const limits = fc.record<Limits>({
  // A bucket in Redis that is full is forgotten: slower than the test looks at it.
  ratePerMinute: fc.integer({ min: 1, max: 60 }),
  rateBurst: fc.integer({ min: 1, max: 12 }),
  skipTracePerMinute: fc.integer({ min: 1, max: 8 }),
});
const kinds = (max: number) =>
  fc.array(fc.constantFrom<Kind>('plain', 'plain', 'trace'), { minLength: 1, maxLength: max });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ calls: kinds(8), process: fc.nat(1) }) },
  // Whole calls to the microsecond and one short of it, and anything between nothing and an hour.
  { weight: 2, arbitrary: fc.record({ gain: fc.integer({ min: 1, max: 3 }), short: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.oneof(fc.nat(3_000_000), fc.nat(3_600_000_000)) }) },
  { weight: 1, arbitrary: fc.record({ limits }) },
);

const backends = await Promise.all(BACKENDS.map(openBackend));

test.each(backends)(
  'on $kind every history of calls, waits and new limits is that of two plain buckets',
  async backend => {
    const history = fc.asyncProperty(
      limits,
      fc.array(step, { minLength: 1, maxLength: 25 }),
      async (first, steps) => {
        const id = randomUUID();
        let current = first;
        let model: Model | undefined;
        for (const each of steps) {
          if ('limits' in each) current = each.limits;
          else if ('wait' in each) await backend.wait(id, each.wait);
          else if ('gain' in each) {
            const wait = Math.ceil((each.gain * CALL) / current.ratePerMinute) - each.short;
            await backend.wait(id, wait);
          } else {
            const { take } = backend.processes[each.process]!;
            const states = await Promise.all(
              each.calls.map(kind =>
                take(accountWith(id, current), kind === 'trace' ? 'skip_trace' : undefined),
              ),
            );
            const now = await backend.now(id);
            model ??= new Model(current, now);
            model.refill(current, now);
            compare(model, current, each.calls, states);
          }
        }
      },
    );
    await fc.assert(history, { numRuns: 200 });
  },
  60_000,
);

/** Calls at once are served plain ones first. */
function compare(
  model: Model,
  { rateBurst, skipTracePerMinute }: Limits,
  calls: Kind[],
  states: RateState[],
) {
  for (const kind of ['plain', 'trace'] as const) {
    for (const [at, state] of states.entries()) {
      if (calls[at] !== kind) continue;
      expect(state.admitted).toBe(model.take(kind));
      const [account, trace] = state.buckets;
      expect(account).toMatchObject({ burst: rateBurst, level: model.calls });
      if (kind === 'trace') expect(trace).toMatchObject({ burst: skipTracePerMinute, level: model.traces });
    }
  }
}

test('two processes at once let through what one would, and never more than burst and rate allow', async () => {
  const backend = backends.find(({ kind }) => kind === 'postgres')!;
  const round = fc.record({ wait: fc.nat(20_000_000), calls: fc.tuple(kinds(12), kinds(12)) });
  const history = fc.asyncProperty(
    limits,
    fc.array(round, { minLength: 1, maxLength: 12 }),
    async (own, rounds) => {
      const account = accountWith(randomUUID(), own);
      const model = new Model(own, 0);
      const through: { at: number; kind: Kind }[] = [];
      for (const { wait, calls } of rounds) {
        await backend.wait(account.id, wait);
        const at = await backend.now(account.id);
        model.refill(own, at);
        const asked = calls.flatMap((each, process) => each.map(kind => ({ kind, process })));
        const states = await Promise.all(
          asked.map(({ kind, process }) =>
            backend.processes[process]!.take(account, kind === 'trace' ? 'skip_trace' : undefined),
          ),
        );
        const served = asked.filter((_, index) => states[index]!.admitted).map(({ kind }) => kind);
        expect(served).toHaveLength(model.most(asked.map(({ kind }) => kind)));
        for (const kind of served) expect(model.take(kind)).toBe(true);
        through.push(...served.map(kind => ({ at, kind })));
      }
      within(through, own.ratePerMinute, own.rateBurst);
      const traces = through.filter(({ kind }) => kind === 'trace');
      within(traces, own.skipTracePerMinute, own.skipTracePerMinute);
    },
  );
  await fc.assert(history, { numRuns: 150 });
}, 60_000);

/** Between any two calls no more are let through than a full bucket and what it gains meanwhile. */
function within(calls: { at: number }[], perMinute: number, burst: number): void {
  for (const [from, first] of calls.entries())
    for (const [to, last] of calls.entries()) {
      if (to < from) continue;
      expect((to - from + 1) * CALL).toBeLessThanOrEqual(burst * CALL + (last.at - first.at) * perMinute);
    }
}
