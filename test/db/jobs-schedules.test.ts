import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../shared/platform/log.ts';
import { openQueues } from '../../shared/platform/queue/queue.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { SCHEDULES, syncSchedulers } from '../../workers/schedules.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  BACKENDS,
  eventually,
  loseQueues,
  openTestBackend,
  startTestWorker,
  workerConfig,
} from '../support/workers.ts';

const db = await createTestDatabase();
const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');

function feedText(name: string, schedule: string): string {
  return `name: ${name}
kind: assessor
fips: "33019"
${schedule}
roll:
  source: ./roll.csv
  format: csv
  key: { columns: [ID] }
  columns: { apn: ID }
`;
}

describe.each(BACKENDS)('schedules on $kind', ({ kind }) => {
  function setUp() {
    const folder = mkdtempSync(join(tmpdir(), 'plat-feeds-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = workerConfig(db, kind, { FEEDS_DIR: folder });
    const queue = openQueues(openTestBackend(config)).schedule;
    return {
      config,
      queue,
      write: (name: string, text: string) => writeFileSync(join(folder, `${name}.yaml`), text),
      remove: (name: string) => rmSync(join(folder, `${name}.yaml`)),
      /** What every start of a worker does. */
      sync: () => syncSchedulers(queue, config, log),
      async inForce() {
        const all = await queue.getJobSchedulers();
        return Object.fromEntries(all.map(({ key, pattern, tz }) => [key, `${pattern} ${tz}`]));
      },
    };
  }
  const daily = Object.fromEntries(
    Object.entries(SCHEDULES).map(([key, { pattern }]) => [key, `${pattern} UTC`]),
  );
  const at = (cron: string, timezone: string) => `schedule: { cron: "${cron}", timezone: ${timezone} }`;

  test('follow the feed files at every start: added, changed in time or zone, removed', async () => {
    const { write, remove, sync, inForce } = setUp();
    await sync();
    expect(await inForce()).toEqual(daily);
    write('one', feedText('one', at('0 4 * * *', 'America/New_York')));
    write('two', feedText('two', at('30 5 * * 1', 'America/Denver')));
    write('three', feedText('three', ''));
    await sync();
    expect(await inForce()).toEqual({
      ...daily,
      'feed-one': '0 4 * * * America/New_York',
      'feed-two': '30 5 * * 1 America/Denver',
    });
    write('one', feedText('one', at('0 4 * * *', 'America/Chicago')));
    write('two', feedText('two', at('45 5 * * 1', 'America/Denver')));
    await sync();
    const changed = { 'feed-one': '0 4 * * * America/Chicago', 'feed-two': '45 5 * * 1 America/Denver' };
    expect(await inForce()).toEqual({ ...daily, ...changed });
    remove('one');
    await sync();
    expect(await inForce()).toEqual({ ...daily, 'feed-two': '45 5 * * 1 America/Denver' });
  });

  test('a faulty feed file removes none; those of other files are updated', async () => {
    const { write, sync, inForce } = setUp();
    write('one', feedText('one', at('0 4 * * *', 'UTC')));
    await sync();
    write('one', 'name: [');
    write('two', feedText('two', at('0 5 * * *', 'UTC')));
    await sync();
    const both = { 'feed-one': '0 4 * * * UTC', 'feed-two': '0 5 * * * UTC' };
    expect(await inForce()).toEqual({ ...daily, ...both });
  });

  test('a job that came due while no worker ran is still due after the next start', async () => {
    const { sync, queue } = setUp();
    await sync();
    const [before] = await queue.getDelayed();
    await sync();
    const [after] = await queue.getDelayed();
    expect(after).toMatchObject({ id: before!.id, timestamp: before!.timestamp });
  });

  test('come back if the queue has lost them', async () => {
    const { sync, inForce, config } = setUp();
    const { restore } = await sync();
    await loseQueues(db, config);
    expect(await inForce()).toEqual({});
    await restore();
    expect(await inForce()).toEqual(daily);
  });

  test('a schedule that comes due puts its job into the outbox, and the worker runs it', async () => {
    const { write, queue, config } = setUp();
    const name = `due-${kind}`;
    write(name, feedText(name, at('0 4 * * *', 'UTC')));
    await startTestWorker(config, allJobs);
    const due = await eventually(async () => {
      const delayed = await queue.getDelayed();
      return delayed.length === Object.keys(daily).length + 1 && delayed;
    });
    for (const one of due) await one.promote();
    const jobs = await eventually(async () => {
      const { rows } = await db.pool.query<{ name: string; payload: unknown; status: string }>(
        "select name, payload, status from jobs where (name = 'ingest.run') = (payload->>'feed' is not distinct from $1) order by name",
        [name],
      );
      // Jobs that follow on these are counted, too.
      return (
        rows.length >= due.length &&
        rows.some(row => row.name === 'ingest.run') &&
        rows.every(row => row.status === 'done' || row.status === 'failed') &&
        rows
      );
    });
    // The feed's roll does not exist, so that its job has come as far as the ingestion and failed there.
    expect(jobs.filter(({ status }) => status === 'failed')).toMatchObject([
      { name: 'ingest.run', payload: { feed: name, requestedBy: 'schedule' } },
    ]);
    await db.pool.query('delete from jobs');
    expect((await queue.getDelayed()).length).toBe(Object.keys(daily).length + 1);
  });
});
