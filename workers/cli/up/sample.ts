import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../../shared/db.ts';
import { PlatError } from '../../../shared/errors.ts';
import { enqueue, waitForJob } from '../../../shared/jobs.ts';
import type { Feed } from '../../feeds/feed.ts';
import { listFeeds } from '../../feeds/load.ts';
import { sampleDir } from '../../feeds/dirs.ts';
import { ingestJob } from '../../ingest/job.ts';
import { openProgress } from '../progress-view.ts';

/** The bundled feeds that have never been ingested here. */
export async function missingSamples(pool: Pool): Promise<Feed[]> {
  const { rows } = await pool.query<{ name: string }>(sql('runs/list_ingested_feeds'));
  const present = new Set(rows.map(row => row.name));
  return (await listFeeds([sampleDir])).filter(feed => !present.has(feed.name));
}

/**
 * Puts the bundled feeds into the outbox and waits until the workers have ingested them and computed the
 * statistics that follow. The workers' sweep delivers the jobs.
 * @throws PlatError `sample` when one fails or the gate blocks it
 */
export async function ingestSamples(
  pool: Pool,
  feeds: Feed[],
  deliver: (ids: string[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const jobs = await Promise.all(
    feeds.map(async ({ name }) => ({
      name,
      id: (await enqueue(pool, ingestJob, { feed: name, force: false, sources: {}, requestedBy: 'plat up' })).id,
    })),
  );
  await deliver(jobs.map(job => job.id));
  const view = openProgress(process.stdout);
  try {
    for (const { name, id } of jobs) {
      const state = await waitForJob(pool, id, { signal, onState: current => view.update(name, current) });
      const status = (state.result as { status?: string } | null)?.status;
      if (state.status === 'failed' || status === 'blocked') {
        throw new PlatError('sample', `The sample feed ${name} was not ingested: ${state.error ?? 'the gate blocked it'}. \`npx plat runs\` tells more.`);
      }
    }
    await waitForStatistics(pool, signal);
  } finally {
    view.stop();
  }
}

/** The job that an ingestion enqueues ends when no region is due any more. */
async function waitForStatistics(pool: Pool, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ due: boolean; open: boolean }>(sql('market/get_dirty_state'));
    const { due, open } = rows[0]!;
    if (!due) return;
    if (!open) throw new PlatError('sample', 'The statistics of the sample were not computed. `npx plat status` tells more.');
    await sleep(100, undefined, { signal });
  }
}
