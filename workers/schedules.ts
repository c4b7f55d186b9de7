import type { Config } from '../shared/config.ts';
import type { Pool } from '../shared/db.ts';
import { PlatError } from '../shared/errors.ts';
import { type Deliverer, deliver, enqueue } from '../shared/jobs.ts';
import type { DeliveryQueue } from '../shared/queue.ts';
import { installedFeeds } from './feeds/dirs.ts';
import { ingestJob } from './ingest/job.ts';
import { MARKET_DAILY, marketDaily } from './market/jobs.ts';

const FEED_PREFIX = 'feed-';
const DAILY_ID = 'market-daily';

/**
 * Keeps the queue's schedulers in step with the feed files: adds, changes and removes them. A schedule that comes
 * round only says which job is due; the job itself goes through the outbox like any other.
 * @returns the ids of the schedulers that are in force
 */
export async function syncSchedules(queue: DeliveryQueue, config: Config): Promise<string[]> {
  const feeds = await installedFeeds(config);
  const wanted = new Map<string, { pattern: string; tz: string }>();
  wanted.set(DAILY_ID, { pattern: MARKET_DAILY.cron, tz: MARKET_DAILY.timeZone });
  for (const { name, schedule } of feeds) {
    if (schedule) wanted.set(`${FEED_PREFIX}${name}`, { pattern: schedule.cron, tz: schedule.timezone });
  }
  for (const scheduler of await queue.getJobSchedulers()) {
    if (scheduler.key && !wanted.has(scheduler.key)) await queue.removeJobScheduler(scheduler.key);
  }
  for (const [id, repeat] of wanted) {
    await queue.upsertJobScheduler(id, repeat, {
      name: 'due',
      data: { scheduled: id },
      opts: { removeOnComplete: true, removeOnFail: { count: 100 } },
    });
  }
  return [...wanted.keys()];
}

/** Puts the job of a schedule that has come round into the outbox and hands it on. */
export async function enqueueScheduled(pool: Pool, deliverer: Deliverer, id: string): Promise<void> {
  const { id: jobId } = await enqueueDue(pool, id);
  await deliver(pool, deliverer, [jobId]);
}

function enqueueDue(pool: Pool, id: string): Promise<{ id: string }> {
  if (id === DAILY_ID) return enqueue(pool, marketDaily, {});
  if (!id.startsWith(FEED_PREFIX)) throw new PlatError('schedule', `Unknown schedule ${id}.`);
  const payload = { feed: id.slice(FEED_PREFIX.length), force: false, sources: {}, requestedBy: 'schedule' };
  return enqueue(pool, ingestJob, payload);
}
