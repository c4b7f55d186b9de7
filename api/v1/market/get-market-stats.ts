import { z } from 'zod';
import { PRICES } from '../../../shared/model/prices.ts';
import type { Answer, CallContext } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { unknownCounty } from '../common/known-regions.ts';
import { fips, regionStats, zip } from '../common/request-schemas.ts';
import { STATS_EXAMPLE } from '../examples/examples.ts';
import { isoDate } from './market-figures.ts';
import { requirePast, statsOfDay } from './stats-of-day.ts';

const query = z.strictObject({
  as_of: isoDate
    .optional()
    .describe(
      'A past date (UTC).\n\nFor month ends since the service started, returns the response from the end of that day. For other dates, computes the statistics from the data available now.',
    ),
});

const DESCRIPTION =
  'Returns inventory, sales, prices, and price dispersion of land by acreage bucket. Buckets without listings are omitted, and figures are null if there is no data to compute them from.';

const common = {
  tag: 'Market statistics',
  query,
  metering: {
    key: 'public_market_stats',
    price: PRICES.marketStats,
    note: 'free on 404 and 304, and for a past date without statistics',
  },
} as const;

const response = (example: { summary: string; value: unknown }) => ({
  description: 'The region and its statistics by acreage bucket. `stats` is empty if there are none.',
  schema: regionStats,
  etag: true,
  example,
});

export const countyStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/{fips}/stats/',
  operationId: 'get_county_market_stats',
  summary: 'Get market statistics for a county',
  description: DESCRIPTION,
  params: z.object({ fips }),
  response: response({
    summary: 'Sullivan County, New Hampshire, in the sample data',
    value: STATS_EXAMPLE,
  }),
  errors: { not_found: 'No county has this FIPS code. Free.' },
  handle: ({ params, query }, resources, call) => answer('county', params.fips, query.as_of, resources, call),
});

export const zipStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/zip/{zip}/stats/',
  operationId: 'get_zip_market_stats',
  summary: 'Get market statistics for a ZIP code',
  description: DESCRIPTION,
  params: z.object({ zip: zip.meta({ example: '04401' }) }),
  response: response({
    summary: 'A ZIP code without listings in the sample data',
    value: {
      id: 'ad33ad9f-8ea6-50a9-85ae-e58b12d9ce56',
      type: 'zip',
      name: '04401',
      state: 'ME',
      county_name: 'Penobscot',
      fips: '',
      as_of: null,
      stats: [],
    },
  }),
  errors: { not_found: 'This ZIP code does not exist. Free.' },
  handle: ({ params, query }, resources, call) => answer('zip', params.zip, query.as_of, resources, call),
});

async function answer(
  type: 'county' | 'zip',
  code: string,
  asOf: string | undefined,
  { readRegionStats, db }: Resources,
  { now }: CallContext,
): Promise<Answer> {
  if (asOf !== undefined) requirePast(asOf, now);
  const found =
    asOf === undefined ? await readRegionStats(type, code) : await statsOfDay(db, type, code, asOf);
  if (found === undefined)
    throw notFound(type === 'county' ? unknownCounty(code) : `No ZIP code ${code} exists.`);
  const { body, etag } = found;
  return { body, etag, tokens: 'known' in found && !found.known ? 0 : PRICES.marketStats.tokens };
}
