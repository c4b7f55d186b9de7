import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { deleteOldRecordsJob } from '../../workers/housekeeping/delete-old-records-job.ts';
import { REJECTS_KEPT } from '../../workers/ingest/engine/stage-rows.ts';
import type { JobContext } from '../../workers/queue/job.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, insertRegions, one } from '../support/ingest.ts';
import { listingFeed, row } from './ingest/listing-support.ts';

const { folder, pool } = await createTestDatabase();

test('the operating guide has a rule for every table, and names no other', async () => {
  const guide = readFileSync(join(rootDir, 'docs', 'operating.md'), 'utf8');
  const section = /^## What grows$(.*?)^## /ms.exec(guide)![1]!;
  const rows = section.matchAll(/^\| (`[^|]+) \|/gm);
  const named = [...rows].flatMap(([, tables]) => [...tables!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const tables = await all<{ name: string }>(
    pool,
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  );
  expect(named.sort()).toEqual(tables.map(({ name }) => name).sort());
});

test('the first rejected rows for each reason are kept, and all are counted', async () => {
  await insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  const { run } = listingFeed(pool, folder);
  const many = REJECTS_KEPT + 5;
  const faulty = Array.from({ length: many }, (_, n) => row(`faulty-${n}`, { list_price: 'much' }));
  const older = Array.from({ length: many }, () => row('A', { list_price: 5 }));
  const repeated = older.map((one, n) => ({ ...one, list_price: 1_000 + n }));
  const { runId, counts } = await run([...faulty, ...repeated, row('B')]);
  expect(counts).toMatchObject({ read: { listings: 2 * many + 1 }, new: 2 });
  const kept = await all<{ reason: string; n: number; last: number }>(
    pool,
    'select reason, count(*)::int as n, max(row_no)::int as last from run_rejects where run_id = $1 group by reason order by reason',
    [runId],
  );
  expect(kept).toEqual(
    Object.keys(counts.rejected)
      .sort()
      .map(reason => ({ reason, n: REJECTS_KEPT, last: expect.any(Number) })),
  );
  expect(counts.rejected.superseded).toBe(many - 1);
  expect(kept.find(({ reason }) => reason !== 'superseded')!.last).toBe(REJECTS_KEPT);
});

test('old records are deleted, except what a rule keeps', async () => {
  const context = { db: pool } as unknown as JobContext;
  const feed = listingFeed(pool, folder);
  const old = await feed.run([row('A'), row('A', { list_price: 7 })]);
  const same = await feed.run([row('A'), row('A', { list_price: 7 })]);
  const last = await feed.run([row('A'), row('A', { list_price: 7 })]);
  await pool.query(
    `update runs set started_at = now() - interval '2 years', finished_at = now() - interval '2 years'`,
  );
  const account = await one<{ id: string }>(
    pool,
    `with c as (insert into companies (name) values ('Old') returning id)
     insert into accounts (company_id, name, tokens_included, overage_cents_per_1000) select id, 'Old', 0, 0 from c returning id`,
  );
  for (const [start, end] of [
    ['2010-01-01', '2010-02-01'],
    ['2026-01-01', null],
  ]) {
    await pool.query('insert into usage_periods (account_id, period_start, period_end) values ($1, $2, $3)', [
      account.id,
      start,
      end,
    ]);
    await pool.query(
      `insert into usage_daily (account_id, period_start, day, endpoint, mode) values ($1, $2::date, $2::date, 'x', 'direct')`,
      [account.id, start],
    );
  }
  const [gone, kept] = [randomUUID(), randomUUID()];
  for (const [id, state, ended] of [
    [gone, 'expired', '2 years'],
    [randomUUID(), 'ready', '2 years'],
    [kept, 'failed', '1 month'],
  ])
    await pool.query(
      `insert into exports (id, company_id, account_id, mode, request, state, tokens_held, created_at, ended_at)
       select $1, company_id, id, 'direct', '{}', $2, 0, now(), now() - $3::interval from accounts where id = $4`,
      [id, state, ended, account.id],
    );
  await pool.query(
    `insert into deal_events (deal_id, at, author, cause, changes)
     values (gen_random_uuid(), now() - interval '2 years', 'x', 'x', '{}'), (gen_random_uuid(), now(), 'x', 'x', '{}')`,
  );

  await deleteOldRecordsJob.run(context, {});

  const runs = await all<{ id: number; rejects: number }>(
    pool,
    `select r.id::int, (select count(*)::int from run_rejects j where j.run_id = r.id) as rejects
     from runs r where r.id = any ($1) order by r.id`,
    [[old.runId, same.runId, last.runId]],
  );
  expect(runs).toEqual([
    { id: old.runId, rejects: 0 },
    { id: last.runId, rejects: 1 },
  ]);
  expect(await all(pool, 'select day::text from usage_daily')).toEqual([{ day: '2026-01-01' }]);
  expect(await all(pool, 'select count(*)::int as n from usage_periods')).toEqual([{ n: 2 }]);
  const exports = await all<{ id: string }>(pool, 'select id from exports');
  expect(exports).toHaveLength(2);
  expect(exports.map(({ id }) => id)).not.toContain(gone);
  expect(await all(pool, 'select count(*)::int as n from deal_events')).toEqual([{ n: 1 }]);
});
