import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootDir } from '../../../shared/root.ts';
import { insertRegions, newCaller, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { FULL } from '../../support/filter-parcels.ts';
import { insertParcels } from '../../support/parcels.ts';
import { STATS } from '../../support/spender.ts';

const FILTER = '/api/public/v1/properties/filter/';

const TOTAL = 3_000;
const AT_ONCE = 300;

const db = await createTestDatabase();
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The API as operators run it, in a process of its own. */
async function startApi(): Promise<{ url: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: db.url, PORT: '0', LOG_LEVEL: 'info', LOG_REQUESTS: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let log = '';
  child.stderr!.on('data', chunk => {
    log += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', () => {
      const listening = /"url":"([^"]+)"/.exec(log);
      if (listening !== null) resolve(listening[1]!);
    });
    child.once('exit', () => reject(new Error(`The API did not start: ${log}`)));
  });
  return {
    url,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

type Reply = { status: number; tokens: number; body: string };

/** One call; undefined when its whole answer did not come. */
function call(url: string, agent: Agent, key: string, search?: string): Promise<Reply | undefined> {
  return new Promise(resolve => {
    const lost = () => resolve(undefined);
    const sent = request(url + (search === undefined ? STATS : FILTER), {
      agent,
      method: search === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(search === undefined ? {} : { 'Content-Type': 'application/json', 'Idempotency-Key': search }),
      },
    });
    sent.on('error', lost);
    sent.on('response', response => {
      let body = '';
      response.on('data', chunk => {
        body += chunk;
      });
      response.on('error', lost);
      response.on('end', () => {
        const tokens = Number(response.headers['x-tokens-used']);
        resolve(response.complete ? { status: response.statusCode!, tokens, body } : undefined);
      });
    });
    sent.end(search === undefined ? undefined : '{"county":"33019"}');
  });
}

// At once: each has an account and processes of its own, and the second waits for the claims of the dead most of its time.
test.concurrent('kill -9 in the middle of 3,000 charged calls, 300 at a time: every answer has its charge, and at most those in flight a charge without an answer', {
  timeout: 300_000,
}, async () => {
  const { key, accountId } = await newCaller(db, { ratePerMinute: 1e6, rateBurst: 1e6 });
  let begun = 0;
  let received = 0;
  let inFlight = 0;

  /** Sends what is left of the calls, AT_ONCE at a time, until they are done or the service is gone. */
  async function send(url: string, onAnswer: () => void): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const one = async () => {
      while (begun < TOTAL) {
        begun++;
        inFlight++;
        const reply = await call(url, agent, key);
        if (reply === undefined) return;
        inFlight--;
        expect([reply.status, reply.tokens]).toEqual([200, 10]);
        received++;
        onAnswer();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    agent.destroy();
  }

  const first = await startApi();
  let killed: Promise<void> | undefined;
  await send(first.url, () => {
    if (received >= TOTAL / 3) killed ??= first.kill();
  });
  await killed;
  const lost = inFlight;
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThanOrEqual(AT_ONCE);

  const second = await startApi();
  await send(second.url, () => {});
  expect(received + lost).toBe(TOTAL);
  const { tokens, calls, daily } = await usageOf(db, accountId);
  expect([tokens, daily]).toEqual([calls * 10, calls * 10]);
  expect(calls).toBeGreaterThanOrEqual(received);
  expect(calls).toBeLessThanOrEqual(received + lost);
});

test.concurrent('calls with an Idempotency-Key that a kill -9 cut short are repeated, and every one is billed once', {
  timeout: 300_000,
}, async () => {
  const { key, accountId } = await newCaller(db, { ratePerMinute: 1e6, rateBurst: 1e6 });
  const names = Array.from({ length: 400 }, (_, index) => `search-${index}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 40 });
  const first = await startApi();
  let answered = 0;
  let killed: Promise<void> | undefined;
  await Promise.all(
    names.map(async name => {
      if ((await call(first.url, agent, key, name)) !== undefined) answered++;
      if (answered >= 100) killed ??= first.kill();
    }),
  );
  await killed;
  expect(answered).toBeLessThan(names.length);

  const second = await startApi();
  const replies = await Promise.all(names.map(name => call(second.url, agent, key, name)));
  agent.destroy();
  expect(new Set(replies.map(reply => reply?.status))).toEqual(new Set([200]));
  expect(await usageOf(db, accountId)).toEqual({
    tokens: 30 * names.length,
    calls: names.length,
    daily: 30 * names.length,
  });
});
