import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { all, feedOf, ingest, insertRegions, one, writeObjects } from '../../support/ingest.ts';
import { COLUMNS, listingFeed, row } from './listing-support.ts';

const { pool } = await createTestDatabase();
const folder = testFolder();

const SULLIVAN = { type: 'county', code: '33019', state: 'NH', fips: 33019 } as const;
const REGIONS = [
  SULLIVAN,
  { type: 'county', code: '33013', state: 'NH', fips: 33013 },
  { type: 'county', code: '33001', state: 'NH', fips: 33001 },
  { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
  { type: 'zip', code: '03743', state: 'NH', fips: 33019 },
  { type: 'zip', code: '03301', state: 'NH', fips: 33013 },
] as const;
beforeAll(() => insertRegions(pool, [...REGIONS]));
beforeEach(() => pool.query('delete from stats_dirty; delete from jobs'));

const listings = (options = {}) => listingFeed(pool, folder, options);
const dirty = async () =>
  (await all<{ code: string }>(pool, 'select code from stats_dirty order by code')).map(({ code }) => code);

test('just the regions where a listing is, was or is gone from are marked; the recompute is enqueued with the merge', async () => {
  const { run } = listings();
  const first = await run([
    row('stays', { fips: 33001, zip: '' }),
    row('moves'),
    row('goes', { zip: '03743' }),
  ]);
  expect(await dirty()).toEqual(['03280', '03743', '33001', '33019']);
  expect(await all(pool, 'select id, name, payload, status from jobs')).toEqual([
    { id: first.follow[0], name: 'market.recompute', payload: { scope: { dirty: true } }, status: 'queued' },
  ]);
  await pool.query('delete from stats_dirty');
  await run([row('stays', { fips: 33001, zip: '' }), row('moves', { fips: 33013, zip: '03301' })]);
  expect(await dirty()).toEqual(['03280', '03301', '03743', '33013', '33019']);
  expect(await all(pool, 'select id from jobs')).toHaveLength(1);
  await pool.query('delete from stats_dirty; delete from jobs');
  expect(
    (await run([row('stays', { fips: 33001, zip: '' }), row('moves', { fips: 33013, zip: '03301' })])).follow,
  ).toEqual([]);
  expect([await dirty(), await all(pool, 'select id from jobs')]).toEqual([[], []]);
});

test('a merge that fails leaves no mark, no job, no history and no listing', async () => {
  const name = 'failing';
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    listings: { source: 'failing.ndjson', format: 'ndjson', columns: COLUMNS },
  });
  writeObjects(join(folder, 'failing.ndjson'), [row('A')]);
  const jobId = randomUUID();
  const failing = ingest(
    pool,
    feed,
    { jobId },
    {
      onStep: step => {
        if (step === 'commit') throw new Error('the line is down');
      },
    },
  );
  await expect(failing).rejects.toThrow('the line is down');
  expect([
    await dirty(),
    await all(pool, 'select id from jobs'),
    await all(pool, "select id from listings where source = 'failing'"),
  ]).toEqual([[], [], []]);
  expect(await one(pool, 'select status, error from runs where job_id = $1', [jobId])).toEqual({
    status: 'failed',
    error: 'the line is down',
  });
  expect((await ingest(pool, feed, { jobId })).status).toBe('merged');
  expect(await one(pool, 'select status, attempts, error from runs where job_id = $1', [jobId])).toEqual({
    status: 'merged',
    attempts: 2,
    error: null,
  });
});

test('a job that is done again after its run was merged finds its run as it was', async () => {
  const name = 'twice';
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    listings: { source: 'twice.ndjson', format: 'ndjson', columns: COLUMNS },
  });
  writeObjects(join(folder, 'twice.ndjson'), [row('A')]);
  const jobId = randomUUID();
  const first = await ingest(pool, feed, { jobId });
  const steps: string[] = [];
  const second = await ingest(pool, feed, { jobId }, { onStep: step => void steps.push(step) });
  expect(steps).toEqual([]);
  expect(second).toMatchObject({ runId: first.runId, status: 'merged', counts: { new: 1, unchanged: 0 } });
  expect(await one(pool, 'select status, attempts from runs where job_id = $1', [jobId])).toEqual({
    status: 'merged',
    attempts: 1,
  });
});

test('two feeds that touch the same regions at once do not lock each other out', async () => {
  const [a, b] = [listings(), listings()];
  const rows = Array.from({ length: 200 }, (_, n) =>
    row(`L${n}`, n % 2 ? {} : { fips: 33013, zip: '03301' }),
  );
  const results = await Promise.all([a.run(rows), b.run(rows.toReversed())]);
  expect(results.map(result => result.status)).toEqual(['merged', 'merged']);
});

test('a worker that is told to stop ends its run so that the job is tried again', async () => {
  const name = 'stopping';
  const columns = { source_id: 'ID', status: { value: 'ACTIVE' }, list_price: 'PRICE' };
  const feed = feedOf(folder, {
    name,
    kind: 'listings',
    listings: { source: 'stopping.csv', format: 'csv', columns },
  });
  writeFileSync(
    join(folder, 'stopping.csv'),
    `ID,PRICE\n${Array.from({ length: 5_000 }, (_, n) => `${n},1\n`).join('')}`,
  );
  const stop = new AbortController();
  const run = ingest(
    pool,
    feed,
    {},
    {
      signal: stop.signal,
      onStep: step => {
        if (step === 'stage') stop.abort();
      },
    },
  );
  await expect(run).rejects.toMatchObject({ code: 'interrupted', retryable: true });
  expect(await all(pool, "select nspname from pg_namespace where nspname like 'stage%'")).toEqual([]);
});
