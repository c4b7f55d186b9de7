import { z } from 'zod';
import type { Answer } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint, type RegionStats } from '../common/endpoint-resources.ts';
import { unknownCounty } from '../common/known-regions.ts';
import { fips, regionStats, zip } from '../common/request-schemas.ts';
import { STATS_EXAMPLE } from '../examples/examples.ts';

const TOKENS = 10;
const METERING = {
  key: 'public_market_stats',
  price: TOKENS,
  atMost: TOKENS,
  rule: '10 tokens; 0 on 404 and 304',
};

const common = {
  method: 'get',
  tag: 'Market statistics',
  metering: METERING,
} as const;

const response = (example: { summary: string; value: unknown }) => ({
  status: 200 as const,
  description: 'The region and its statistics by acreage bucket. `stats` is empty where none were computed.',
  schema: regionStats,
  etag: true,
  example,
});

export const countyStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/{fips}/stats/',
  operationId: 'get_county_market_stats',
  summary: 'Market statistics of a county',
  description: 'Inventory, sales, prices and dispersion of land listings in a county, by acreage bucket.',
  params: z.object({ fips }),
  response: response({
    summary: 'Sullivan County, New Hampshire, in the sample',
    value: STATS_EXAMPLE,
  }),
  errors: { not_found: 'No county has this FIPS code. Costs nothing.' },
  handle: async ({ params }, { readRegionStats }) =>
    answer(await readRegionStats('county', params.fips), unknownCounty(params.fips)),
});

export const zipStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/zip/{zip}/stats/',
  operationId: 'get_zip_market_stats',
  summary: 'Market statistics of a ZIP code',
  description: 'Inventory, sales, prices and dispersion of land listings in a ZIP code, by acreage bucket.',
  params: z.object({ zip }),
  response: response({
    summary: 'A ZIP code of the sample without listings',
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
  errors: { not_found: 'There is no such ZIP code. Costs nothing.' },
  handle: async ({ params }, { readRegionStats }) =>
    answer(await readRegionStats('zip', params.zip), `There is no ZIP code ${params.zip}.`),
});

function answer(stored: RegionStats | undefined, unknown: string): Answer {
  if (stored === undefined) throw notFound(unknown);
  return { ...stored, tokens: TOKENS };
}
