import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverJobs } from '../../cli/common/cli-session.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue, getJob, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { createTestDatabase } from '../support/database.ts';
import { startProgram } from '../support/programs.ts';
import { BACKENDS, eventually, jobsOf, queueEnv, startTestWorker, workerConfig } from '../support/workers.ts';

const ROLL = 'ID,ACRES\n1-1,2.5\n1-2,10\n';

// One for each group: workers take, or sweep up, whatever jobs their database holds.
const databases = { postgres: await createTestDatabase(), redis: await createTestDatabase() };
const db = await createTestDatabase();
const alone = await createTestDatabase();
const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
const feeds = mkdtempSync(join(tmpdir(), 'plat-feeds-'));
/** Answers to requests for a roll, to be given by the test: what a slow source is like. */
const asked: { path: string; response: ServerResponse }[] = [];
const source = createServer((request, response) => {
  // Whether it is another file than last time is asked first.
  if (request.method === 'HEAD') response.end();
  else asked.push({ path: request.url!, response });
});
const children: ChildProcess[] = [];

beforeAll(() => new Promise<void>(resolve => source.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  source.closeAllConnections();
  source.close();
  rmSync(feeds, { recursive: true });
});

/** A feed whose roll comes from the test's server. */
function writeFeed(name: string): void {
  const { port } = source.address() as AddressInfo;
  writeFileSync(
    join(feeds, `${name}.yaml`),
    `name: ${name}
kind: assessor
fips: "33019"
roll:
  source: http://127.0.0.1:${port}/${name}.csv
  format: csv
  key: { columns: [ID] }
  columns: { apn: ID, acres: ACRES }
`,
  );
}

/** `plat worker` or `plat api` as an operator runs it. */
function plat(command: 'worker' | 'api', env: Record<string, string>) {
  return followed(
    spawn(process.execPath, ['bin/plat.mjs', command], {
      cwd: rootDir,
      env: { PATH: process.env.PATH, LOG_LEVEL: 'info', FEEDS_DIR: feeds, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** The worker without the command line that watches over it. */
function workerAlone(env: Record<string, string>) {
  return followed(
    startProgram(
      'workers/main.ts',
      { LOG_LEVEL: 'info', FEEDS_DIR: feeds, ...env },
      { stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
}

function followed(child: ChildProcess) {
  children.push(child);
  let log = '';
  child.stderr!.on('data', chunk => {
    log += chunk;
  });
  const lines = () =>
    log
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as { pid: number; msg: string; url?: string });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  return {
    child,
    exited,
    log: () => log,
    /** The line that the service itself writes when it is ready. */
    ready: (message: string) =>
      eventually(async () => {
        if (child.exitCode !== null) throw new Error(`It ended: ${log}`);
        return lines().find(line => line.msg === message);
      }),
  };
}

describe.concurrent.each(BACKENDS)('a worker on $kind that is killed with -9', ({ kind }) => {
  test('in the middle of a job loses nothing, because another worker finishes it', async () => {
    const name = `killed-${kind}`;
    writeFeed(name);
    const { pool, url: DATABASE_URL } = databases[kind];
    const env = { ...queueEnv(kind), DATABASE_URL, JOB_LOCK_MS: '8000' };
    const config = workerConfig(databases[kind], kind, env);
    const first = plat('worker', env);
    const { pid } = await first.ready('worker ready');
    const { id } = await enqueue(pool, ingestJob, {
      feed: name,
      force: false,
      sources: {},
      requestedBy: 'test',
    });
    await deliverJobs({ config: { ...config, DATABASE_URL }, db: pool, log }, [id]);
    const request = () => eventually(async () => asked.find(({ path }) => path.includes(name)));
    const { response } = await request();
    response.write(ROLL.slice(0, 12));
    const second = workerAlone(env);
    await second.ready('worker ready');

    process.kill(pid, 'SIGKILL');
    expect((await first.exited)[0]).toBe(1);
    asked.splice(
      asked.findIndex(one => one.response === response),
      1,
    );
    (await request()).response.end(ROLL);
    const state = await waitForJob(pool, id);
    expect(state).toMatchObject({ status: 'done', attempts: 2, result: { status: 'merged' } });
    const { rows } = await pool.query(
      'select count(*)::int as parcels from parcels p join feeds f on f.id = p.feed_id where f.name = $1',
      [name],
    );
    expect(rows).toEqual([{ parcels: 2 }]);

    // The other is asked to stop as `docker stop` does it.
    second.child.kill('SIGTERM');
    expect(await second.exited).toEqual([0, null]);
  });
});

test.each([
  [{ HOST: '0.0.0.0' }, [404, 404]],
  [{ METRICS_TOKEN: 'a-metrics-token' }, [401, 200]],
  [{ HOST: '0.0.0.0', METRICS_TOKEN: 'a-metrics-token' }, [401, 200]],
])('who reads its metrics with %j', async (settings, statuses) => {
  const config = workerConfig(db, 'postgres', { HOST: '127.0.0.1', WORKER_PORT: '0', ...settings });
  const { healthPort } = await startTestWorker(config, jobsOf());
  const read = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers })).status;
  expect([await read({}), await read({ Authorization: 'Bearer a-metrics-token' })]).toEqual(statuses);
});

describe.concurrent('a service in the foreground', () => {
  const env = { ...queueEnv('postgres'), HOST: '127.0.0.1', DATABASE_URL: db.url };

  test('a worker responds on WORKER_PORT and stops when plat itself is killed', async () => {
    const worker = plat('worker', { ...env, WORKER_PORT: '0' });
    const { pid } = await worker.ready('worker ready');
    const line = worker
      .log()
      .split('\n')
      .find(text => text.includes('worker ready'))!;
    const url = `http://127.0.0.1:${(JSON.parse(line) as { healthPort: number }).healthPort}`;
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const name of [
      'plat_worker_process_cpu_seconds_total',
      'plat_tokens_charged_total',
      'plat_database_pool_waiting{pool="worker"}',
    ])
      expect(metrics).toContain(name);
    expect((await fetch(`${url}/other`)).status).toBe(404);

    // A second worker with the same health port says so and ends.
    const { port } = new URL(url);
    const second = plat('worker', { ...env, WORKER_PORT: port });
    expect((await second.exited)[0]).toBe(1);
    expect(second.log()).toContain(`WORKER_PORT ${port}`);

    worker.child.kill('SIGKILL');
    await eventually(async () => !isAlive(pid));
  });

  test('a worker that reads an endless file stops on a signal, and so does its reader', async () => {
    const damaged = 'test/fixtures/feeds/formats/damaged/flatgeobuf-22.fgb';
    writeFileSync(
      join(feeds, 'hangs.yaml'),
      `name: hangs
kind: assessor
fips: "33019"
roll:
  source: ${join(rootDir, damaged)}
  format: flatgeobuf
  key: { columns: [ID] }
  columns: { apn: ID }
`,
    );
    const worker = workerAlone({ ...env, DATABASE_URL: alone.url });
    const { pid } = await worker.ready('worker ready');
    const { id } = await enqueue(alone.pool, ingestJob, {
      feed: 'hangs',
      force: false,
      sources: {},
      requestedBy: 'test',
    });
    const reader = await eventually(async () => {
      const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
      return all.find(line => line.includes('reader-child') && line.trim().split(/\s+/)[1] === String(pid));
    });
    worker.child.kill('SIGTERM');
    // It ends with 1 where it did not stop in time.
    expect((await worker.exited)[0]).toBe(0);
    expect((await getJob(alone.pool, id)).note).toMatch(/worker/);
    await eventually(async () => !isAlive(Number(reader.trim().split(/\s+/)[0])));
  });

  test('the API passes Ctrl-C on, finishes, and exits with 0', async () => {
    const api = plat('api', { ...env, PORT: '0' });
    const { url } = await api.ready('listening');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    api.child.kill('SIGINT');
    expect(await api.exited).toEqual([0, null]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
