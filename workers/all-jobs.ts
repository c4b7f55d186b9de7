import { prepareCompReportsJob } from './comping/prepare-comp-reports-job.ts';
import { fetchDealJob } from './deals/fetch-deal-job.ts';
import { gradeDealsDailyJob } from './deals/grade-deals-daily-job.ts';
import { gradeDealsJob } from './deals/grade-deals-job.ts';
import { makeExportJob } from './exports/make-export-job.ts';
import { deleteOldRecordsJob } from './housekeeping/delete-old-records-job.ts';
import { expireRecordsJob } from './housekeeping/expire-records-job.ts';
import { ingestFeedJob } from './ingest/ingest-feed-job.ts';
import { undoRunJob } from './ingest/undo-run-job.ts';
import { computeAssemblagesJob } from './land/compute-assemblages-job.ts';
import { computeLandAttributesJob } from './land/compute-land-attributes-job.ts';
import { planLandAttributesJob } from './land/plan-land-attributes-job.ts';
import { recomputeMarketDailyJob } from './market/recompute-market-daily-job.ts';
import { recomputeMarketJob } from './market/recompute-market-job.ts';
import { restateHistoryJob } from './market/restate-history-job.ts';
import { jobsByName } from './queue/job.ts';
import { refreshSearchesJob } from './searches/refresh-searches-job.ts';
import { addCountyFeedsJob } from './setup/add-county-job.ts';
import { addFileFeedJob } from './setup/add-file-job.ts';
import { recordCountyJob } from './valuation/record-county-job.ts';
import { valueAllCountiesJob } from './valuation/value-all-counties-job.ts';
import { valueCountyJob } from './valuation/value-county-job.ts';

export const allJobs = jobsByName([
  ingestFeedJob,
  undoRunJob,
  addCountyFeedsJob,
  addFileFeedJob,
  planLandAttributesJob,
  computeLandAttributesJob,
  computeAssemblagesJob,
  recomputeMarketJob,
  recomputeMarketDailyJob,
  restateHistoryJob,
  valueAllCountiesJob,
  valueCountyJob,
  recordCountyJob,
  prepareCompReportsJob,
  fetchDealJob,
  gradeDealsJob,
  gradeDealsDailyJob,
  makeExportJob,
  refreshSearchesJob,
  deleteOldRecordsJob,
  expireRecordsJob,
]);
