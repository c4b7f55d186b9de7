import { z } from 'zod';
import { type FiguresRow, listAllFigures, listFigures } from '../../../shared/market/market-statements.ts';
import { readCountyFacts } from '../../../shared/market/read-county-facts.ts';
import { COUNTY_FACT_KEYS, isCountyFact } from '../../../shared/model/county-facts.ts';
import { FIGURE_KEYS, LEAST_SALES } from '../../../shared/model/market-metrics.ts';
import { costOf, PRICES, priceText } from '../../../shared/model/prices.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { queryFlag, region, stateCode, toRegion } from '../common/request-schemas.ts';
import { TOP_EXAMPLE } from '../examples/examples.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { bucketFigures, bucketParameter, USUAL_BUCKET } from './market-figures.ts';

const USUAL_ROWS = 25;
const MAX_ROWS = 100;

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,6}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value <= most, `must be at most ${most}`);

/** Not an enum in the published schema, like `figureKey`. */
const rankedKey = z
  .enum([...FIGURE_KEYS, ...COUNTY_FACT_KEYS], 'must be a key of market statistics or a county fact')
  .meta({
    description: `Key of market statistics or their \`more\`, or a county fact: ${COUNTY_FACT_KEYS.map(key => `\`${key}\``).join(', ')}.`,
    example: 'Median Sold PPA',
    override: { enum: undefined },
  });

const fields = z.strictObject({
  key: rankedKey,
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
    .optional()
    .meta({
      description: `Only markets with at least this many sales in the bucket in the last 12 months. Default: ${LEAST_SALES}, or 0 for a county fact.\n\nWithout \`figures=true\`: the default, or ${MIN_DISCLOSED_COUNT} or more, because smaller numbers would reveal each market's sales.`,
      override: { type: 'integer', minimum: 0, maximum: 999_999, pattern: undefined },
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

const usualLeast = (key: string): number => (isCountyFact(key) ? 0 : LEAST_SALES);

const query = fields
  .refine(
    ({ key, figures, least_sales: least }) =>
      figures || least === undefined || least === usualLeast(key) || least >= MIN_DISCLOSED_COUNT,
    {
      path: ['least_sales'],
      message: `must be the default, or ${MIN_DISCLOSED_COUNT} or more, unless figures=true`,
    },
  )
  .refine(({ key, type }) => type === 'county' || !isCountyFact(key), {
    path: ['type'],
    message: 'must be county, because ZIP codes have no county facts',
  });

type Ranked = { market: FiguresRow; value: number; n: number | null };
type Question = z.output<typeof query>;

/** Markets that have the figure, in no order. A county fact doesn't depend on lots of the bucket. */
async function readRanked(db: Db, { key, bucket, type, state }: Question): Promise<Ranked[]> {
  const figuresOf = ({ figures }: FiguresRow) => figures && bucketFigures(figures, bucket);
  if (!isCountyFact(key)) {
    const rows = await listAllFigures(db, type, state);
    return rows.flatMap(market => {
      const known = figuresOf(market);
      const value = known?.of(key) ?? null;
      return known === null || value === null ? [] : [{ market, value, n: known.n }];
    });
  }
  const facts = await readCountyFacts(db, null);
  const rows = await listFigures(
    db,
    [...facts.keys()].map(fips => ({ type, code: fiveDigits(fips) })),
  );
  return rows.flatMap(market => {
    const value = facts.get(Number(market.code))!.values[key];
    if (value === null || (state !== undefined && market.state !== state)) return [];
    return [{ market, value, n: figuresOf(market)?.n ?? null }];
  });
}

const row = region
  .extend({
    rank: z.int().min(1).describe('Rank, starting at 1.'),
    zip: z.string().nullable().describe('ZIP code. Null for a county.'),
    value: z.number().nullable().describe('The figure. Null without `figures=true`.'),
    n: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Sales in the bucket in the last 12 months. Null without `figures=true`, or without listings in the bucket.',
      ),
  })
  .meta({ id: 'RankedMarket' });

const ranking = z
  .object({ key: z.string(), bucket: z.string(), results: z.array(row) })
  .meta({ id: 'MarketRanking' });

export const topMarkets = defineEndpoint({
  path: '/api/public/v1/markets-stats/top/',
  operationId: 'list_top_markets',
  tag: 'Market statistics',
  summary: 'Rank markets by a statistic',
  description:
    'Ranks counties or ZIP codes by one current figure for an acreage bucket, or counties by a county fact such as population growth. Names and ranks are free. Markets without the figure are omitted.',
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
    const { key, bucket, type, order, limit, figures, least_sales = usualLeast(key) } = query;
    const ranked = (await readRanked(db, query))
      .filter(({ n }) => (n ?? 0) >= least_sales)
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
