import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../shared/platform/config.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { enqueue, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { recomputeMarketDailyJob } from '../../workers/market/recompute-market-daily-job.ts';
import { startProgram } from '../support/programs.ts';
import { startTestServer } from '../support/server.ts';
import { openTestDb } from '../support/test-db.ts';
import { eventually } from '../support/workers.ts';

// A server of its own, which goes away and comes back.
const server = await startTestServer();
await migrate(server.url);
const config = loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: server.url });
const pool = openTestDb(config, { applicationName: 'plat test' });
// Commits of a test server are written a moment later, and this one is killed.
await pool.query('checkpoint');
const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await pool.end();
  await server.stop();
  rmSync(server.folder, { recursive: true });
});

type Line = { level: number; msg: string; url?: string; err?: { code?: string } };

function start(program: 'api/main.ts' | 'workers/main.ts', env: Record<string, string> = {}) {
  const child = startProgram(
    program,
    { DATABASE_URL: server.url, PORT: '0', SAMPLE_FEEDS: '0', PLAT_DIR: server.folder, ...env },
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  children.push(child);
  let text = '';
  child.stderr!.on('data', chunk => {
    text += chunk;
  });
  const lines = () =>
    text
      .split('\n')
      .filter(line => line.startsWith('{') && line.endsWith('}'))
      .map(line => JSON.parse(line) as Line);
  const countOf = (wanted: string) => lines().filter(({ msg }) => msg === wanted).length;
  const says = (wanted: string, times = 1) =>
    eventually(async () => {
      if (child.exitCode !== null) throw new Error(`It ended: ${text}`);
      return lines().filter(({ msg }) => msg === wanted)[times - 1];
    });
  return {
    child,
    lines,
    countOf,
    says,
    exited: once(child, 'exit') as Promise<[number | null, string | null]>,
  };
}

const AWAY = 'the database is unreachable; trying again';
const BACK = 'the database is reachable again';

test("a worker and an API wait for a database that isn't up yet, and survive one that goes down", async () => {
  server.kill();
  await eventually(() =>
    pool.query('select 1').then(
      () => false,
      () => true,
    ),
  );
  const [worker, api] = [start('workers/main.ts'), start('api/main.ts')];
  await Promise.all([worker.says(AWAY), api.says(AWAY)]);
  await eventually(() => server.revive());
  const [, { url }] = await Promise.all([worker.says('worker ready'), api.says('listening')]);
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  expect(await ready()).toBe(200);

  // A long wait at the start was logged several times.
  const notices = [worker, api].map(({ says, countOf }) => [says, countOf(AWAY) + 1] as const);
  server.kill();
  await Promise.all(notices.map(([says, times]) => says(AWAY, times)));
  expect(await ready()).toBe(503);
  await eventually(() => server.revive());
  await Promise.all([worker.says(BACK), api.says(BACK)]);
  await eventually(async () => (await ready()) === 200);
  const { id } = await enqueue(pool, recomputeMarketDailyJob, {});
  expect(await waitForJob(pool, id)).toMatchObject({ status: 'done' });

  // However much has failed: each says it a few times.
  for (const { lines } of [worker, api]) {
    const counts = new Map<string, number>();
    for (const { level, msg } of lines()) if (level >= 40) counts.set(msg, (counts.get(msg) ?? 0) + 1);
    expect(Math.max(...counts.values()), JSON.stringify([...counts])).toBeLessThan(20);
  }
  for (const { child, exited } of [worker, api]) {
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  }
});

test('after DATABASE_WAIT_MS without a database they exit with code 1, at startup and later', async () => {
  const DATABASE_WAIT_MS = '1000';
  const running = [
    start('workers/main.ts', { DATABASE_WAIT_MS }),
    start('api/main.ts', { DATABASE_WAIT_MS }),
  ];
  await Promise.all([running[0]!.says('worker ready'), running[1]!.says('listening')]);
  server.kill();
  const late = [start('workers/main.ts', { DATABASE_WAIT_MS }), start('api/main.ts', { DATABASE_WAIT_MS })];
  for (const { exited, lines } of [...running, ...late]) {
    expect(await exited).toEqual([1, null]);
    // A process can log that something else has stopped after it.
    const fatal = lines().filter(({ level }) => level === 60);
    expect(fatal).toMatchObject([{ err: { code: 'database_lost' } }]);
  }
});

test('a process that waits for its database stops on a signal', async () => {
  for (const program of ['workers/main.ts', 'api/main.ts'] as const) {
    const { child, says, exited } = start(program);
    await says(AWAY);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  }
  await eventually(() => server.revive());
});
