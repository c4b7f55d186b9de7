import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, createServer, get, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { deliverJobs } from '../../cli/common/cli-session.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { newCaller, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { address, connectHosts, cut, type Host, ip, letIn, netns, writeBalancer } from '../support/hosts.ts';
import { STATS } from '../support/spender.ts';
import { eventually } from '../support/workers.ts';

/** The program on several hosts that lose each other. */

const SECONDS = Number(process.env.TEST_HOSTS);
const SHORT_SECONDS = 5;
const PRICE = 10;
const REDIS_URL = `redis://${address('redis')}:6379`;

function isPossible(): boolean {
  try {
    ip('netns', 'list');
    return SECONDS > 0 && process.getuid?.() === 0;
  } catch {
    return false;
  }
}

if (!isPossible()) {
  test.skip('several hosts (TEST_HOSTS, the seconds of a long outage; root and iproute2) lose nothing and bill nothing twice', () => {});
} else {
  const started = connectHosts();

  const db = await createTestDatabase({}, { sample: true });
  const { folder } = db;
  const url = new URL(db.url);
  url.hostname = address('db');
  const settings = {
    DATABASE_URL: url.href,
    LOG_LEVEL: 'info',
    PLAT_DIR: folder,
    FEEDS_DIR: folder,
    SAMPLE_FEEDS: '0',
    METRICS_TOKEN: 'of-the-metrics',
    JOB_LOCK_MS: '15000',
  };
  await letIn(db);
  run('redis', 'redis-server', ['--bind', address('redis'), '--protected-mode', 'no', '--save', '']);
  run('balancer', 'haproxy', ['-db', '-f', writeBalancer(folder)]);

  /** A program of Plat on a host, and what it has logged. */
  async function start(host: 'a' | 'b', program: 'api' | 'workers', env: Record<string, string> = {}) {
    const own = { ...settings, HOST: address(host), SHUTDOWN_DELAY_MS: '3000', ...env };
    const child = run(host, process.execPath, ['--import', 'tsx', `${program}/main.ts`], own);
    let log = '';
    child.stderr!.on('data', chunk => {
      log += chunk;
    });
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(log);
      return /"msg":"(?:listening|worker ready)"/.test(log);
    });
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    return { child, log: () => log, stop: () => stop(child) };
  }

  test('a host that is cut off from the database says so in time and recovers on its own', async () => {
    await Promise.all([start('a', 'api'), start('b', 'api')]);
    for (const seconds of [SHORT_SECONDS, SECONDS]) {
      const { key, accountId } = await newCaller(db);
      await eventually(async () => (await ask(8011, key)).status === 200);
      const own = callSteadily(8011, key);
      await sleep(1_000);
      const mend = cut('a', 'db');
      // What the balancer has found out by then is its own affair: callers of both hosts are
      // asked for afterwards.
      await sleep(5_000);
      const balanced = callSteadily(80, key);
      await sleep(seconds * 1_000 - 5_000);
      const cutCalls = await balanced();
      mend();
      const mendedAt = performance.now();
      await eventually(async () => (await ask(8011, key)).status === 200);
      const backMs = Math.round(performance.now() - mendedAt);
      const ownCalls = await own();
      const { tokens } = await usageOf(db, accountId);
      // Before and after, each looked for one answer.
      const answered = 2 + (ownCalls.outcomes['200'] ?? 0) + (cutCalls.outcomes['200'] ?? 0);
      report('database', seconds, { own: ownCalls, balanced: cutCalls, backMs, answered, tokens });
      const failed = Object.keys(ownCalls.outcomes).filter(status => status !== '200');
      // Calls that a short cut finds under way may be answered after it.
      if (failed.length > 0 || seconds > SHORT_SECONDS) expect(failed).toEqual(['503']);
      if (failed.length > 0) expect(ownCalls.retryAfter).toEqual(['5']);
      expect(tokens).toBeGreaterThanOrEqual(answered * PRICE);
      // What was charged when the cut came, and could not be told.
      expect(tokens).toBeLessThanOrEqual((answered + 4) * PRICE);
    }
  });

  test('hosts that are cut off from Redis respond as before', async () => {
    await start('a', 'api', { REDIS_URL });
    const { key, accountId } = await newCaller(db);
    await eventually(async () => (await ask(8011, key)).status === 200);
    const before = (await usageOf(db, accountId)).tokens;
    const calls = callSteadily(8011, key);
    const mend = cut('a', 'redis');
    await sleep(SHORT_SECONDS * 1_000);
    const metrics = await ask(8011, 'of-the-metrics', undefined, '/metrics');
    mend();
    const { outcomes, slowestMs } = await calls();
    const tokens = (await usageOf(db, accountId)).tokens - before;
    report('redis', SHORT_SECONDS, { outcomes, slowestMs, tokens, metrics });
    expect(metrics.status).toBe(200);
    expect(Object.keys(outcomes)).toEqual(['200']);
    expect(tokens).toBe(outcomes['200']! * PRICE);
  });

  test('a rolling restart behind a balancer fails no call and bills each one once', async () => {
    const hosts = { a: await start('a', 'api'), b: await start('b', 'api') };
    const { key, accountId } = await newCaller(db);
    await eventually(async () => (await ask(80, key)).status === 200);
    const before = (await usageOf(db, accountId)).tokens;
    await sleep(3_000);
    const calls = callSteadily(80, key);
    for (const host of ['a', 'b', 'a', 'b'] as const) {
      await sleep(3_000);
      expect(await hosts[host].stop()).toBe(0);
      hosts[host] = await start(host, 'api');
    }
    await sleep(3_000);
    const { outcomes, slowestMs } = await calls();
    const tokens = (await usageOf(db, accountId)).tokens - before;
    report('rolling restart', 0, { outcomes, slowestMs, tokens });
    expect(Object.keys(outcomes)).toEqual(['200']);
    expect(tokens).toBe(outcomes['200']! * PRICE);
  });

  const FAULTS = ['killed', 'database', 'redis'] as const;
  const cases = FAULTS.flatMap(fault =>
    (['postgres', 'redis'] as const)
      .filter(queues => fault !== 'redis' || queues === 'redis')
      .flatMap(queues =>
        (fault === 'killed' ? [0] : [SHORT_SECONDS, SECONDS]).map(seconds => ({ fault, queues, seconds })),
      ),
  );
  test.each(cases)(
    'an ingestion whose host is lost ($fault, $seconds s, queues in $queues) is done once',
    async ({ fault, queues, seconds }) => {
      const name = `${fault}-${queues}-${seconds}`;
      const source = await serveRoll(folder, name);
      const queueEnv = { QUEUE_PREFIX: name, ...(queues === 'redis' && { REDIS_URL }) };
      const first = await start('a', 'workers', queueEnv);
      const config = {
        ...db.config,
        DATABASE_URL: db.url,
        ...queueEnv,
        FEEDS_DIR: folder,
        SAMPLE_FEEDS: false,
      };
      const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
      const { id } = await enqueue(db.pool, ingestJob, {
        feed: name,
        force: false,
        sources: {},
        requestedBy: 'test',
      });
      const begun = performance.now();
      await deliverJobs({ config, db: db.pool, log }, [id]);
      const asked = await source.asked();
      asked.write(ROLL.slice(0, 12));

      const second = await start('b', 'workers', queueEnv);
      const lostAt = performance.now();
      const mend = fault === 'killed' ? () => {} : cut('a', fault === 'redis' ? 'redis' : 'db');
      if (fault === 'killed') first.child.kill('SIGKILL');
      const done = waitForJob(db.pool, id).then(state => ({
        state,
        doneMs: Math.round(performance.now() - lostAt),
      }));
      if (seconds > 0) {
        // In a long cut another host is done while the first is away still, unless Redis hears that one.
        const follows = seconds > SHORT_SECONDS && (fault === 'redis' || queues === 'postgres');
        await (follows ? done : sleep(seconds * 1_000));
        mend();
        if (!asked.destroyed) asked.end(ROLL.slice(12));
      }
      const { state, doneMs } = await done;
      const { rows } = await db.pool.query(
        `select (select count(*)::int from parcels p where p.feed_id = f.id) as parcels,
         array(select r.status from runs r where r.feed_id = f.id order by r.id) as runs
       from feeds f where f.name = $1`,
        [name],
      );
      report(fault, seconds, {
        queues,
        attempts: state.attempts,
        deaths: state.deaths,
        doneMs,
        ms: Math.round(performance.now() - begun),
        ...rows[0],
      });
      expect(state).toMatchObject({ status: 'done' });
      expect(rows[0].parcels).toBe(2);
      // Whoever was away says nothing of a job that others have done, and stops when it is told to.
      // A statement that went into a long cut is sent again after as long a time; until then only the
      // deadline of stopping ends it.
      if (fault !== 'killed') expect(await first.stop()).toBeLessThanOrEqual(seconds > SHORT_SECONDS ? 1 : 0);
      expect(await second.stop()).toBe(0);
      expect((await waitForJob(db.pool, id)).status).toBe('done');
    },
  );

  /** Every program of every host, ended with the file. */
  function run(host: Host, program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', netns(host), program, ...args], {
      cwd: rootDir,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.push(child);
    return child;
  }
}

type Answer = { status: number | string; retryAfter?: string | undefined; ms: number };

function ask(port: number, key: string, agent?: Agent, path = STATS): Promise<Answer> {
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  return new Promise(resolve => {
    const headers = { Authorization: `Bearer ${key}` };
    get(`http://${address('balancer')}:${port}${path}`, { headers, ...(agent && { agent }) }, response => {
      const retryAfter = response.headers['retry-after'];
      response.resume().on('end', () => resolve({ status: response.statusCode!, retryAfter, ms: ms() }));
    }).on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: error.code ?? error.message, ms: ms() }),
    );
  });
}

/** Four clients that call again and again. @returns how to stop them, and what they saw */
function callSteadily(port: number, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const answers: Answer[] = [];
  let calling = true;
  const clients = Array.from({ length: 4 }, async () => {
    while (calling) {
      answers.push(await ask(port, key, agent));
      await sleep(25);
    }
  });
  return async () => {
    calling = false;
    await Promise.all(clients);
    agent.destroy();
    const outcomes: Record<string, number> = {};
    for (const { status } of answers) outcomes[status] = (outcomes[status] ?? 0) + 1;
    const refused = answers.filter(({ status }) => status === 503);
    return {
      outcomes,
      slowestMs: Math.max(...answers.map(({ ms }) => ms)),
      retryAfter: [...new Set(refused.map(({ retryAfter }) => retryAfter ?? 'none'))],
    };
  };
}

const ROLL = 'ID,ACRES\n1-1,2.5\n1-2,10\n';

/** A feed whose roll is answered by the test to who asks first, and at once to others. */
async function serveRoll(folder: string, name: string) {
  let first: ServerResponse | undefined;
  const server = createServer((_request, response) => {
    if (first === undefined) first = response;
    else response.end(ROLL);
  });
  await new Promise<void>(resolve => server.listen(0, address('db'), resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  writeFileSync(
    join(folder, `${name}.yaml`),
    `name: ${name}
kind: assessor
overlap: separate
fips: "33019"
roll:
  source: http://${address('db')}:${port}/roll.csv
  format: csv
  key: { columns: [ID] }
  columns: { apn: ID, acres: ACRES }
`,
  );
  return { asked: () => eventually(async () => first) };
}

async function stop(child: ChildProcess): Promise<number | null> {
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGTERM');
  return (await exited)[0];
}

/** What was seen, for docs/benchmarks.md. */
function report(fault: string, seconds: number, seen: object): void {
  process.stderr.write(`${fault} ${seconds} s: ${JSON.stringify(seen)}\n`);
}
