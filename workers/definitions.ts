import { prepareReports } from '../shared/comping/comp-report.ts';
import { dealFetch } from '../shared/deals/deal-board.ts';
import { ingestJob } from '../shared/feeds/ingest-runs.ts';
import type { Deliverable } from '../shared/queue/jobs.ts';
import { dealDaily, dealGrade } from './deals/deal-jobs.ts';
import { attributesChunk, attributesPlan } from './land/land-jobs.ts';
import { marketDaily, marketRecompute } from './market/market-jobs.ts';
import { valuationAll, valuationCounty } from './valuation/valuation-jobs.ts';

/** Every job there is, apart from the code that does it. Boot fails unless each has exactly one handler. */
export const definitions: readonly Deliverable[] = [
  ingestJob,
  attributesPlan,
  attributesChunk,
  marketRecompute,
  marketDaily,
  valuationAll,
  valuationCounty,
  prepareReports,
  dealFetch,
  dealGrade,
  dealDaily,
];
