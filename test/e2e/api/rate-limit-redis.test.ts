import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootDir } from '../../../shared/root.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { openWay } from '../../support/rate-limits.ts';
import { BACKENDS, eventually, queueEnv } from '../../support/workers.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';

/** More than the fastest machine asks while Redis is away. */
const BURST = 1_000_000;

const db = await createTestDatabase();
const children: ChildProcess[] = [];
beforeAll(() => insertRegions(db));
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** `api/main.ts` as an operator runs it, and the messages that it has logged. */
async function startProgram(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: db.url, PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const messages = (text: string) =>
    said
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line).msg as string)
      .filter(message => message.includes(text));
  const url = await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`It ended: ${said}`);
    return /"url":"([^"]+)"/.exec(said)?.[1];
  }, 20_000);
  return { url, messages };
}

async function status(env: Record<string, string>): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/plat.mjs', 'status', '--json'], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: db.url, ...env },
  });
  return JSON.parse(stdout).redis;
}

const NOBODY = 'redis://:secret@127.0.0.1:1';

test('a HOST that cannot be listened on is named', async () => {
  await expect(startTestApi(db, { env: { HOST: '192.0.2.1' } })).rejects.toThrow(
    'HOST is 192.0.2.1, on which nothing can be served here (EADDRNOTAVAIL)',
  );
  await expect(startTestApi(db, { env: { HOST: 'nowhere.invalid' } })).rejects.toThrow(
    'HOST is nowhere.invalid',
  );
});

// At once: most of their time is starts, and waits for Redis.
test.concurrent('without the Redis of REDIS_URL the API starts, serves, keeps its limits in the database and says so', async () => {
  const { url, messages } = await startProgram({ REDIS_URL: NOBODY });
  const { key } = await newCaller(db, { ratePerMinute: 1, rateBurst: 5 });
  const ask = async () => (await fetch(url + PATH, { headers: { Authorization: `Bearer ${key}` } })).status;
  const statuses: number[] = [];
  for (let call = 0; call < 8; call++) statuses.push(await ask());
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  expect(messages('Redis is away')).toHaveLength(1);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', redis: 'unreachable' }]);
  expect(await status({ REDIS_URL: NOBODY })).toBe('unreachable');
  expect(await status({})).toBeNull();
}, 60_000);

test.runIf(BACKENDS.some(({ kind }) => kind === 'redis')).concurrent.each(['close', 'swallow'] as const)(
  'a Redis that goes and comes back: %s',
  async how => {
    const env = queueEnv('redis');
    const way = await openWay(env.REDIS_URL!);
    const { url, messages } = await startProgram({ ...env, REDIS_URL: way.url });
    const { key, accountId } = await newCaller(db, {
      ratePerMinute: 1,
      rateBurst: BURST,
      tokensIncluded: 1e9,
    });
    const ask = async () => {
      const started = performance.now();
      const reply = await fetch(url + PATH, { headers: { Authorization: `Bearer ${key}` } });
      const left = Number(reply.headers.get('x-ratelimit-remaining'));
      return { status: reply.status, left, ms: performance.now() - started };
    };
    const redis = async () => ((await (await fetch(`${url}/readyz`)).json()) as { redis?: string }).redis;
    const inDatabase = async () => {
      const text = 'select level / 60000000 as left from rate_buckets where account_id = $1';
      return (await db.pool.query<{ left: number }>(text, [accountId])).rows[0]?.left;
    };

    expect((await ask()).left).toBe(BURST - 1);
    expect((await ask()).left).toBe(BURST - 2);
    expect(await inDatabase()).toBeUndefined();
    expect(await redis()).toBe('reachable');
    expect(await status({ REDIS_URL: way.url })).toBe('reachable');

    if (how === 'close') await way.close();
    else way.swallow();
    // The first one finds out; nobody waits after it, though Redis is tried again every second.
    const first = await ask();
    expect([first.status, first.ms < 3_000]).toEqual([200, true]);
    const during: { status: number; ms: number }[] = [];
    for (const until = performance.now() + 2_500; performance.now() < until; ) during.push(await ask());
    expect(during.filter(({ status: code }) => code !== 200)).toEqual([]);
    // One may have been slow for another reason; who waits for Redis waits twice or more in this time.
    expect(during.filter(({ ms }) => ms > 950).length).toBeLessThan(2);
    expect(await inDatabase()).toBe(BURST - 1 - during.length);
    expect(await redis()).toBe('unreachable');
    expect(messages('Redis is away')).toHaveLength(1);

    await way.open();
    await eventually(async () => {
      await ask();
      return messages('Redis is back').length > 0;
    });
    const before = await inDatabase();
    // What was taken before, and by the try that found it back.
    expect((await ask()).left).toBeGreaterThan(BURST - 20);
    expect(await inDatabase()).toBe(before);
    expect(await redis()).toBe('reachable');
    expect(messages('Redis is away')).toHaveLength(1);
    expect(messages('Redis is back')).toHaveLength(1);
  },
  60_000,
);
