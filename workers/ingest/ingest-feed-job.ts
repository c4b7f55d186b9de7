import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { defineJob } from '../queue/job.ts';
import { total } from './engine/run-counts.ts';
import { sharedFolder, workFolder } from './engine/run-folder.ts';
import { installedFeed } from './feed-folders.ts';

/** Runs a feed. The job succeeds even if the gate blocks the run. */
export const ingestFeedJob = defineJob({
  ...ingestJob,
  async run({ db, log, signal, progress, config, jobId, deliver }, payload) {
    const { runFeed } = await import('./ingest-feed.ts');
    const feed = await installedFeed(config, payload.feed);
    const workDir = workFolder(config, payload.feed);
    const result = await runFeed(
      { db, log, signal, progress, env: process.env, workDir, sharedDir: sharedFolder(config) },
      { feed, jobId, force: payload.force, sources: payload.sources, requestedBy: payload.requestedBy },
    ).catch(error => {
      const isSource = error instanceof PlatError && error.code === 'feed_source';
      throw isSource && payload.attended ? new PlatError(error.code, error.message, { cause: error }) : error;
    });
    if (result.follow.length > 0) await deliver(result.follow);
    const { runId, status, counts, blocked } = result;
    return { rows: total(counts.read), runId, status, blocked, counts };
  },
});
