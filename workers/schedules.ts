import type { Config } from '../shared/config.ts';
import type { Pool } from '../shared/db.ts';
import { PlatError } from '../shared/errors.ts';
import { type Deliverer, deliver, enqueue } from '../shared/jobs.ts';
import type { Logger } from '../shared/log.ts';
import type { DeliveryQueue } from '../shared/queue.ts';
import { ingestJob } from '../shared/runs.ts';
import { ATTRIBUTES_DAILY, attributesPlan } from './attributes/jobs.ts';
import { DEALS_DAILY, dealDaily } from './deals/jobs.ts';
import { installedFeeds } from './feeds/dirs.ts';
import type { Feed } from './feeds/feed.ts';
import { MARKET_DAILY, marketDaily } from './market/jobs.ts';
import { VALUATION_DAILY, valuationAll } from './valuation/jobs.ts';

const FEED_PREFIX = 'feed-';
const MARKET_ID = 'market-daily';
const ATTRIBUTES_ID = 'attributes-daily';
const VALUATION_ID = 'valuation-daily';
const DEALS_ID = 'deals-daily';

/** All it does is one insert: ten attempts from a second on, doubled, outlast a database that is away for a quarter of an hour. */
const DUE_OPTIONS = {
  attempts: 10,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: { count: 100 },
};

type Repeat = { pattern: string; tz: string };

/**
 * Keeps the queue's schedulers in step with the feed files. While a file is faulty no scheduler is removed, as it may be
 * that file's; the other feeds' follow their files.
 * @returns `restore` puts schedulers back that the queue has lost
 */
export async function keepSchedules(
  queue: DeliveryQueue,
  config: Config,
  log: Logger,
): Promise<{ restore(): Promise<void> }> {
  const { feeds, faults } = await installedFeeds(config);
  for (const { error } of faults)
    log.error({ err: error }, 'a feed file is faulty: its schedule stays as it is');
  const wanted = wantedSchedules(feeds);
  const sync = () => syncSchedules(queue, wanted, faults.length === 0);
  await sync();
  log.info({ schedules: [...wanted.keys()] }, 'schedules are in step with the feed files');
  return {
    async restore() {
      if ((await queue.getJobSchedulersCount()) < wanted.size) await sync();
    },
  };
}

function wantedSchedules(feeds: readonly Feed[]): Map<string, Repeat> {
  const wanted = new Map([
    [MARKET_ID, { pattern: MARKET_DAILY.cron, tz: MARKET_DAILY.timeZone }],
    [ATTRIBUTES_ID, { pattern: ATTRIBUTES_DAILY.cron, tz: ATTRIBUTES_DAILY.timeZone }],
    [VALUATION_ID, { pattern: VALUATION_DAILY.cron, tz: VALUATION_DAILY.timeZone }],
    [DEALS_ID, { pattern: DEALS_DAILY.cron, tz: DEALS_DAILY.timeZone }],
  ]);
  for (const { name, schedule } of feeds) {
    if (schedule) wanted.set(`${FEED_PREFIX}${name}`, { pattern: schedule.cron, tz: schedule.timezone });
  }
  return wanted;
}

/** Leaves schedulers alone that are as they should be: writing one again would skip what came due while no worker ran. */
async function syncSchedules(
  queue: DeliveryQueue,
  wanted: Map<string, Repeat>,
  removeOthers: boolean,
): Promise<void> {
  const present = new Map<string, { pattern?: string | undefined; tz?: string | undefined }>();
  for (const scheduler of await queue.getJobSchedulers()) {
    if (wanted.has(scheduler.key)) present.set(scheduler.key, scheduler);
    else if (removeOthers) await queue.removeJobScheduler(scheduler.key);
  }
  for (const [id, { pattern, tz }] of wanted) {
    const now = present.get(id);
    if (now?.pattern === pattern && now.tz === tz) continue;
    await queue.upsertJobScheduler(
      id,
      { pattern, tz },
      { name: 'due', data: { scheduled: id }, opts: DUE_OPTIONS },
    );
  }
}

export async function enqueueScheduled(pool: Pool, deliverer: Deliverer, id: string): Promise<void> {
  const { id: jobId } = await enqueueDue(pool, id);
  await deliver(pool, deliverer, [jobId]);
}

function enqueueDue(pool: Pool, id: string): Promise<{ id: string }> {
  if (id === MARKET_ID) return enqueue(pool, marketDaily, {});
  if (id === ATTRIBUTES_ID) return enqueue(pool, attributesPlan, { scope: { dirty: true } });
  if (id === VALUATION_ID) return enqueue(pool, valuationAll, {});
  if (id === DEALS_ID) return enqueue(pool, dealDaily, {});
  if (!id.startsWith(FEED_PREFIX)) throw new PlatError('schedule', `Unknown schedule ${id}.`);
  const payload = { feed: id.slice(FEED_PREFIX.length), force: false, sources: {}, requestedBy: 'schedule' };
  return enqueue(pool, ingestJob, payload);
}
