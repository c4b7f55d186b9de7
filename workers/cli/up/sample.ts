import { setMaxListeners } from 'node:events';
import type { Config } from '../../../shared/config.ts';
import { type Pool, sql } from '../../../shared/db.ts';
import { enqueue, waitForJob } from '../../../shared/jobs.ts';
import { ingestJob } from '../../../shared/runs.ts';
import { installedFeeds, isBundled } from '../../feeds/dirs.ts';
import type { Feed } from '../../feeds/feed.ts';
import { openProgress } from '../common/enqueue.ts';
import { print } from '../common/output.ts';

type Deliver = (ids: string[]) => Promise<void>;

/** The bundled feeds that are switched on and have never been ingested here. */
export async function missingSamples(pool: Pool, config: Config): Promise<Feed[]> {
  const { rows } = await pool.query<{ name: string }>(sql('runs/list_ingested_feeds'));
  const present = new Set(rows.map(row => row.name));
  const { feeds } = await installedFeeds(config);
  return feeds.filter(feed => isBundled(feed) && !present.has(feed.name));
}

/** Has the workers ingest the bundled feeds and waits for them; says so when one fails or the gate blocks it. */
export async function ingestSamples(
  pool: Pool,
  feeds: Feed[],
  deliver: Deliver,
  signal: AbortSignal,
): Promise<void> {
  const jobs = await Promise.all(
    feeds.map(async ({ name }) => ({
      name,
      id: (await enqueue(pool, ingestJob, { feed: name, force: false, sources: {}, requestedBy: 'plat up' }))
        .id,
    })),
  );
  await deliver(jobs.map(job => job.id));
  // Every job that is waited for listens to it.
  setMaxListeners(0, signal);
  const view = openProgress(process.stdout);
  const states = await Promise.all(
    jobs.map(({ name, id }) =>
      waitForJob(pool, id, { signal, onState: current => view.update(name, current) }),
    ),
  ).finally(() => view.stop());
  for (const [i, { status, result, error }] of states.entries()) {
    const blocked = (result as { status?: string } | null)?.status === 'blocked';
    if (status === 'done' && !blocked) continue;
    const why = blocked ? 'the gate blocked it' : error;
    print(`The bundled feed ${jobs[i]!.name} was not ingested (\`npx plat runs\` tells more): ${why}`);
  }
}
