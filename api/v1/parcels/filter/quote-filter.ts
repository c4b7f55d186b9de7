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
    quotable: z.boolean(),
    count: count.describe(
      `How many parcels match; null below ${MIN_DISCLOSED_COUNT}, and where not quotable.`,
    ),
    at_most: atMost.nullable().describe('Never more match than these; null where not quotable.'),
    tokens: z
      .object({
        page_25: tokens.describe('A page of 25.'),
        page_500: tokens.describe('A page of 500.'),
        all_pages: tokens.describe('All of them, by pages of 500.'),
        export: tokens.describe('All of them as a file, where none of its rows is free.'),
      })
      .nullable()
      .describe('null where `count` is.'),
    counties: z
      .array(z.object({ fips: z.string(), count, at_most: atMost }))
      .describe(
        `By county: those that were asked for, and others with ${MIN_DISCLOSED_COUNT} or more. One with more may be withheld, too: where it would tell by the difference how many others have that are below.`,
      ),
    as_of: z.iso.datetime().describe('The moment of the count, from which months and years go back.'),
  })
  .meta({ id: 'FilterQuote' });

export const quoteFilter = defineEndpoint({
  method: 'post',
  path: '/api/public/v1/properties/filter/quote/',
  operationId: 'quote_filter',
  reads: true,
  tag: 'Parcels',
  summary: 'Get the number of parcels for a filter, and their price',
  description: `Counts the parcels that match a filter and says what they cost. Counts under ${MIN_DISCLOSED_COUNT} are null. Filters that name one thing (\`apn\`, \`property_id\`, \`owner_parcel_id\`, \`list_id\`, \`owner_name…\`, \`seller_name_contains\`) are not quotable, and neither are shapes with a part under 1 km².`,
  body: filterBody,
  metering: {
    key: QUOTE_KEY,
    price: PRICES.quote,
    note: 'free when not quotable',
    mayBeFree: true,
  },
  response: {
    description: 'What the filter finds, as a number.',
    schema: filterQuote,
    example: {
      summary: 'The example request, which finds few parcels in the sample',
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
      'The geometry has more than 10,000 vertices or too many long edges, or its outline passes over more parcels than can be tested. Costs nothing.',
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
