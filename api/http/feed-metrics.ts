import { CronExpressionParser } from 'cron-parser';
import type { Sample } from '../../shared/platform/declared-metrics.ts';
import { FEED_PREFIX } from '../../shared/platform/queue/queue.ts';

/** A BullMQ scheduler. */
export type Scheduler = { key: string; pattern?: string | undefined; tz?: string | undefined };
/** `since` is the time of the last good run, or of the first run if none was good, in epoch seconds. */
export type FeedRun = { feed: string; since: number };

/**
 * The feeds that the workers' feed files currently schedule. A feed whose file was deleted stays in the feeds
 * table.
 */
export const scheduledFeeds = (schedulers: readonly Scheduler[] = []): Scheduler[] =>
  schedulers
    .filter(({ key }) => key.startsWith(FEED_PREFIX))
    .map(scheduler => ({ ...scheduler, key: scheduler.key.slice(FEED_PREFIX.length) }));

/**
 * Each feed's age, and the seconds since its first scheduled run after the last good one. `now` is epoch
 * seconds.
 */
export function samplesOfFeeds(
  feeds: readonly FeedRun[],
  schedules: readonly Scheduler[],
  now: number,
): { ages: Sample[]; overdue: Sample[] } {
  const scheduleOf = new Map(schedules.map(schedule => [schedule.key, schedule]));
  const sample = (feed: string, seconds: number): Sample => ({
    labels: { feed },
    value: Math.max(0, seconds),
  });
  return {
    ages: feeds.map(({ feed, since }) => sample(feed, now - since)),
    overdue: feeds.flatMap(({ feed, since }) => {
      const { pattern, tz = 'UTC' } = scheduleOf.get(feed) ?? {};
      if (pattern === undefined) return [];
      const next = CronExpressionParser.parse(pattern, { currentDate: new Date(since * 1_000), tz }).next();
      return [sample(feed, now - next.getTime() / 1_000)];
    }),
  };
}
