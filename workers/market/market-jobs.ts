import { z } from 'zod';
import { countyCode, dailyJob, type JobDefinition, RETRY } from '../../shared/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

const scope = z.union([
  z.strictObject({ fips: countyCode }),
  z.strictObject({ zip: z.string().regex(/^\d{5}$/) }),
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ dirty: z.literal(true) }),
]);
export type MarketScope = z.infer<typeof scope>;

const recomputePayload = z.strictObject({ scope, asOf: z.iso.date().optional() });

function scopeName(of: MarketScope): string {
  if ('fips' in of) return `county:${fiveDigits(of.fips)}`;
  if ('zip' in of) return `zip:${of.zip}`;
  return 'all' in of ? 'all' : 'dirty';
}

export const marketRecompute: JobDefinition<z.infer<typeof recomputePayload>> = {
  name: 'market.recompute',
  queue: 'market',
  payload: recomputePayload,
  key: ({ scope: of, asOf }) => (asOf === undefined ? scopeName(of) : `${scopeName(of)}@${asOf}`),
  ...RETRY,
};

export const marketDaily = dailyJob('market.daily', 'market');
