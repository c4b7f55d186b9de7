import { prepareReports } from '../shared/comping/report.ts';
import { dealFetch } from '../shared/deals.ts';
import type { Deliverable } from '../shared/jobs.ts';
import { ingestJob } from '../shared/runs.ts';
import { attributesChunk, attributesPlan } from './attributes/jobs.ts';
import { dealDaily, dealGrade } from './deals/jobs.ts';
import { marketDaily, marketRecompute } from './market/jobs.ts';
import { valuationAll, valuationCounty } from './valuation/jobs.ts';

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
