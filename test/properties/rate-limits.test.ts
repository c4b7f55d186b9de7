import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Account } from '../../api/http/callers.ts';
import { type Limit, openRateLimits, type RateState } from '../../api/http/rate-limits.ts';
import { stopClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';
import { openTestDb } from '../support/test-db.ts';

/** In 60 millionths of a call. */
const CALL = 60_000_000;

type Limits = Pick<Account, 'ratePerMinute' | 'rateBurst' | 'skipTracePerMinute'>;
type Kind = 'plain' | 'trace';

/** A minute in microseconds. */
const MINUTE = 60_000_000;

/**
 * The plain reading of the rule: a bucket, and the moments of all skip traces, one call after the other. Time
 * is in microseconds.
 */
class Model {
  calls: number;
  traces: number[] = [];
  at: number;

  /** Full, when it is first asked. */
  constructor(limits: Limits, now: number) {
    this.calls = limits.rateBurst * CALL;
    this.at = now;
  }

  refill({ ratePerMinute, rateBurst }: Limits, now: number): void {
    this.calls = Math.min(rateBurst * CALL, this.calls + (now - this.at) * ratePerMinute);
    this.at = now;
  }

  /** The moments of the last minute, the oldest first. */
  get recent(): number[] {
    return this.traces.filter(at => at > this.at - MINUTE);
  }

  take(kind: Kind, { skipTracePerMinute }: Limits): boolean {
    if (this.calls < CALL || (kind === 'trace' && this.recent.length >= skipTracePerMinute)) return false;
    this.calls -= CALL;
    if (kind === 'trace') this.traces.push(this.at);
    return true;
  }

  /** What is let through of these calls, whatever their order. */
  most(kinds: Kind[], { skipTracePerMinute }: Limits): number {
    const traces = kinds.filter(kind => kind === 'trace').length;
    const possible = Math.min(traces, Math.max(0, skipTracePerMinute - this.recent.length));
    return Math.min(Math.floor(this.calls / CALL), kinds.length - traces + possible);
  }

  /** What the headers of a call tell that has just been taken, or refused. */
  limits({ ratePerMinute, rateBurst, skipTracePerMinute }: Limits) {
    const until = (calls: number) =>
      Math.max(0, Math.ceil((calls * CALL - this.calls) / (ratePerMinute * 1e6)));
    const { recent } = this;
    const leaves = (at: number | undefined) =>
      at === undefined ? 0 : Math.ceil((at + MINUTE - this.at) / 1e6);
    return {
      account: {
        burst: rateBurst,
        remaining: Math.floor(this.calls / CALL),
        nextIn: until(1),
        fullIn: until(rateBurst),
      },
      trace: {
        burst: skipTracePerMinute,
        remaining: Math.max(0, skipTracePerMinute - recent.length),
        fullIn: leaves(recent.at(-1)),
      },
      // As the call that is the last of its round is told.
      nextTraceIn: leaves(recent.length < skipTracePerMinute ? undefined : recent.at(-skipTracePerMinute)),
    };
  }
}

const db = await createTestDatabase();
await stopClock(db, '2027-03-01T00:00:00Z');

/** Two processes, each with its own connections. */
const processes = [0, 1].map(() => {
  const pool = openTestDb(db.config, { applicationName: 'plat api test', connectTimeoutMs: 60_000 });
  afterAll(() => pool.end());
  return openRateLimits(pool.forApi());
});

/** Microseconds since the clock was stopped, which PostgreSQL's stands still at until it is set. */
let now = 0;
async function wait(passed: number): Promise<void> {
  now += passed;
  await db.pool.query("update clock.time set at = at + $1::bigint * interval '1 microsecond'", [passed]);
}

function accountWith(id: string, limits: Limits): Account {
  return { id, ...limits } as Account;
}

const limits = fc.record<Limits>({
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

test('any history of calls, waits, and new limits equals that of a simple bucket and a simple list of skip traces', async () => {
  const history = fc.asyncProperty(
    limits,
    fc.array(step, { minLength: 1, maxLength: 25 }),
    async (first, steps) => {
      const id = randomUUID();
      let current = first;
      let model: Model | undefined;
      for (const each of steps) {
        if ('limits' in each) current = each.limits;
        else if ('wait' in each) await wait(each.wait);
        else if ('gain' in each) {
          await wait(Math.ceil((each.gain * CALL) / current.ratePerMinute) - each.short);
        } else {
          const { admit: take } = processes[each.process]!;
          const states = await Promise.all(
            each.calls.map(kind =>
              take(accountWith(id, current), kind === 'trace' ? 'skip_trace' : undefined),
            ),
          );
          model ??= new Model(current, now);
          model.refill(current, now);
          compare(model, current, each.calls, states);
        }
      }
    },
  );
  await fc.assert(history, { numRuns: runs(50) });
});

/** Calls at once are served plain ones first. */
function compare(model: Model, limits: Limits, calls: Kind[], states: RateState[]) {
  let last: Limit | undefined;
  for (const kind of ['plain', 'trace'] as const) {
    for (const [at, state] of states.entries()) {
      if (calls[at] !== kind) continue;
      expect(state.admitted).toBe(model.take(kind, limits));
      const [account, trace] = state.limits;
      const told = model.limits(limits);
      expect(account).toMatchObject(told.account);
      if (kind === 'trace') expect(trace).toMatchObject(told.trace);
      last = trace;
    }
  }
  if (last !== undefined) expect(last.nextIn).toBe(model.limits(limits).nextTraceIn);
}

test('two processes together let through what one would, and never more than burst and rate allow', async () => {
  const round = fc.record({ passed: fc.nat(20_000_000), calls: fc.tuple(kinds(12), kinds(12)) });
  const history = fc.asyncProperty(
    limits,
    fc.array(round, { minLength: 1, maxLength: 12 }),
    async (own, rounds) => {
      const account = accountWith(randomUUID(), own);
      const model = new Model(own, now);
      const through: { at: number; kind: Kind }[] = [];
      for (const { passed, calls } of rounds) {
        await wait(passed);
        const at = now;
        model.refill(own, at);
        const asked = calls.flatMap((each, process) => each.map(kind => ({ kind, process })));
        const states = await Promise.all(
          asked.map(({ kind, process }) =>
            processes[process]!.admit(account, kind === 'trace' ? 'skip_trace' : undefined),
          ),
        );
        const served = asked.filter((_, index) => states[index]!.admitted).map(({ kind }) => kind);
        expect(served).toHaveLength(
          model.most(
            asked.map(({ kind }) => kind),
            own,
          ),
        );
        for (const kind of served) expect(model.take(kind, own)).toBe(true);
        through.push(...served.map(kind => ({ at, kind })));
      }
      within(through, own.ratePerMinute, own.rateBurst);
      const traces = through.filter(({ kind }) => kind === 'trace').map(({ at }) => at);
      for (const from of traces) {
        const inMinute = traces.filter(at => at >= from && at < from + MINUTE);
        expect(inMinute.length).toBeLessThanOrEqual(own.skipTracePerMinute);
      }
    },
  );
  await fc.assert(history, { numRuns: runs(30) });
});

/** Between any two calls no more are let through than a full bucket and what it gains meanwhile. */
function within(calls: { at: number }[], perMinute: number, burst: number): void {
  for (const [from, first] of calls.entries())
    for (const [to, last] of calls.entries()) {
      if (to < from) continue;
      expect((to - from + 1) * CALL).toBeLessThanOrEqual(burst * CALL + (last.at - first.at) * perMinute);
    }
}
