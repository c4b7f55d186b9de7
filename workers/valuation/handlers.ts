import { type JobContext, type JobResult, job } from '../runner/registry.ts';
import { valueCounty } from './county.ts';
import { fitMarket } from './fit.ts';
import {
  type CountyPayload,
  type FitPayload,
  valuationCounty,
  valuationFit,
  valuationRefresh,
} from './jobs.ts';
import { refreshValuations } from './refresh.ts';

async function fit({ pool, deliver }: JobContext, payload: FitPayload): Promise<JobResult> {
  const result = await fitMarket(pool, payload);
  await deliver(result.jobs);
  return { ...result, rows: result.sales };
}

async function county({ pool, signal, progress }: JobContext, { fips }: CountyPayload): Promise<JobResult> {
  const result = await valueCounty(pool, fips, { signal, progress: share => progress(share, 'valuing') });
  return { ...result, rows: result.parcels };
}

async function refresh({ pool, signal, deliver }: JobContext): Promise<JobResult> {
  const result = await refreshValuations(pool, signal);
  await deliver(result.jobs);
  return { ...result, rows: result.parcels };
}

export const valuationJobs = [
  job(valuationFit, fit),
  job(valuationCounty, county),
  job(valuationRefresh, refresh),
];
