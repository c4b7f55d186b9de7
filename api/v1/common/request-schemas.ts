import { z } from 'zod';
import { ACRE_BUCKETS, type BucketLabel } from '../../../shared/model/buckets.ts';
import {
  METRIC_KEYS,
  type MetricKey,
  MORE_KEYS,
  type MoreKey,
} from '../../../shared/model/market-metrics.ts';
import { type ApiErrorCode, ERROR_STATUSES } from '../../../shared/platform/errors.ts';
import { STATES } from '../../../shared/regions/states.ts';

export { fips, zip } from '../../../shared/regions/region-codes.ts';

const stateCodes = STATES.map(({ code }) => code) as [string, ...string[]];

export const stateCode = z
  .string()
  .transform(text => text.toUpperCase())
  .pipe(z.enum(stateCodes, 'must be a two-letter state code, such as NH'))
  .meta({ description: 'Two-letter state code.', example: 'NH' });

/**
 * A single line of text. The published schema has no pattern for it, because few languages support `\P{Cc}`.
 */
export const line = (most: number, wrong: string) =>
  z
    .string(wrong)
    .max(most, `must be at most ${most} characters long`)
    .refine(text => !/\p{Cc}/u.test(text), 'must not contain control characters');

export const queryFlag = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform(text => text === 'true')
    .default(false)
    .meta({ description, override: { type: 'boolean', enum: undefined } });

export const regionFields = {
  id: z.uuid().describe('Id of the region, the same in every installation.'),
  type: z.enum(['county', 'zip']),
  name: z.string().describe('Name of the county, or the ZIP code.'),
  state: z.string().regex(/^[A-Z]{2}$/),
  county_name: z.string().describe('Name of the county, or of the county that the ZIP code is in.'),
  fips: z.string().nullable().describe('5-digit county FIPS code. Empty for a ZIP code.'),
};

export const region = z.object(regionFields).meta({ id: 'Region' });

export const REGION_EXAMPLE: z.output<typeof region> = {
  id: '78b5033a-d2a6-5d19-b2bf-83916be6fa57',
  type: 'county',
  name: 'Sullivan',
  state: 'NH',
  county_name: 'Sullivan',
  fips: '33019',
};

export type RegionRow = {
  id: string;
  type: 'county' | 'zip';
  code: string;
  name: string;
  state: string;
  county_name: string;
};

export function toRegion({ id, type, code, name, state, county_name }: RegionRow): z.output<typeof region> {
  return { id, type, name, state, county_name, fips: type === 'county' ? code : '' };
}

const metric = z.number().nullable();

const bucketStats = z
  .object({
    type: z
      .enum(ACRE_BUCKETS.map(bucket => bucket.label) as [BucketLabel, ...BucketLabel[]])
      .describe('Acreage bucket. Buckets overlap.'),
    listings: z.int().min(1).describe('Number of listings in the bucket, of any status and age.'),
    data: z
      .object(
        Object.fromEntries(METRIC_KEYS.map(key => [key, metric.optional()])) as Record<
          MetricKey,
          z.ZodOptional<typeof metric>
        >,
      )
      .describe(
        'STR is the sell-through rate in percent, DOM is days on market, PPA is the price per acre in USD, and Gini is the dispersion of PPA from 0 to 100. A figure is null if there is no data to compute it from.',
      ),
    more: z
      .object(
        Object.fromEntries(MORE_KEYS.map(key => [key, metric.optional()])) as Record<
          MoreKey,
          z.ZodOptional<typeof metric>
        >,
      )
      .optional()
      .describe(
        "More figures: months of supply, the median ratio of sale price to last list price in percent, the one-year change in the median price per acre in percent, the number of sales in the prior year, and the county's price index with its 80% range. Each is null if there are too few sales for it, except for the number of sales in the prior year.",
      ),
  })
  .meta({ id: 'BucketStats' });

export const regionStats = z
  .object({
    ...regionFields,
    as_of: z.iso
      .date()
      .nullable()
      .describe('Date on which the time windows end. Null if the region has no listings.'),
    stats: z
      .array(bucketStats)
      .describe('Statistics by acreage bucket. Buckets without listings are omitted.'),
  })
  .meta({ id: 'RegionStats' });

export type RegionStats = z.output<typeof regionStats>;

const errorCodes = Object.keys(ERROR_STATUSES) as [ApiErrorCode, ...ApiErrorCode[]];

export const errorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string(),
      request_id: z.string().describe('The X-Request-Id that you sent, or an id from the server.'),
      details: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe(
          'For validation errors, each rejected field with the reasons. For 410, `resync_from` is the URL to continue from.',
        ),
    }),
  })
  .meta({ id: 'Error' });
