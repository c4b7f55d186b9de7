import { z } from 'zod';
import type { Queryable } from '../../shared/db.ts';
import { enqueue, type JobDefinition } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const fips = z.number().int().min(1001).max(78_999);

const fitPayload = z.strictObject({
  /** The counties to value with the new model: these, those that are marked, or (without) all that have parcels. */
  counties: z.union([z.array(fips), z.literal('marked')]).optional(),
  asOf: z.iso.date().optional(),
});
export type FitPayload = z.infer<typeof fitPayload>;

const countyPayload = z.strictObject({ fips });
export type CountyPayload = z.infer<typeof countyPayload>;

/**
 * Five attempts from 2 seconds on, doubled, last half a minute: longer than a restart of the database. What is left then
 * is done with the next change or the daily fit.
 */
const RETRY = { attempts: 5, backoffMs: 2_000 };

/** Learns from all comps what the market tells, and has counties valued with it. */
export const valuationFit: JobDefinition<FitPayload> = {
  name: 'valuation.fit',
  queue: 'valuation',
  payload: fitPayload,
  key: ({ counties, asOf }) =>
    `${Array.isArray(counties) ? counties.map(fiveDigits).join('+') : (counties ?? 'all')}@${asOf ?? 'today'}`,
  ...RETRY,
};

/** Values every parcel of a county with the model that there is. */
export const valuationCounty: JobDefinition<CountyPayload> = {
  name: 'valuation.county',
  queue: 'valuation',
  payload: countyPayload,
  key: ({ fips: county }) => fiveDigits(county),
  ...RETRY,
};

/** Once a day, when another day has passed since every sale: after the statistics and the land attributes. */
export const VALUATION_DAILY = { cron: '40 0 * * *', timeZone: 'UTC' };

/** Has the counties that are marked valued: while such a job waits no other is added. @returns its id */
export async function enqueueMarked(db: Queryable): Promise<string> {
  return (await enqueue(db, valuationFit, { counties: 'marked' })).id;
}
