import { z } from 'zod';
import type { FigureKey } from '../../../shared/model/market-metrics.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import type { Answer, CallContext } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { unknownCounty } from '../common/known-regions.ts';
import { fips, zip } from '../common/request-schemas.ts';
import { HISTORY_EXAMPLE, ZIP_HISTORY_EXAMPLE } from '../examples/examples.ts';
import { historyJson } from './history-json.ts';
import { bucketParameter, figureKey, isoDate, USUAL_BUCKET } from './market-figures.ts';
import { type FoundHistory, MAX_MONTHS, priceOf, readHistory, USUAL_MONTHS } from './read-history.ts';

const query = z.strictObject({
  bucket: bucketParameter.default(USUAL_BUCKET),
  keys: z
    .union([z.string(), z.array(z.string())])
    .transform(given => [given].flat().flatMap(text => text.split(',')))
    .pipe(z.array(figureKey))
    .optional()
    .meta({
      description:
        'Names of figures in the market statistics or in their `more` object, separated by commas. You can also repeat the parameter. Default: all.',
      example: 'Median Sold PPA,Sold: 1yr',
      override: { type: 'string', anyOf: undefined },
    }),
  from: isoDate.optional().describe('First date. Default: one year before the last date.'),
  to: isoDate.optional().describe('Last date. Must be before today. Default: the latest month with data.'),
  every: z
    .enum(['month', 'quarter', 'year'], 'must be month, quarter or year')
    .default('month')
    .describe('One date per month, quarter, or year: its last day.'),
});

const history = z
  .object({
    type: z.enum(['county', 'zip']),
    fips: z.string().nullable().describe('5-digit county FIPS code. Null for a ZIP code.'),
    zip: z.string().nullable().describe('ZIP code. Null for a county.'),
    bucket: z.string(),
    dates: z.array(
      z.object({
        as_of: z.iso.date(),
        kind: z
          .enum(['recorded', 'restated'])
          .nullable()
          .describe(
            '`recorded`: what `stats/` returned at the end of that date. `restated`: computed for that date from the data available now. Null if there is no data.',
          ),
        n: z
          .int()
          .min(0)
          .nullable()
          .describe(
            'Number of sales in the bucket in the 12 months up to the date. Null if there is no data.',
          ),
      }),
    ),
    keys: z
      .record(z.string(), z.array(z.number().nullable()))
      .describe(
        'Each figure on each date, in the order of `dates`. Active-listing figures are null for dates before the first listing feed was loaded.',
      ),
  })
  .meta({ id: 'MarketHistory' });

type Query = z.output<typeof query>;
type Region = { type: 'county' | 'zip'; code: string };

async function read(
  region: Region,
  asked: Query,
  resources: Resources,
  call: CallContext,
): Promise<FoundHistory> {
  const keys = asked.keys as FigureKey[] | undefined;
  const found = await readHistory(resources, { ...region, ...asked, keys }, call.now);
  if (found.tokens > 0 || (await resources.readRegionStats(region.type, region.code)) !== undefined)
    return found;
  throw notFound(
    region.type === 'county' ? unknownCounty(region.code) : `No ZIP code ${region.code} exists.`,
  );
}

async function answer(
  region: Region,
  asked: Query,
  resources: Resources,
  call: CallContext,
): Promise<Answer> {
  const { tokens, dates, keys, values } = await read(region, asked, resources, call);
  const county = region.type === 'county';
  const head = {
    type: region.type,
    fips: county ? region.code : null,
    zip: county ? null : region.code,
    bucket: asked.bucket,
    dates,
  };
  return { body: historyJson(head, keys, values), tokens };
}

async function quote(region: Region, asked: Query, resources: Resources, call: CallContext): Promise<Answer> {
  const { tokens } = await read(region, asked, resources, call);
  return { body: { tokens, at_most: tokens }, tokens: 0 };
}

const metering = {
  key: 'public_market_history',
  price: PRICES.marketHistory,
  note: `${MAX_MONTHS} months cost up to ${priceOf(MAX_MONTHS, MAX_MONTHS)}; free on 404, and when none of the dates have statistics`,
  mayBeFree: true,
  atMost: () => priceOf(MAX_MONTHS, MAX_MONTHS),
} as const;

const common = {
  tag: 'Market statistics',
  query,
} as const;

const response = {
  description: 'Figures for one acreage bucket at month ends.',
  schema: history,
} as const;

const description = `Returns figures for one acreage bucket at up to ${MAX_MONTHS} month ends. Without \`from\`, returns the latest ${USUAL_MONTHS}. Time windows end on each date.`;

const county = ({ params }: { params: { fips: string } }): Region => ({ type: 'county', code: params.fips });
const ofZip = ({ params }: { params: { zip: string } }): Region => ({ type: 'zip', code: params.zip });

export const countyHistory = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/{fips}/history/',
  operationId: 'get_county_market_history',
  summary: 'Get market history for a county',
  description,
  params: z.object({ fips }),
  response: { ...response, example: HISTORY_EXAMPLE },
  metering: {
    ...metering,
    quote: (input, resources, call) => quote(county(input), input.query, resources, call),
  },
  errors: { not_found: 'No county has this FIPS code. Free.' },
  handle: (input, resources, call) => answer(county(input), input.query, resources, call),
});

export const zipHistory = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/zip/{zip}/history/',
  operationId: 'get_zip_market_history',
  summary: 'Get market history for a ZIP code',
  description,
  params: z.object({ zip }),
  response: { ...response, example: ZIP_HISTORY_EXAMPLE },
  metering: {
    ...metering,
    quote: (input, resources, call) => quote(ofZip(input), input.query, resources, call),
  },
  errors: { not_found: 'This ZIP code does not exist. Free.' },
  handle: (input, resources, call) => answer(ofZip(input), input.query, resources, call),
});
