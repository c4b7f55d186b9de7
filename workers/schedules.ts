import { ingestJob } from '../shared/feeds/ingest-runs.ts';
import type { Config } from '../shared/platform/config.ts';
import type { Db } from '../shared/platform/db.ts';
import { PlatError } from '../shared/platform/errors.ts';
import type { Logger } from '../shared/platform/log.ts';
import { type Deliverer, deliver, enqueue } from '../shared/platform/queue/jobs.ts';
import { type DeliveryQueue, FEED_PREFIX } from '../shared/platform/queue/queue.ts';
import { gradeDealsDailyJob } from './deals/grade-deals-daily-job.ts';
import { deleteOldRecordsJob } from './housekeeping/delete-old-records-job.ts';
import { expireRecordsJob } from './housekeeping/expire-records-job.ts';
import type { Feed } from './ingest/all-kinds.ts';
import { installedFeeds } from './ingest/feed-folders.ts';
import { computeAssemblagesJob } from './land/compute-assemblages-job.ts';
import { planLandAttributesJob } from './land/plan-land-attributes-job.ts';
import { recomputeMarketDailyJob } from './market/recompute-market-daily-job.ts';
import { restateHistoryJob } from './market/restate-history-job.ts';
import { refreshSearchesJob } from './searches/refresh-searches-job.ts';
import { valueAllCountiesJob } from './valuation/value-all-counties-job.ts';

type Schedule = { pattern: string; due(db: Db): Promise<{ id: string }> };

/**
 * Jobs that run at fixed times in UTC, by scheduler. Statistics are computed at night, followed by jobs that
 * depend on them or on the date.
 */
export const SCHEDULES = {
  'market-daily': { pattern: '5 0 * * *', due: db => enqueue(db, recomputeMarketDailyJob, {}) },
  'history-daily': { pattern: '15 0 * * *', due: db => enqueue(db, restateHistoryJob, {}) },
  'attributes-daily': {
    pattern: '20 0 * * *',
    due: db => enqueue(db, planLandAttributesJob, { scope: { dirty: true } }),
  },
  'assemblages-daily': {
    pattern: '30 0 * * *',
    due: db => enqueue(db, computeAssemblagesJob, { scope: { dirty: true } }),
  },
  'valuation-daily': { pattern: '40 0 * * *', due: db => enqueue(db, valueAllCountiesJob, {}) },
  'deals-daily': { pattern: '20 1 * * *', due: db => enqueue(db, gradeDealsDailyJob, {}) },
  'searches-daily': { pattern: '40 1 * * *', due: db => enqueue(db, refreshSearchesJob, {}) },
  'housekeeping-daily': { pattern: '10 2 * * *', due: db => enqueue(db, deleteOldRecordsJob, {}) },
  'housekeeping-hourly': { pattern: '10 * * * *', due: db => enqueue(db, expireRecordsJob, {}) },
} satisfies Record<string, Schedule>;

/**
 * Ten attempts, with delays that start at one second and double each time, outlast a 15-minute database
 * outage.
 */
const DUE_OPTIONS = {
  attempts: 10,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: { count: 100 },
};

type Repeat = { pattern: string; tz: string };

/** `restore` adds back schedulers that the queue has lost. */
export type Schedules = { restore(): Promise<void> };

/**
 * Updates the schedulers. If any feed file has errors, none are removed, because they may belong to that
 * file.
 */
export async function syncSchedulers(queue: DeliveryQueue, config: Config, log: Logger): Promise<Schedules> {
  const { feeds, faults } = await installedFeeds(config);
  for (const { error } of faults)
    log.error({ err: error }, 'a feed file has errors; its schedule stays unchanged');
  const expected = wantedSchedules(feeds);
  const sync = () => syncSchedules(queue, expected, faults.length === 0);
  await sync();
  log.info({ schedules: [...expected.keys()] }, 'updated schedules from the feed files');
  return {
    async restore() {
      if ((await queue.getJobSchedulersCount()) < expected.size) await sync();
    },
  };
}

function wantedSchedules(feeds: readonly Feed[]): Map<string, Repeat> {
  const expected = new Map<string, Repeat>();
  for (const [id, { pattern }] of Object.entries(SCHEDULES)) expected.set(id, { pattern, tz: 'UTC' });
  for (const { name, schedule } of feeds)
    if (schedule) expected.set(FEED_PREFIX + name, { pattern: schedule.cron, tz: schedule.timezone });
  return expected;
}

/**
 * Keeps schedulers that are correct. Rewriting one would skip jobs that came due while no worker was running.
 */
async function syncSchedules(
  queue: DeliveryQueue,
  expected: Map<string, Repeat>,
  removeOthers: boolean,
): Promise<void> {
  const present = new Map<string, { pattern?: string | undefined; tz?: string | undefined }>();
  for (const scheduler of await queue.getJobSchedulers()) {
    if (expected.has(scheduler.key)) present.set(scheduler.key, scheduler);
    else if (removeOthers) await queue.removeJobScheduler(scheduler.key);
  }
  for (const [id, { pattern, tz }] of expected) {
    const now = present.get(id);
    if (now?.pattern === pattern && now.tz === tz) continue;
    await queue.upsertJobScheduler(
      id,
      { pattern, tz },
      { name: 'due', data: { scheduled: id }, opts: DUE_OPTIONS },
    );
  }
}

export async function enqueueScheduled(db: Db, deliverer: Deliverer, id: string): Promise<void> {
  const { id: jobId } = await enqueueDue(db, id);
  await deliver(db, deliverer, [jobId]);
}

function enqueueDue(db: Db, id: string): Promise<{ id: string }> {
  const schedule = SCHEDULES[id as keyof typeof SCHEDULES];
  if (schedule) return schedule.due(db);
  if (!id.startsWith(FEED_PREFIX)) throw new PlatError('schedule', `Unknown schedule ${id}.`);
  const payload = { feed: id.slice(FEED_PREFIX.length), force: false, sources: {}, requestedBy: 'schedule' };
  return enqueue(db, ingestJob, payload);
}
