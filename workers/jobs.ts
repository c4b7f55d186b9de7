import { ingestJob } from '../shared/runs.ts';
import { attributesJobs } from './attributes/handlers.ts';
import { compingJobs } from './comping/prepare.ts';
import { dealJobs } from './deals/handlers.ts';
import { definitions } from './definitions.ts';
import { handleIngest } from './ingest/run.ts';
import { marketJobs } from './market/handlers.ts';
import { buildRegistry, job } from './runner/registry.ts';
import { valuationJobs } from './valuation/handlers.ts';

/** Every job and the one function that does it. */
export const registry = buildRegistry(definitions, [
  job(ingestJob, handleIngest),
  ...attributesJobs,
  ...marketJobs,
  ...valuationJobs,
  ...compingJobs,
  ...dealJobs,
]);
