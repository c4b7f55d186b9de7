import type { Job } from 'bullmq';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createAccount } from '../../shared/accounts/accounts.ts';
import { addDeal } from '../../shared/deals/deal-board.ts';
import { Db } from '../../shared/platform/db.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { createProcessor } from '../../workers/queue/job-runner.ts';
import { startChild, work } from '../support/children.ts';
import { createTestDatabase } from '../support/database.ts';
import { setValue } from '../support/deals.ts';
import { all } from '../support/ingest.ts';

const { pool, url, config } = await createTestDatabase({}, { sample: true });
const log = createLogger(config, 'test');

const account = await createAccount(pool, { name: 'killed', tier: 'scale' });
const listing = (await all(pool, "select id from listings where source_id = 'GEN-036'"))[0]!.id as string;

async function newDeal(): Promise<string> {
  const fields = { purchase_price: '9500.00' };
  return pool.transaction(client =>
    addDeal(client, { accountId: account.id }, { listing_id: listing }, fields),
  );
}

// Its list price is $34,900.
await setValue(pool, '000014 000341 000000', [10_000, 20_000, 40_000]);

const jobOf = async (deal: string) =>
  (await all(pool, 'select id, status from jobs where key = $1', [deal]))[0]!;

/** All of a deal but what makes it another, and what happened to it. */
async function stateOf(deal: string) {
  const [row] = await all(
    pool,
    `select to_jsonb(d) - '{id,position,created_at,updated_at,fetched_at,seen_at}'::text[] as deal,
       (select jsonb_agg(jsonb_build_object('cause', cause, 'changes', changes) order by e.id) from deal_events e where e.deal_id = d.id) as events
     from deals d where id = $1`,
    [deal],
  );
  return row!;
}

const version = async () => Number((await all(pool, 'select version from deal_boards'))[0]!.version);

function processorOn(own: pg.Pool) {
  const { signal } = new AbortController();
  return createProcessor({
    db: new Db(own),
    config,
    log,
    jobs: allJobs,
    signal,
    deliver: async () => {},
    pause() {},
    async endDeadWorkers() {},
  });
}

const deliveryOf = (id: string) =>
  ({ data: { id }, attemptsMade: 0, opts: { attempts: 5 } }) as unknown as Job<
    { id: string },
    unknown,
    string
  >;

/** Does a job on connections that break with their nth statement. @returns whether it came to its end */
async function breakAt(job: string, last: number): Promise<boolean> {
  const own = new pg.Pool({ connectionString: url, max: 4 });
  own.on('error', () => {});
  let count = 0;
  let broken = false;
  own.on('connect', client => {
    client.on('error', () => {});
    const send = client.query.bind(client) as (...values: unknown[]) => unknown;
    client.query = ((...values: unknown[]) => {
      if (++count >= last) {
        broken = true;
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      }
      return send(...values);
    }) as typeof client.query;
  });
  await processorOn(own)(deliveryOf(job)).catch(() => {});
  await own.end().catch(() => {});
  return !broken;
}

test('deal.fetch broken off at each statement leaves the deal as it was or done, and ends as if nothing had been', async () => {
  const undisturbed = await newDeal();
  await processorOn(pool.pool)(deliveryOf((await jobOf(undisturbed)).id as string));
  const wanted = await stateOf(undisturbed);
  expect(wanted).toMatchObject({ deal: { fetch_status: 'found', suggested_action: 'drop' } });

  const deal = await newDeal();
  const before = await stateOf(deal);
  const { id } = await jobOf(deal);
  let statements = 1;
  for (; statements < 60; statements++) {
    const done = await breakAt(id as string, statements);
    const now = await stateOf(deal);
    const isDone = JSON.stringify(now) === JSON.stringify(wanted);
    if (!isDone) expect([statements, now]).toEqual([statements, before]);
    if (done) break;
    await pool.query("update jobs set deaths = 0, worker = null, status = 'running' where id = $1", [id]);
  }
  // Marking it, the page, the boards, the deal, its listing and market, the parcel, what is stored,
  // the version, the end.
  expect(statements).toBeGreaterThan(15);
  expect(await stateOf(deal)).toEqual(wanted);
  expect((await jobOf(deal)).status).toBe('done');
});

test('a worker killed with -9 in the middle of deal.fetch: the next one does the whole of it, once', async () => {
  const [deals, seen] = [[await newDeal(), await newDeal(), await newDeal()], await version()];
  const orders = [3, 9, 16].map((dieAt, i) => ({ job: 'deal.fetch' as const, name: `child ${i}`, dieAt }));
  const last = { job: 'deal.fetch' as const, name: 'last' };
  const [end, ...children] = await Promise.all([last, ...orders].map(order => startChild(url, order)));
  for (const child of children) {
    expect(await work(child)).toBe('SIGKILL');
    await pool.query('update jobs set deaths = 0');
  }
  expect(await work(end!)).toBe(null);
  const [first, ...others] = await Promise.all(deals.map(stateOf));
  expect(first).toMatchObject({
    deal: { fetch_status: 'found' },
    events: [{ cause: 'added' }, { cause: 'fetched' }],
  });
  expect(others).toEqual([first, first]);
  expect(await version()).toBe(seen + deals.length);
});
