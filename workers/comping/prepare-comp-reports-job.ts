import { prepareReports } from '../../shared/comping/comp-report.ts';
import { defineJob } from '../queue/job.ts';

export const prepareCompReportsJob = defineJob({
  ...prepareReports,
  async run({ db, signal }, { fips }) {
    const { prepareCounty } = await import('./prepare-reports.ts');
    return { rows: await prepareCounty(db, fips, signal) };
  },
});
