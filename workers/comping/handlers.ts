import { prepareReports } from '../../shared/comping/report.ts';
import { job } from '../runner/registry.ts';
import { prepareCounty } from './prepare.ts';

export const compingJobs = [
  job(prepareReports, async ({ pool, signal }, { fips }) => ({
    rows: await prepareCounty(pool, fips, signal),
  })),
];
