import { z } from 'zod';
import { PRICES } from '../../../../shared/model/prices.ts';
import { fiveDigits } from '../../../../shared/regions/counties.ts';
import { QUOTE_KEY } from '../../../http/quote.ts';
import { defineEndpoint } from '../../common/endpoint-resources.ts';
import { filterBody } from './filter-body.ts';
import { countForQuote } from './filter-count.ts';
import { pricesOf } from './filter-prices.ts';
import { MIN_DISCLOSED_COUNT } from './withhold-counts.ts';

const count = z.int().min(MIN_DISCLOSED_COUNT).nullable();
const atMost = z.int().min(MIN_DISCLOSED_COUNT);
const tokens = z.int().min(0);

const filterQuote = z
  .object({
    quotable: z.boolean().describe('Whether the filter can be quoted. If false, the quote is free.'),
    count: count.describe(
      `Number of matching parcels. Null if it is below ${MIN_DISCLOSED_COUNT}, or if the filter is not quotable.`,
    ),
    at_most: atMost
      .nullable()
      .describe('Upper bound on the number of matches. Null if the filter is not quotable.'),
    tokens: z
      .object({
        page_25: tokens.describe('Price of a page of 25 parcels.'),
        page_500: tokens.describe('Price of a page of 500 parcels.'),
        all_pages: tokens.describe('Price of all matches in pages of 500.'),
        export: tokens.describe('Price of all matches as an export, if none of the rows are free.'),
      })
      .nullable()
      .describe('Prices in tokens. Null when `count` is null.'),
    counties: z
      .array(z.object({ fips: z.string(), count, at_most: atMost }))
      .describe(
        `Counts by county, for the requested counties and for others with ${MIN_DISCLOSED_COUNT} or more matches. A larger count is also null if smaller counts could be computed from it.`,
      ),
    as_of: z.iso.datetime().describe('Time of the count. Months and years are counted back from it.'),
  })
  .meta({ id: 'FilterQuote' });

export const quoteFilter = defineEndpoint({
  method: 'post',
  path: '/api/public/v1/properties/filter/quote/',
  operationId: 'quote_filter',
  reads: true,
  tag: 'Parcels',
  summary: 'Get the number of matches for a filter, and their price',
  description: `Returns how many parcels match a filter, and what they would cost as pages or as an export. Counts below ${MIN_DISCLOSED_COUNT} are null. Filters that name a parcel, a person, or a list (\`apn\`, \`property_id\`, \`owner_parcel_id\`, \`list_id\`, \`owner_name…\`, \`seller_name_contains\`) can't be quoted. Neither can shapes with a part under 1 km².`,
  body: filterBody,
  metering: {
    key: QUOTE_KEY,
    price: PRICES.quote,
    note: 'free if the filter is not quotable',
    mayBeFree: true,
  },
  response: {
    description: 'The number of matches and their prices.',
    schema: filterQuote,
    example: {
      summary: 'Quote for the example request, which has few matches in the sample data',
      value: {
        quotable: true,
        count: null,
        at_most: MIN_DISCLOSED_COUNT,
        tokens: null,
        counties: [{ fips: '33019', count: null, at_most: MIN_DISCLOSED_COUNT }],
        as_of: '2026-07-01T12:00:00.000Z',
      },
    },
  },
  errors: {
    unprocessable:
      'The geometry has more than 10,000 vertices or too many long edges, or its outline crosses too many parcels. Free.',
  },
  handle: async ({ body }, { db }, call) => {
    const { counts, tokens } = await countForQuote(body, db, call);
    const found = counts?.count ?? null;
    return {
      body: {
        quotable: counts !== null,
        count: found,
        at_most: counts?.at_most ?? null,
        tokens: found === null ? null : pricesOf(found),
        counties: (counts?.counties ?? []).map(({ fips, ...one }) => ({ fips: fiveDigits(fips), ...one })),
        as_of: call.now.toISOString(),
      },
      tokens,
    };
  },
});
