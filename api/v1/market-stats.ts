import { z } from 'zod';
import { type Answer, defineEndpoint, type RegionStats } from '../http/endpoint.ts';
import { notFound } from '../http/errors.ts';
import { fips, regionStats, zip } from './schemas.ts';

const TOKENS = 10;
const METERING = { key: 'public_market_stats', price: TOKENS, rule: '10 tokens; 0 on 404 and 304' };

const common = {
  method: 'get',
  tag: 'Market statistics',
  query: z.strictObject({}),
  metering: METERING,
} as const;

const response = (example: { summary: string; value: unknown }) => ({
  status: 200 as const,
  description: 'The region and its statistics by acreage bucket. `stats` is empty where none were computed.',
  schema: regionStats,
  etag: true,
  examples: { sample: example },
});

export const countyStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/{fips}/stats/',
  operationId: 'getCountyStats',
  summary: 'Market statistics of a county',
  description: 'Inventory, sales, prices and dispersion of land listings in a county, by acreage bucket.',
  params: z.object({ fips }),
  response: response({
    summary: 'A county with one bucket',
    value: {
      id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11',
      type: 'county',
      name: 'Sullivan County',
      state: 'NH',
      county_name: 'Sullivan County',
      fips: '33019',
      stats: [
        {
          type: '2 acre-5 acre',
          data: {
            Active: 4,
            Pending: 1,
            'Sold: 1yr': 3,
            '1yr STR': 75,
            'Median Sold PPA': 12_500.5,
            'Gini 1yr': 18.42,
          },
        },
      ],
    },
  }),
  errors: { not_found: 'No county has this FIPS code. Costs nothing.' },
  handle: async ({ params }, { readRegionStats }) =>
    answer(await readRegionStats('county', params.fips), `No county has the FIPS code ${params.fips}.`),
});

export const zipStats = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/zip/{zip}/stats/',
  operationId: 'getZipStats',
  summary: 'Market statistics of a ZIP code',
  description: 'Inventory, sales, prices and dispersion of land listings in a ZIP code, by acreage bucket.',
  params: z.object({ zip }),
  response: response({
    summary: 'A ZIP code without listings',
    value: {
      id: '1b6d9c58-0b7f-5c52-8d4e-7f0c7c0f2a10',
      type: 'zip',
      name: '03280',
      state: 'NH',
      county_name: 'Sullivan County',
      fips: '',
      stats: [],
    },
  }),
  errors: { not_found: 'There is no such ZIP code. Costs nothing.' },
  handle: async ({ params }, { readRegionStats }) =>
    answer(await readRegionStats('zip', params.zip), `There is no ZIP code ${params.zip}.`),
});

function answer(stored: RegionStats | undefined, unknown: string): Answer {
  if (stored === undefined) throw notFound(unknown);
  return { body: stored.body, etag: stored.etag, tokens: TOKENS };
}
