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
        'Figures of market statistics and of their `more`, separated by commas, or the parameter several times. Default: all.',
      example: 'Median Sold PPA,Sold: 1yr',
      override: { type: 'string', anyOf: undefined },
    }),
  from: isoDate.optional().describe('The first day. Default: a year before the last.'),
  to: isoDate
    .optional()
    .describe('The last day, before today. Default: the latest month of which anything is known.'),
  every: z
    .enum(['month', 'quarter', 'year'], 'must be month, quarter or year')
    .default('month')
    .describe('One date a month, a quarter or a year: its last day.'),
});

const history = z
  .object({
    type: z.enum(['county', 'zip']),
    fips: z.string().nullable().describe('5-digit county FIPS code; null for a ZIP.'),
    zip: z.string().nullable().describe('The ZIP code; null for a county.'),
    bucket: z.string(),
    dates: z.array(
      z.object({
        as_of: z.iso.date(),
        kind: z
          .enum(['recorded', 'restated'])
          .nullable()
          .describe(
            '`recorded`: what `stats/` answered at the end of that day. `restated`: computed for that day by what is known now. null where nothing is known.',
          ),
        n: z
          .int()
          .min(0)
          .nullable()
          .describe('Sales of the bucket in the 12 months up to the day; null where nothing is known.'),
      }),
    ),
    keys: z
      .record(z.string(), z.array(z.number().nullable()))
      .describe(
        'Each figure at each of the dates, in their order. What was on the market is null before a feed of listings was read.',
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
    region.type === 'county' ? unknownCounty(region.code) : `There is no ZIP code ${region.code}.`,
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
  note: `${MAX_MONTHS} months cost up to ${priceOf(MAX_MONTHS, MAX_MONTHS)}; free on 404, and when no statistics are known for any of the dates`,
  mayBeFree: true,
  atMost: () => priceOf(MAX_MONTHS, MAX_MONTHS),
} as const;

const common = {
  tag: 'Market statistics',
  query,
} as const;

const response = {
  description: 'The figures of one bucket at the ends of months.',
  schema: history,
} as const;

const told = `Figures of one acreage bucket at the ends of months, at most ${MAX_MONTHS} of them, without \`from\` the latest ${USUAL_MONTHS}. The windows count back from each date.`;

const county = ({ params }: { params: { fips: string } }): Region => ({ type: 'county', code: params.fips });
const ofZip = ({ params }: { params: { zip: string } }): Region => ({ type: 'zip', code: params.zip });

export const countyHistory = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/{fips}/history/',
  operationId: 'get_county_market_history',
  summary: 'Get market history for a county',
  description: told,
  params: z.object({ fips }),
  response: { ...response, example: HISTORY_EXAMPLE },
  metering: {
    ...metering,
    quote: (input, resources, call) => quote(county(input), input.query, resources, call),
  },
  errors: { not_found: 'No county has this FIPS code. Costs nothing.' },
  handle: (input, resources, call) => answer(county(input), input.query, resources, call),
});

export const zipHistory = defineEndpoint({
  ...common,
  path: '/api/public/v1/markets-stats/zip/{zip}/history/',
  operationId: 'get_zip_market_history',
  summary: 'Get market history for a ZIP code',
  description: told,
  params: z.object({ zip }),
  response: { ...response, example: ZIP_HISTORY_EXAMPLE },
  metering: {
    ...metering,
    quote: (input, resources, call) => quote(ofZip(input), input.query, resources, call),
  },
  errors: { not_found: 'There is no such ZIP code. Costs nothing.' },
  handle: (input, resources, call) => answer(ofZip(input), input.query, resources, call),
});
