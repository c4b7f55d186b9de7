import { enqueue, type JobDefinition, type JobState, waitForJob } from '../../shared/jobs.ts';
import { warnOfNoWorker } from './idle.ts';
import { print, printJson } from './output.ts';
import { openProgress } from './progress-view.ts';
import { deliverFromHere, type Session } from './session.ts';

export type EnqueueOptions = { wait?: boolean; json?: boolean };

/**
 * Enqueues one job from the command line and, with `--wait`, shows it to its end.
 * @returns the job's final state, or undefined when nobody waits
 */
export async function enqueueFromCli<P>(
  session: Session,
  definition: JobDefinition<P>,
  payload: P,
  label: string,
  options: EnqueueOptions,
): Promise<JobState | undefined> {
  const { id, added } = await enqueue(session.pool, definition, payload);
  await deliverFromHere(session, [id]);
  if (!options.wait) {
    if (options.json) printJson({ job: id, added });
    else
      print(
        `${label}: job ${id} ${added ? 'is queued' : 'was waiting already'}. \`plat status\` shows how it goes.`,
      );
    return undefined;
  }
  const view = openProgress();
  const ended = new AbortController();
  const warning = warnOfNoWorker(session.pool, id, ended.signal);
  try {
    return await waitForJob(session.pool, id, { onState: state => view.update(label, state) });
  } finally {
    ended.abort();
    await warning;
    view.stop();
  }
}
