import { z } from 'zod';
import { type Queryable, sql } from '../../shared/db.ts';
import { enqueue, type JobDefinition } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const asOf = z.iso.date().optional();
const allPayload = z.strictObject({ asOf });
export type AllPayload = z.infer<typeof allPayload>;

const countyPayload = z.strictObject({ fips: z.number().int().min(1001).max(78_999), asOf });
export type CountyPayload = z.infer<typeof countyPayload>;

/**
 * Five attempts from 2 seconds on, doubled, last half a minute: longer than a restart of the database. What is left then
 * is done with the next change or the daily run.
 */
const RETRY = { attempts: 5, backoffMs: 2_000 };

/** Learns what the sales of every county say, and has all counties valued. */
export const valuationAll: JobDefinition<AllPayload> = {
  name: 'valuation.all',
  queue: 'valuation',
  payload: allPayload,
  key: ({ asOf }) => asOf ?? 'today',
  ...RETRY,
};

/** Fits the market of a county and values every parcel in it. */
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
  const jobs: string[] = [];
  for (const { fips } of rows) jobs.push((await enqueue(db, valuationCounty, { fips })).id);
  return jobs;
}

/** Once a day, when another day has passed since every sale: after the statistics and the land attributes. */
export const VALUATION_DAILY = { cron: '40 0 * * *', timeZone: 'UTC' };
