import { z } from 'zod';
import { listAllFigures } from '../../../shared/market/market-statements.ts';
import { LEAST_SALES } from '../../../shared/model/market-metrics.ts';
import { costOf, PRICES, priceText } from '../../../shared/model/prices.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { queryFlag, region, stateCode, toRegion } from '../common/request-schemas.ts';
import { TOP_EXAMPLE } from '../examples/examples.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { bucketFigures, bucketParameter, figureKey, USUAL_BUCKET } from './market-figures.ts';

const USUAL_ROWS = 25;
const MAX_ROWS = 100;

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,6}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value <= most, `must be at most ${most}`);

const fields = z.strictObject({
  key: figureKey.describe('Key of the figure to rank by.'),
  bucket: bucketParameter.default(USUAL_BUCKET),
  state: stateCode.optional(),
  type: z
    .enum(['county', 'zip'], 'must be county or zip')
    .default('county')
    .describe('Whether to rank counties or ZIP codes.'),
  order: z
    .enum(['desc', 'asc'], 'must be desc or asc')
    .default('desc')
    .describe('`desc`: highest first. `asc`: lowest first.'),
  least_sales: wholeNumber(999_999)
    .default(LEAST_SALES)
    .meta({
      description: `Only markets with at least this many sales in the bucket in the last 12 months. Without \`figures=true\`: ${LEAST_SALES}, or ${MIN_DISCLOSED_COUNT} or more, because smaller numbers would reveal each market's sales.`,
      override: { type: 'integer', minimum: 0, maximum: 999_999, default: LEAST_SALES, pattern: undefined },
    }),
  limit: wholeNumber(MAX_ROWS)
    .refine(value => value >= 1, 'must be at least 1')
    .default(USUAL_ROWS)
    .meta({
      description: 'Maximum number of markets.',
      override: { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: USUAL_ROWS, pattern: undefined },
    }),
  figures: queryFlag(`Add the figures, for ${priceText(PRICES.ranking)}.`),
});

const query = fields.refine(
  ({ figures, least_sales }) => figures || least_sales === LEAST_SALES || least_sales >= MIN_DISCLOSED_COUNT,
  {
    path: ['least_sales'],
    message: `must be ${LEAST_SALES}, or ${MIN_DISCLOSED_COUNT} or more, unless figures=true`,
  },
);

const row = region
  .extend({
    rank: z.int().min(1).describe('Rank, starting at 1.'),
    zip: z.string().nullable().describe('ZIP code. Null for a county.'),
    value: z.number().nullable().describe('The figure. Null without `figures=true`.'),
    n: z
      .int()
      .min(0)
      .nullable()
      .describe('Number of sales in the bucket in the last 12 months. Null without `figures=true`.'),
  })
  .meta({ id: 'RankedMarket' });

const ranking = z
  .object({ key: figureKey, bucket: z.string(), results: z.array(row) })
  .meta({ id: 'MarketRanking' });

export const topMarkets = defineEndpoint({
  path: '/api/public/v1/markets-stats/top/',
  operationId: 'list_top_markets',
  tag: 'Market statistics',
  summary: 'Rank markets by a statistic',
  description:
    'Ranks counties or ZIP codes by one current figure for an acreage bucket. Names and ranks are free. Markets without the figure are omitted.',
  query,
  metering: {
    key: 'public_market_top',
    price: PRICES.ranking,
    note: 'free without `figures=true`',
    mayBeFree: true,
    atMost: ({ query }) => (query.figures ? costOf(PRICES.ranking, query.limit) : 0),
  },
  response: { description: 'The markets, ranked.', schema: ranking, example: TOP_EXAMPLE },
  handle: async ({ query }, { db }) => {
    const { key, bucket, state, type, order, least_sales, limit, figures } = query;
    const rows = await listAllFigures(db, type, state);
    const ranked = rows
      .flatMap(market => {
        const known = market.figures && bucketFigures(market.figures, bucket);
        const value = known?.of(key) ?? null;
        return known === null || value === null || known.n < least_sales
          ? []
          : [{ market, value, n: known.n }];
      })
      .sort((a, b) => (order === 'desc' ? b.value - a.value : a.value - b.value))
      .slice(0, limit);
    const results = ranked.map(({ market, value, n }, i) => ({
      rank: i + 1,
      ...toRegion(market),
      zip: type === 'zip' ? market.code : null,
      value: figures ? value : null,
      n: figures ? n : null,
    }));
    return { body: { key, bucket, results }, tokens: figures ? costOf(PRICES.ranking, results.length) : 0 };
  },
});
