import { z } from 'zod';
import { type Queryable, sql } from '../../shared/base/db.ts';
import { dealFetch } from '../../shared/deals/deal-board.ts';
import { countyCode, dailyJob, enqueueAll, type JobDefinition, RETRY } from '../../shared/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const countyPayload = z.strictObject({ fips: countyCode });

/** Looks for the listings of a county's deals and grades them anew, all against one reading of the market. */
export const dealGrade: JobDefinition<z.infer<typeof countyPayload>> = {
  name: 'deal.grade',
  queue: 'deals',
  payload: countyPayload,
  key: ({ fips }) => fiveDigits(fips),
  ...RETRY,
};

/** The same for every deal that is listed, or was never found, when another day has passed. */
export const dealDaily = dailyJob('deal.daily', 'deals');

/** In the transaction of a merge: the counties that it has touched and that have deals. @returns the jobs' ids */
export async function enqueueTouched(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(sql('deals/list_marked_counties'));
  return enqueueAll(db, dealGrade, rows);
}

/** Where a county has such deals. @returns the jobs' ids */
export async function enqueueCounty(db: Queryable, fips: number): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(sql('deals/list_counties'), [fips]);
  return enqueueAll(db, dealGrade, rows);
}

/** @returns the jobs' ids */
export async function enqueueDaily(db: Queryable): Promise<string[]> {
  const { rows: counties } = await db.query<{ fips: number }>(sql('deals/list_counties'), [null]);
  const { rows: strays } = await db.query<{ deal: string }>(sql('deals/list_strays'));
  return [...(await enqueueAll(db, dealGrade, counties)), ...(await enqueueAll(db, dealFetch, strays))];
}
