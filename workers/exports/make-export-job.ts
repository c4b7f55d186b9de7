import { makeExport } from '../../shared/exports/export-request.ts';
import { defineJob } from '../queue/job.ts';

export const makeExportJob = defineJob({
  ...makeExport,
  async run(context, { export: id }) {
    const { runExport } = await import('./run-export.ts');
    return runExport(context, id);
  },
});
