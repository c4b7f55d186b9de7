import { z } from 'zod';
import { notFound } from '../../http/errors.ts';
import { defineEndpoint } from '../common/resources.ts';

/** Years of daily changes; it bounds the answer, which is not paged. */
const MOST_EVENTS = 2_000;

const event = z
  .object({
    at: z.iso.datetime(),
    author: z.string().meta({
      description:
        'Who: the address of a user, the name of an account whose key was used, or `plat` for what was found.',
    }),
    cause: z.string().meta({
      description:
        '`added`, `edited`, `moved`, `advice taken`, `fetched`, or `market`: what was found when the county was graded anew.',
    }),
    changes: z.record(z.string(), z.tuple([z.string().nullable(), z.string().nullable()])).meta({
      description: 'By field what it was and what it became, as text; amounts are decimals in USD.',
    }),
    price: z.number().nullable().meta({ description: 'After it, like what follows.' }),
    price_advantage: z.int().nullable(),
    traction_score: z.int().nullable(),
  })
  .meta({ id: 'DealEvent' });
export type DealEvent = z.output<typeof event>;

export const dealHistory = defineEndpoint({
  tag: 'Deal flow',
  metering: null,
  method: 'get',
  path: '/api/public/v1/deal-flow/listings/{id}/history/',
  operationId: 'get_deal_flow_listing_history',
  summary: 'What happened to a deal',
  description: 'Every change of stage, amounts, price, grade and advice, with its time, author and cause.',
  params: z.object({ id: z.uuid('must be a UUID').meta({ description: 'The id of the deal.' }) }),
  query: z.strictObject({}),
  response: {
    status: 200,
    description: `The last first, at most ${MOST_EVENTS}.`,
    schema: z.array(event),
    etag: false,
    examples: {
      sample: {
        summary: 'A lower price',
        value: [
          {
            at: '2026-11-22T10:05:00.000Z',
            author: 'ana@acme.example',
            cause: 'advice taken',
            changes: { price: ['23500.00', '18400.00'] },
            price: 18400,
            price_advantage: 39,
            traction_score: 38,
          },
        ],
      },
    },
  },
  errors: { not_found: 'The board of the caller has no deal with this id.' },
  handle: async ({ params: { id } }, { database }, { account, user }) => {
    const [board] = await database.run<{ id: string }>('deals/find_board', [account.id, user?.id ?? null]);
    const rows =
      board === undefined
        ? []
        : await database.run<Omit<DealEvent, 'at'> & { at: Date }>('deals/list_events', [
            board.id,
            id,
            MOST_EVENTS,
          ]);
    // It begins with having been added.
    if (rows.length === 0) throw notFound(`There is no deal ${id}.`);
    return { body: rows.map(row => ({ ...row, at: row.at.toISOString() })), tokens: 0 };
  },
});
