import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { newSecret } from '../../shared/webhooks/webhook-terms.ts';
import { bodyOf, headersOf, type Taken } from '../../workers/webhooks/dispatcher.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, timed, withBenchDatabase } from './bench.ts';
import { startWorker, stopWorker } from './worker.ts';

/** Workers run for weeks, so the best round is used, because by then the code is warm on both sides. */
const SIZES = { full: { endpoints: 1_000, rounds: 8 }, quick: { endpoints: 20, rounds: 1 } };
const EVENTS = 5;
/** Number of concurrent requests in the reference. */
const AT_ONCE = 64;
const LEAST = 0.5;
const MAX_FIRST_MS = 5_000;
const MAX_MB = 50;

/**
 * Measures a worker that creates, signs, and delivers messages to many webhooks on this machine, compared
 * with an undici loop that sends the same bytes. Both send to a receiver in its own process.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const { endpoints, rounds } = options.quick ? SIZES.quick : SIZES.full;
  const count = endpoints * EVENTS;
  return withBenchDatabase(options, async (url, pool) => {
    const receiver = await startReceiver(count);
    await insertWebhooks(pool, receiver.url, endpoints);
    const worker = await startWorker(url, { WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' });
    try {
      const ours: number[] = [];
      const theirs: number[] = [];
      const firsts: number[] = [];
      let grown = 0;
      for (let round = -1; round < rounds; round++) {
        const idle = residentKb(worker.pid!);
        const watch = setInterval(() => {
          if (round >= 0) grown = Math.max(grown, residentKb(worker.pid!) - idle);
        }, 20);
        const told = receiver.next();
        // The measurement starts at the commit.
        const committed = await changeCounties(pool);
        const { first, all } = await told;
        clearInterval(watch);
        await delivered(pool);
        const messages = await readSent(pool);
        const again = receiver.next();
        const loopMs = await timed(() => sendAll(messages));
        await again;
        if (round < 0) continue;
        ours.push(all - committed);
        theirs.push(loopMs);
        firsts.push(first - committed);
      }
      const [ourMs, theirMs] = [Math.min(...ours), Math.min(...theirs)];
      return [
        judged(
          {
            name: `${count.toLocaleString('en-US')} messages to ${endpoints.toLocaleString('en-US')} webhooks, from the commit to the last: messages a second`,
            reference: `an undici loop, ${AT_ONCE} at once, that sends the same bytes`,
            value: theirMs / ourMs,
            unit: 'x',
            details: { ms: ourMs, 'reference ms': Math.round(theirMs), rounds },
          },
          { least: LEAST },
        ),
        judged(
          {
            name: 'the first of them, after the commit',
            reference: '',
            value: Math.max(...firsts),
            unit: 'ms',
            details: { rounds },
          },
          { most: MAX_FIRST_MS },
        ),
        judged(
          {
            name: 'memory of the worker above idle meanwhile',
            reference: '',
            value: grown / 1_024,
            unit: 'MB',
            details: {},
          },
          { most: MAX_MB },
        ),
      ];
    } finally {
      await stopWorker(worker);
      receiver.stop();
    }
  });
}

const residentKb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

async function insertWebhooks(pool: TestDb, url: string, endpoints: number): Promise<void> {
  await pool.query(
    `with company as (insert into companies (name) values ('bench') returning id),
     account as (
       insert into accounts (name, tokens_included, company_id) select 'bench', 0, id from company returning id
     )
     insert into webhooks (account_id, url, types)
     select id, $1 || '/' || n, '{parcel.changed}' from account, generate_series(1, $2::int) n`,
    [url, endpoints],
  );
  const { rows } = await pool.query<{ id: string }>('select id from webhooks');
  await pool.query(
    'insert into webhook_secrets (webhook_id, secret, created_at) select id, secret, now() from unnest($1::uuid[], $2::text[]) w (id, secret)',
    [rows.map(({ id }) => id), rows.map(newSecret)],
  );
}

/** Changes a parcel in each of five counties, in one transaction. @returns when it was committed */
async function changeCounties(pool: TestDb): Promise<number> {
  await pool.query(
    `insert into changes (at, type, fips, property_id, fields)
     select now(), 'parcel.changed', 33000 + n, (33000 + n) * 100000000::bigint + 1, '{"acres": [1, 2]}'
     from generate_series(1, $1::int) n`,
    [EVENTS],
  );
  const committed = Date.now();
  await pool.query("select pg_notify('plat_webhooks', '')");
  return committed;
}

async function delivered(pool: TestDb): Promise<void> {
  for (;;) {
    const { rows } = await pool.query("select from webhook_deliveries where state = 'pending' limit 1");
    if (rows.length === 0) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

type Sent = { url: string; headers: Record<string, string>; body: string };

/** The requests from the last round. */
async function readSent(pool: TestDb): Promise<Sent[]> {
  const { rows } = await pool.query<Taken>(
    `select d.webhook_id, d.message_id, d.turn, d.attempts, w.url, m.type, m.seq, m.fips, m.at, m.data, now() as now,
       array(select secret from webhook_secrets s where s.webhook_id = w.id) as secrets
     from webhook_deliveries d join webhooks w on w.id = d.webhook_id join webhook_messages m on m.id = d.message_id
     where m.at = (select max(at) from webhook_messages)`,
  );
  return rows.map(taken => {
    const body = bodyOf(taken, '');
    return { url: taken.url, headers: headersOf(taken, body), body };
  });
}

async function sendAll(messages: readonly Sent[]): Promise<void> {
  const dispatcher = new Agent();
  const left = messages.values();
  const loop = async () => {
    for (const { url, headers, body } of left) {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  await dispatcher.close();
}

async function startReceiver(count: number) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/webhook-receiver.ts'], {
    env: { ...process.env, COUNT: String(count) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value as string;
  const moment = async (name: string) => {
    const [what, at] = (await line()).split(' ');
    if (what !== name) throw new Error(`The receiver said ${what} in place of ${name}.`);
    return Number(at);
  };
  return {
    url: await line(),
    async next() {
      const first = await moment('first');
      return { first, all: await moment('all') };
    },
    stop: () => child.kill(),
  };
}
