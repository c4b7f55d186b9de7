import { z } from 'zod';
import { type Queryable, sql } from '../../shared/base/db.ts';
import { countyCode, enqueueAll, type JobDefinition, RETRY } from '../../shared/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const asOf = z.iso.date().optional();
const allPayload = z.strictObject({ asOf });

const countyPayload = z.strictObject({ fips: countyCode, asOf });
export type CountyPayload = z.infer<typeof countyPayload>;

export const valuationAll: JobDefinition<z.infer<typeof allPayload>> = {
  name: 'valuation.all',
  queue: 'valuation',
  payload: allPayload,
  key: ({ asOf }) => asOf ?? 'today',
  ...RETRY,
};

export const valuationCounty: JobDefinition<CountyPayload> = {
  name: 'valuation.county',
  queue: 'valuation',
  payload: countyPayload,
  key: ({ fips, asOf }) => (asOf === undefined ? fiveDigits(fips) : `${fiveDigits(fips)}@${asOf}`),
  ...RETRY,
};

/** Has the counties that are marked valued: while a county's job waits no other is added. @returns the jobs' ids */
export async function enqueueMarked(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(sql('valuation/list_marked_counties'));
  return enqueueAll(db, valuationCounty, rows);
}
