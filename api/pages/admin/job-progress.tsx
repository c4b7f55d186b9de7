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

/** What takes no longer is there when the page opens. */
const PATIENCE_MS = 1_500;

/** Has the workers do a job, and gives it a moment. @returns its id */
export async function startJob<P>(visit: Visit, job: JobDefinition<P>, payload: P): Promise<string> {
  const { db } = visit.deps;
  const id = await enqueueAndNotify(db, job, payload);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  await waitForJob(db, id, { signal: patience }).catch(error => {
    if (!patience.aborted) throw error;
  });
  return id;
}

/** The job that the page's address names. @throws PlatError `not_found` where it is none of this kind */
export async function jobOfPage<P>(
  visit: Visit,
  job: JobDefinition<P>,
): Promise<{ state: JobState; payload: P }> {
  const { id } = visit.req.params;
  const state = typeof id === 'string' && UUID.test(id) ? await findJob(visit, id) : undefined;
  if (state?.name !== job.name) throw notFound('This is no longer kept, or never was: begin again.');
  return { state, payload: job.payload.parse(state.payload) };
}

/** Undefined where it is not kept any more, or never was. */
export function findJob({ deps }: Visit, id: string): Promise<JobState | undefined> {
  return getJob(deps.db, id).catch(undefinedIf(({ code }) => code === 'not_found'));
}

export const isOpen = ({ status }: JobState): boolean => status === 'queued' || status === 'running';

/** A worker that is there takes a job within a second. */
const UNTAKEN_MS = 10_000;

/** Whether a job waits although no worker is running that could take it. */
export async function lacksWorker(visit: Visit, { status, queued_at }: JobState): Promise<boolean> {
  if (status !== 'queued' || visit.deps.now().getTime() - queued_at.getTime() < UNTAKEN_MS) return false;
  return (await countWorkers(visit.deps.db)) === 0;
}

export const NoWorker = () => (
  <Notice kind="bad">
    No worker is running, so nothing happens: start one with <code>plat worker</code>, or everything with{' '}
    <code>npm start</code>.
  </Notice>
);

export const Progress = ({ name, state }: { name: string; state: JobState }) => (
  <p class="progress">
    <progress aria-label={name} value={state.status === 'running' ? state.progress : 0} max={1} />
    <small>
      {state.status === 'queued'
        ? 'waits for its turn'
        : `${Math.round(100 * state.progress)} %, ${describeJob(state)}`}
    </small>
  </p>
);

/** Of a page that is looked at again while work goes on, with scripts or without. */
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
