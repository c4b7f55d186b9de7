import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../../shared/db.ts';
import { enqueue, patiently, waitForJob } from '../../../shared/jobs.ts';
import { sampleDir } from '../../feeds/dirs.ts';
import type { Feed } from '../../feeds/feed.ts';
import { listFeeds } from '../../feeds/load.ts';
import { ingestJob } from '../../ingest/job.ts';
import { marketRecompute } from '../../market/jobs.ts';
import { openProgress } from '../common/enqueue.ts';
import { print } from '../common/output.ts';

type DirtyState = { due: boolean; open: boolean };
type Deliver = (ids: string[]) => Promise<void>;

/** The bundled feeds that have never been ingested here. */
export async function missingSamples(pool: Pool): Promise<Feed[]> {
  const { rows } = await pool.query<{ name: string }>(sql('runs/list_ingested_feeds'));
  const present = new Set(rows.map(row => row.name));
  return (await listFeeds([sampleDir])).feeds.filter(feed => !present.has(feed.name));
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
    print(`The sample feed ${jobs[i]!.name} was not ingested (\`npx plat runs\` tells more): ${why}`);
  }
}

/** Waits until no region's statistics are due: those of the sample, or those that an interrupted start has left. */
export async function finishStatistics(pool: Pool, deliver: Deliver, signal: AbortSignal): Promise<void> {
  for (let asked = false; ; ) {
    const { rows } = await patiently(() => pool.query<DirtyState>(sql('market/get_dirty_state')), signal);
    const { due, open } = rows[0]!;
    if (!due) return;
    if (!open) {
      if (asked) return print('Some statistics could not be computed: `npx plat status` tells more.');
      await deliver([(await enqueue(pool, marketRecompute, { scope: { dirty: true } })).id]);
      asked = true;
    }
    await sleep(100, undefined, { signal });
  }
}
