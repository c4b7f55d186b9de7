import { undoJob } from '../../shared/feeds/undo-runs.ts';
import { defineJob } from '../queue/job.ts';

export const undoRunJob = defineJob({
  ...undoJob,
  async run({ db, log, signal, progress, jobId, deliver }, payload) {
    const { undoRun } = await import('./kinds/assessor/undo-run.ts');
    const result = await undoRun({ db, log, signal, progress, env: process.env }, { ...payload, jobId });
    if (result.follow.length > 0) await deliver(result.follow);
    const { runId, status, counts } = result;
    return { rows: counts.changed + counts.returned + counts.retired, runId, status, counts };
  },
});
