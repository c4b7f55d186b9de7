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
  .pipe(z.enum(stateCodes, 'must be the two letters of a state, such as NH'))
  .meta({ description: 'Two-letter state code.', example: 'NH' });

/** Text of one line. No pattern of the published schema, as few languages read `\P{Cc}`. */
export const line = (most: number, wrong: string) =>
  z
    .string(wrong)
    .max(most, `must be at most ${most} characters long`)
    .refine(text => !/\p{Cc}/u.test(text), 'must not hold control characters');

export const queryFlag = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform(text => text === 'true')
    .default(false)
    .meta({ description, override: { type: 'boolean', enum: undefined } });

export const regionFields = {
  id: z.uuid().describe('The id of the region, the same in every installation.'),
  type: z.enum(['county', 'zip']),
  name: z.string().describe('The name of the county, or the ZIP code.'),
  state: z.string().regex(/^[A-Z]{2}$/),
  county_name: z.string().describe('The county itself, or the county that the ZIP falls in.'),
  fips: z.string().nullable().describe('5-digit county FIPS code; empty for a ZIP.'),
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
      .describe('Acreage bucket; buckets overlap.'),
    listings: z.int().min(1).describe('Listings in the bucket, of every status and age.'),
    data: z
      .object(
        Object.fromEntries(METRIC_KEYS.map(key => [key, metric.optional()])) as Record<
          MetricKey,
          z.ZodOptional<typeof metric>
        >,
      )
      .describe(
        'STR = sell-through rate in %, DOM = days on market, PPA = price per acre in USD, Gini = dispersion of PPA from 0 to 100.',
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
        'Further figures, each null where too few sales carry it: months of supply; the median sale price in % of what was asked; how much the median price per acre changed in a year, in %, and the sales of the year before; the price index of the county with its 80 % range.',
      ),
  })
  .meta({ id: 'BucketStats' });

export const regionStats = z
  .object({
    ...regionFields,
    as_of: z.iso
      .date()
      .nullable()
      .describe('The day as of which the windows count; null where there is no listing.'),
    stats: z.array(bucketStats).describe('A bucket without any listing is left out.'),
  })
  .meta({ id: 'RegionStats' });

export type RegionStats = z.output<typeof regionStats>;

const errorCodes = Object.keys(ERROR_STATUSES) as [ApiErrorCode, ...ApiErrorCode[]];

export const errorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string(),
      request_id: z.string().describe('The X-Request-Id of the request, or the one that the server issued.'),
      details: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe(
          'On validation errors: each rejected field with the reasons. On 410 the address to go on from, `resync_from`.',
        ),
    }),
  })
  .meta({ id: 'Error' });
