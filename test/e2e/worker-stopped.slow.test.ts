import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deliverJobs } from '../../cli/common/cli-session.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue, getJob, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { createTestDatabase, lockWaits, type TestDatabase } from '../support/database.ts';
import { insertRegions, lot, writeFeatures } from '../support/ingest.ts';
import { startProgram } from '../support/programs.ts';
import { BACKENDS, eventually, queueEnv, workerConfig } from '../support/workers.ts';

/*
 * A worker that is stopped (SIGSTOP, a suspended machine) keeps its connections: the server sees a living
 * client, and whatever it holds stays locked.
 */

const FIPS = 33_019;
const ROWS = 10_000;
/** Short, but a busy machine must not take a living worker for dead. */
const JOB_LOCK_MS = '10000';
const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

type Line = { msg: string; jobId?: string };

function startWorker(db: TestDatabase, env: Record<string, string>) {
  const child = startProgram(
    'workers/main.ts',
    { LOG_LEVEL: 'info', FEEDS_DIR: db.folder, JOB_LOCK_MS, DATABASE_URL: db.url, ...env },
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
  return {
    child,
    says: (matches: (line: Line) => boolean) =>
      eventually(async () => {
        if (child.exitCode !== null) throw new Error(`It ended: ${text}`);
        return lines().find(matches);
      }),
    async stop() {
      child.kill('SIGTERM');
      return (await once(child, 'exit'))[0];
    },
  };
}

/** A feed of a roll, and what ingests its next version through a worker. */
async function openFeed(db: TestDatabase, env: Record<string, string>) {
  const { pool, folder } = db;
  await insertRegions(pool, [{ type: 'county', code: String(FIPS), state: 'NH', fips: FIPS }]);
  const columns = { owner_name: 'OWNER', assessed_land_value: 'LAND' };
  const roll = { source: 'roll.ndgeojson', format: 'ndgeojson', key: 'PIN', columns };
  const feed = { name: 'roll', kind: 'assessor', fips: String(FIPS), roll };
  writeFileSync(join(folder, 'roll.yaml'), stringify(feed));
  const config = { ...workerConfig(db, 'postgres', env), DATABASE_URL: db.url };
  return async (version: number) => {
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      properties: { PIN: `P${n}`, OWNER: `OWNER ${n}`, LAND: n % 7 === 0 ? 1_000 * version : 1_000 },
      geometry: lot(n % 1000),
    }));
    // Rows that leave, one that is rejected, and one that comes twice.
    if (version > 1)
      rows.splice(10, 5, { ...rows[0]!, properties: { ...rows[0]!.properties, PIN: '' } }, rows[1]!);
    writeFeatures(join(folder, 'roll.ndgeojson'), rows);
    const payload = { feed: 'roll', force: false, sources: {}, requestedBy: 'test' };
    const { id } = await enqueue(pool, ingestJob, payload);
    await deliverJobs({ config, db: pool, log }, [id]);
    return id;
  };
}

/** What two versions leave, but for ids of runs and times. */
async function leftIn({ pool }: TestDatabase) {
  const read = async (text: string) => (await pool.query(text)).rows;
  return {
    parcels: await read(
      `select count(*)::int, md5(string_agg(concat_ws('|', property_id, source_key, owner_name, assessed_land_value,
         location, md5(boundary), retired_at is not null), ',' order by property_id)) from parcels`,
    ),
    // A word's parcels stand in no order: it depends on how the server read the table.
    words: await read(
      `select count(*)::int, md5(string_agg(word || parcels, ',' order by word)) from (
         select word, (select string_agg(serial::text, '' order by serial) from (
           select substring(serials from 4 * n + 1 for 4) as serial
           from generate_series(0, octet_length(serials) / 4 - 1) n) s) as parcels
         from owner_words) w`,
    ),
    filters: await read('select count(*)::int from parcel_filters'),
    changes: await read('select count(*)::int, count(distinct property_id)::int as parcels from changes'),
    runs: await read('select status, counts, error from runs order by id'),
    rejects: await read('select row_no, field, reason from run_rejects order by row_no, reason'),
    stages: await read("select nspname from pg_namespace where nspname like 'stage%'"),
    jobs: await read("select name, status from jobs where name = 'feed.ingest' order by queued_at"),
  };
}

describe.each(BACKENDS)('a worker on $kind that is stopped', async ({ kind }) => {
  const undisturbed = await createTestDatabase();
  const [inMerge, inCopy] = [await createTestDatabase(), await createTestDatabase()];

  async function reference() {
    const env = queueEnv(kind);
    const ingest = await openFeed(undisturbed, env);
    const worker = startWorker(undisturbed, env);
    for (const version of [1, 2]) {
      const state = await waitForJob(undisturbed.pool, await ingest(version));
      expect(state).toMatchObject({ status: 'done', attempts: 1, result: { status: 'merged' } });
    }
    expect(await worker.stop()).toBe(0);
    return leftIn(undisturbed);
  }
  let known: ReturnType<typeof reference> | undefined;

  test.each([
    ['merge', inMerge],
    ['COPY', inCopy],
  ] as const)(
    'in the middle of its %s is followed by another, and does nothing when it wakes up',
    async (moment, db) => {
      known ??= reference();
      const wanted = await known;
      const { pool } = db;
      const env = queueEnv(kind);
      const ingest = await openFeed(db, env);
      const first = startWorker(db, env);
      await waitForJob(pool, await ingest(1));

      // Every merge waits here, after it has written the parcels.
      const gate = await pool.connect();
      await gate.query('begin');
      await gate.query('select pg_advisory_xact_lock($1, $2)', [LOCKS.words, FIPS]);
      const id = await ingest(2);
      if (moment === 'merge') await eventually(async () => (await lockWaits(db)) > 0);
      else await eventually(async () => (await copying(pool)) > 0);
      first.child.kill('SIGSTOP');
      if (moment === 'merge') await gate.query('commit');
      // Its session has done what it was told to, and waits for the next statement or for more rows.
      const waits = moment === 'merge' ? idleInTransaction : copying;
      await eventually(async () => (await waits(pool)) > 0);

      const second = startWorker(db, env);
      await eventually(async () => {
        const { attempts, status } = await getJob(pool, id);
        return attempts === 2 && (moment === 'COPY' ? (await lockWaits(db)) > 0 : status === 'done');
      });
      first.child.kill('SIGCONT');
      await first.says(({ msg, jobId }) => jobId === id && /^job (?:stopped|failed)/.test(msg));
      if (moment === 'COPY') await gate.query('commit');
      gate.release();
      expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', attempts: 2, deaths: 1 });
      expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
      expect(await leftIn(db)).toEqual(wanted);
    },
  );
});

/** Sessions that have taken rows by COPY and wait for more. */
const copying = (pool: TestDatabase['pool']) =>
  count(pool, "query ~ '^copy stage_roll' and wait_event = 'ClientRead'");

const idleInTransaction = (pool: TestDatabase['pool']) =>
  count(pool, "application_name like 'plat worker%' and state = 'idle in transaction'");

async function count(pool: TestDatabase['pool'], where: string): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and ${where}`,
  );
  return rowCount!;
}
