import { ingestJob } from '../shared/feeds/ingest-runs.ts';
import { compingJobs } from './comping/prepare-reports.ts';
import { dealJobs } from './deals/deal-handlers.ts';
import { definitions } from './definitions.ts';
import { handleIngest } from './ingest/ingest-feed.ts';
import { attributesJobs } from './land/land-handlers.ts';
import { marketJobs } from './market/market-handlers.ts';
import { buildRegistry, job } from './queue/job-registry.ts';
import { valuationJobs } from './valuation/valuation-handlers.ts';

/** Every job and the one function that does it. */
export const registry = buildRegistry(definitions, [
  job(ingestJob, handleIngest),
  ...attributesJobs,
  ...marketJobs,
  ...valuationJobs,
  ...compingJobs,
  ...dealJobs,
]);
