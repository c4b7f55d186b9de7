import { beforeAll, expect, test } from 'vitest';
import { sendMail } from '../../../shared/accounts/mail.ts';
import { METRICS } from '../../../shared/platform/declared-metrics.ts';
import { createLogger } from '../../../shared/platform/log.ts';
import { QUEUE_NAMES } from '../../../shared/platform/queue/queue.ts';
import { version } from '../../../shared/platform/root.ts';
import { insertRegions, newCaller, startTestApi, type TestApi, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { openTestBackend, workerConfig } from '../../support/workers.ts';

const HOUR = 3_600;
const STATS = '/api/public/v1/markets-stats/33019/stats/';

const db = await createTestDatabase();
const { pool } = db;
const log = createLogger(db.config, 'test');
let key: string;

beforeAll(async () => {
  await insertRegions(db);
  ({ key } = await newCaller(db));
});

/** A service on the queues of the database, with nothing kept from earlier scrapes. */
async function startApi(env: Record<string, string> = {}): Promise<TestApi> {
  const backend = openTestBackend(workerConfig(db, 'postgres'));
  return startTestApi(db, { env, queues: QUEUE_NAMES.map(name => backend.queue(name)) });
}

/** The samples of a scrape by name and labels, as they are written. */
async function scrape(api: TestApi): Promise<Map<string, number>> {
  const reply = await api.call('/metrics');
  expect(reply.status).toBe(200);
  const lines = reply.text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const plainName = (sample: string) => sample.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '');

test('every metric is declared, and every declared one appears once it has a value', async () => {
  const backend = openTestBackend(workerConfig(db, 'postgres'));
  await backend.queue('schedule').upsertJobScheduler('feed-daily', { pattern: '0 6 * * *', tz: 'UTC' });
  await pool.query(`
    with feed as (insert into feeds (name, kind, definition) values ('daily', 'listings', '{}') returning id)
    insert into runs (feed_id, status, requested_by, finished_at) select id, 'merged', 'test', now() from feed;
    insert into job_totals (name, outcome, jobs) values ('market.daily', 'done', 1);
    insert into jobs (name, key, payload) values ('deal.fetch', '', '{}');
    insert into dnc_areas (area_code, edition, numbers, feed_id, changed_run) select 603, current_date, 1, id, 1 from feeds`);
  const api = await startApi();
  await api.call(STATS, { key });
  const names = new Set([...(await scrape(api)).keys()].map(plainName));
  expect([...names].filter(name => name.startsWith('plat_')).sort()).toEqual(Object.keys(METRICS).sort());
});

test('version and schema', async () => {
  const api = await startApi();
  const { rows } = await pool.query<{ newest: string }>(
    `select lpad(max(version)::text, 4, '0') as newest
     from (select version from schema_migrations union all select version from schema_expansions) as applied`,
  );
  const build = `plat_build_info{version="${version}",schema="${rows[0]!.newest}"}`;
  const same = await scrape(api);
  expect(same.get(build)).toBe(1);
  for (const state of ['missing', 'newer_expanding', 'newer_breaking'])
    expect(same.get(`plat_schema_migrations{state="${state}"}`)).toBe(0);

  await pool.query(`
    update schema_migrations set version = version + 100 where version = 1;
    insert into schema_expansions (version, name, checksum) values (9998, 'newer', ''), (9999, 'newest', '')`);
  try {
    const other = await scrape(api);
    expect(other.get('plat_schema_migrations{state="missing"}')).toBe(1);
    expect(other.get('plat_schema_migrations{state="newer_breaking"}')).toBe(1);
    expect(other.get('plat_schema_migrations{state="newer_expanding"}')).toBe(2);
  } finally {
    await pool.query(`
      update schema_migrations set version = version - 100 where version > 100;
      delete from schema_expansions where version > 9000`);
  }
});

test('workers, their deaths, and the oldest waiting job of each kind', async () => {
  expect((await scrape(await startApi())).get('plat_worker_deaths_total')).toBe(0);
  await pool.query(`
    insert into workers (id, name, alive_until) values
      ('a', 'one', now() + interval '1 hour'), ('b', 'two', now() + interval '1 hour'), ('c', 'dead', now() - interval '1 s');
    insert into event_totals (name, total) values ('worker_deaths', 4);
    insert into jobs (name, key, payload, status, queued_at) values
      ('ingest.run', '1', '{}', 'queued', now() - interval '2 hours'), ('ingest.run', '2', '{}', 'queued', now()),
      ('export.make', '3', '{}', 'running', now() - interval '3 hours')`);
  const samples = await scrape(await startApi());
  expect(samples.get('plat_workers')).toBe(2);
  expect(samples.get('plat_worker_deaths_total')).toBe(4);
  expect(samples.get('plat_job_oldest_waiting_seconds{name="ingest.run"}')).toBeCloseTo(2 * HOUR, -3);
  expect(samples.has('plat_job_oldest_waiting_seconds{name="export.make"}')).toBe(false);
});

test('the age of each feed, and how overdue a scheduled run is', async () => {
  const { queue } = openTestBackend(workerConfig(db, 'postgres'));
  const everyHour = { pattern: '0 * * * *', tz: 'UTC' };
  for (const name of ['good', 'late', 'never'])
    await queue('schedule').upsertJobScheduler(`feed-${name}`, everyHour);
  await pool.query(`
    insert into feeds (name, kind, definition, created_at)
    select name, 'listings', '{}', now() - interval '30 days' from unnest('{good,late,once,never}'::text[]) as name;
    insert into runs (feed_id, status, requested_by, finished_at)
    select f.id, r.status, 'test', now() - r.ago
    from (values
      ('good', 'merged', interval '9 days'), ('good', 'unchanged', interval '1 second'),
      ('late', 'merged', interval '9 days'), ('late', 'failed', interval '1 minute'),
      ('once', 'merged', interval '20 days'), ('never', 'blocked', interval '1 day')) as r (feed, status, ago)
    join feeds f on f.name = r.feed`);
  const samples = await scrape(await startApi());
  const hours = (metric: string, feed: string) => {
    const seconds = samples.get(`plat_feed_${metric}_seconds{feed="${feed}"}`);
    return seconds === undefined ? undefined : Math.round(seconds / HOUR);
  };
  expect(['good', 'late', 'once', 'never'].map(feed => hours('last_good_run_age', feed))).toEqual([
    0,
    9 * 24,
    20 * 24,
    30 * 24,
  ]);
  // The first run that was missed was due within an hour. A feed without a schedule can't be late.
  expect(hours('overdue', 'good')).toBe(0);
  expect([9 * 24 - 1, 9 * 24]).toContain(hours('overdue', 'late'));
  expect(hours('overdue', 'once')).toBeUndefined();
  expect([30 * 24 - 1, 30 * 24]).toContain(hours('overdue', 'never'));
});

test('the age of statistics is that of the last daily run, or of a change not yet included', async () => {
  const age = async () => (await scrape(await startApi())).get('plat_statistics_age_seconds')! / HOUR;
  expect(await age()).toBeLessThan(1);
  await pool.query("update schema_migrations set applied_at = now() - interval '3 days'");
  expect(Math.round(await age())).toBe(72);
  await pool.query(
    "insert into jobs (name, key, payload, status, finished_at) values ('market.daily', 'daily', '{}', 'done', now() - interval '5 hours')",
  );
  expect(Math.round(await age())).toBe(5);
  await pool.query(
    "insert into stats_dirty (type, code, marked_at) values ('county', '33019', now() - interval '40 hours')",
  );
  expect(Math.round(await age())).toBe(40);
});

test('charged tokens, without those of failed calls', async () => {
  const api = await startApi();
  const before = (await scrape(api)).get('plat_tokens_charged_total')!;
  const { status } = await api.call(STATS, { key });
  expect(status).toBe(200);
  expect((await api.call('/api/public/v1/markets-stats/99999/stats/', { key })).status).toBe(404);
  expect((await scrape(api)).get('plat_tokens_charged_total')).toBe(before + 10);
});

test('emails that could not be sent', async () => {
  const api = await startApi();
  const before = (await scrape(api)).get('plat_mail_failures_total')!;
  const away = { ...db.config, SMTP_URL: 'smtp://127.0.0.1:1' };
  await expect(sendMail(away, log, { to: 'a@example.org', subject: '', text: '' })).rejects.toThrow();
  expect((await scrape(api)).get('plat_mail_failures_total')).toBe(before + 1);
});

test('a scrape reads the database even while calls use all connections and others wait', async () => {
  const api = await startApi({ DB_POOL_SIZE: '2' });
  const readLists = () => api.call('/api/public/v1/lists/', { key });
  // So that the key is known, and the calls below wait for lists alone.
  expect((await readLists()).status).toBe(200);
  const tables = 'lists, stats_dirty, schema_expansions';
  const calls = await whileLocked(db, [`lock table ${tables} in access exclusive mode`], async () => {
    const waiting = Array.from({ length: 6 }, readLists);
    await expect.poll(() => lockWaits(db)).toBe(2);
    let samples = new Map<string, number>();
    const waitingForConnection = async () => {
      samples = await scrape(api);
      return samples.get('plat_database_pool_waiting{pool="api"}');
    };
    // One or more, because calls that aren't admitted yet wait for a connection together.
    await expect.poll(waitingForConnection).toBeGreaterThan(0);
    expect(samples.get('plat_database_up')).toBe(1);
    expect(samples.get('plat_workers')).toBeDefined();
    expect(samples.get('plat_database_pool_max_connections{pool="api"}')).toBe(2);
    expect(samples.get('plat_database_pool_connections{pool="api",state="used"}')).toBe(2);
    // What needs the locked tables is missing, rather than zero.
    expect(samples.has('plat_schema_migrations{state="missing"}')).toBe(false);
    expect(samples.has('plat_statistics_age_seconds')).toBe(false);
    return waiting;
  });
  for (const reply of await Promise.all(calls)) expect(reply.status).toBe(200);
});

test('without a database, its figures are missing and no counter falls back to zero', async () => {
  const api = await startApi();
  expect((await scrape(api)).has('plat_worker_deaths_total')).toBe(true);
  const refused = new URL(db.url);
  refused.port = '1';
  const away = await startTestApi(db, { env: { DATABASE_URL: refused.href } });
  const samples = await scrape(away);
  expect(samples.get('plat_database_up')).toBe(0);
  for (const name of ['plat_worker_deaths_total', 'plat_workers', 'plat_job_rows_total'])
    expect([...samples.keys()].map(plainName)).not.toContain(name);
  expect([...samples.keys()].map(plainName)).toContain('plat_tokens_charged_total');
});
