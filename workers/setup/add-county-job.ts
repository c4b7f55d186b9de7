import { addCountyJob, COUNTY_KINDS } from '../../shared/feeds/county-feeds.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { writeErrorCode } from '../../shared/platform/disk.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { installedFeeds } from '../ingest/feed-folders.ts';
import { defineJob } from '../queue/job.ts';

/** Number of parcel rows to read for suggesting columns, as in `plat county add`. */
const ROWS = 500;

/**
 * Writes the feeds that a county lacks and runs all of them. If it is repeated, it finds the feeds that it
 * wrote before.
 */
export const addCountyFeedsJob = defineJob({
  ...addCountyJob,
  async run({ db, config, signal, progress, deliver }, { county, write, requestedBy }) {
    const { addCounty, cachedFileVersion: cachedFileState } = await import('./add-county.ts');
    const { feeds } = await installedFeeds(config);
    let done = 0;
    const added = await addCounty(county, config, feeds, {
      dryRun: !write,
      rows: ROWS,
      force: false,
      look: cachedFileState(signal),
      signal,
      onAdded: ({ feed }) => progress(++done / COUNTY_KINDS.length, feed),
    });
    signal.throwIfAborted();
    const names = write
      ? added.filter(({ status }) => status === 'written' || status === 'there').map(({ feed }) => feed)
      : [];
    const payloads = names.map(feed => ({ feed, force: false, sources: {}, requestedBy, attended: true }));
    const jobs = await enqueueAll(db, ingestJob, payloads);
    await deliver(jobs);
    return {
      rows: 0,
      added,
      runs: names.map((feed, i) => ({ feed, job: jobs[i]! })),
      feedsDir: config.FEEDS_DIR,
      notWritable: await writeErrorCode(config.FEEDS_DIR),
    };
  },
});
