import { UUID } from '../../../shared/model/uuid.ts';
import {
  countWorkers,
  describeJob,
  enqueueAndNotify,
  getJob,
  type JobDefinition,
  type JobState,
  waitForJob,
} from '../../../shared/platform/queue/jobs.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import { Notice } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

/** If a job finishes within this time, the page opens with its result. */
const PATIENCE_MS = 1_500;

/** Queues a job and waits briefly for it to finish. @returns its id */
export async function startJob<P>(visit: Visit, job: JobDefinition<P>, payload: P): Promise<string> {
  const { db } = visit.deps;
  const id = await enqueueAndNotify(db, job, payload);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  await waitForJob(db, id, { signal: patience }).catch(error => {
    if (!patience.aborted) throw error;
  });
  return id;
}

/** The job in the page's URL. @throws PlatError `not_found` if there is none of this kind */
export async function jobOfPage<P>(
  visit: Visit,
  job: JobDefinition<P>,
): Promise<{ state: JobState; payload: P }> {
  const { id } = visit.req.params;
  const state = typeof id === 'string' && UUID.test(id) ? await findJob(visit, id) : undefined;
  if (state?.name !== job.name)
    throw notFound('This page has expired or never existed. Start again from Admin.');
  return { state, payload: job.payload.parse(state.payload) };
}

/** Undefined if the job is no longer kept or never existed. */
export function findJob({ deps }: Visit, id: string): Promise<JobState | undefined> {
  return getJob(deps.db, id).catch(undefinedIf(({ code }) => code === 'not_found'));
}

export const isOpen = ({ status }: JobState): boolean => status === 'queued' || status === 'running';

/** A running worker picks up a job within a second. */
const UNTAKEN_MS = 10_000;

/** Whether a job is waiting and no worker is running. */
export async function lacksWorker(visit: Visit, { status, queued_at }: JobState): Promise<boolean> {
  if (status !== 'queued' || visit.deps.now().getTime() - queued_at.getTime() < UNTAKEN_MS) return false;
  return (await countWorkers(visit.deps.db)) === 0;
}

export const NoWorker = () => (
  <Notice kind="bad">
    No worker is running, so this job is waiting. Start one with <code>plat worker</code>, or start everything
    with <code>npm start</code>.
  </Notice>
);

export const Progress = ({ name, state }: { name: string; state: JobState }) => (
  <p class="progress">
    <progress aria-label={name} value={state.status === 'running' ? state.progress : 0} max={1} />
    <small>
      {state.status === 'queued' ? 'Queued' : `${Math.round(100 * state.progress)}%, ${describeJob(state)}`}
    </small>
  </p>
);

/** Keeps a page refreshing while work is in progress, with or without scripts. */
export const followed = (open: boolean) => ({
  assetNames: ['cards.css', ...(open ? ['progress.mjs'] : [])],
  ...(open && {
    head: (
      <noscript>
        <meta http-equiv="refresh" content="3" />
      </noscript>
    ),
  }),
});
