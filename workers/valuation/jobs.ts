import { z } from 'zod';
import type { JobDefinition } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const fips = z.number().int().min(1001).max(78_999);

const fitPayload = z.strictObject({
  /** The counties to value with the new model; without them all that have parcels. */
  counties: z.array(fips).optional(),
  asOf: z.iso.date().optional(),
});
export type FitPayload = z.infer<typeof fitPayload>;

const countyPayload = z.strictObject({ fips });
export type CountyPayload = z.infer<typeof countyPayload>;

/**
 * Five attempts from 2 seconds on, doubled, last half a minute: longer than a restart of the database. What is left then
 * is done by the next merge's refresh or the daily fit.
 */
const RETRY = { attempts: 5, backoffMs: 2_000 };

/** Learns from all comps what the market tells, and has counties valued with it. */
export const valuationFit: JobDefinition<FitPayload> = {
  name: 'valuation.fit',
  queue: 'valuation',
  payload: fitPayload,
  key: ({ counties, asOf }) => `${counties?.map(fiveDigits).join('+') ?? 'all'}@${asOf ?? 'today'}`,
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

/** Values the parcels that merges have marked: those that changed comps can reach, and counties whose parcels changed. */
export const valuationRefresh: JobDefinition<Record<string, never>> = {
  name: 'valuation.refresh',
  queue: 'valuation',
  payload: z.strictObject({}),
  key: () => 'refresh',
  ...RETRY,
};

/** Once a day, when another day has passed since every sale: after the statistics and the land attributes. */
export const VALUATION_DAILY = { cron: '40 0 * * *', timeZone: 'UTC' };
