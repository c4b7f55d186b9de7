import { installedFeed } from '../feeds/dirs.ts';
import type { JobContext, JobResult } from '../runner/registry.ts';
import type { IngestPayload } from './job.ts';
import { runFeed } from './run.ts';

/** Runs a feed as a job; a run that the gate blocked is a job that did its work. */
export async function handleIngest(context: JobContext, payload: IngestPayload): Promise<JobResult> {
  const { pool, log, signal, progress, config, jobId } = context;
  const feed = await installedFeed(config, payload.feed);
  const result = await runFeed(
    { pool, log, signal, progress, env: process.env },
    { feed, jobId, force: payload.force, sources: payload.sources, requestedBy: payload.requestedBy },
  );
  if (result.follow.length > 0) await context.deliver(result.follow);
  const { runId, status, counts, blocked } = result;
  const rows = Object.values(counts.read).reduce((a, b) => a + b, 0);
  return { rows, runId, status, blocked, counts };
}
