import { z } from 'zod';
import { findBoard } from '../../../shared/deals/deal-board.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { dealParams, ownerOf } from './deal-endpoints.ts';

/** Years of daily changes; it bounds the answer, which is not paged. */
const MAX_EVENTS = 2_000;

const wasAndIs = z.tuple([z.string().nullable(), z.string().nullable()]).meta({
  // Readers of OpenAPI want `items` in each array.
  override: { items: { type: ['string', 'null'] }, minItems: 2, maxItems: 2, prefixItems: undefined },
});

const event = z
  .object({
    at: z.iso.datetime(),
    author: z
      .string()
      .describe(
        'Who: the address of a user, the name of an account whose key was used, or `plat` for what was found.',
      ),
    cause: z
      .string()
      .describe(
        '`added`, `edited`, `moved`, `advice taken`, `fetched`, or `market`: what was found when the county was graded anew.',
      ),
    changes: z
      .record(z.string(), wasAndIs)
      .describe('By field what it was and what it became, as text; amounts are decimals in USD.'),
    price: z.number().nullable().describe('After it, like what follows.'),
    price_advantage: z.int().nullable(),
    traction_score: z.int().nullable(),
  })
  .meta({ id: 'DealEvent' });
export type DealEvent = z.output<typeof event>;

export const dealHistory = defineEndpoint({
  ...dealParams,
  method: 'get',
  path: `${dealParams.path}history/`,
  operationId: 'get_deal_flow_listing_history',
  summary: 'Get the history of a deal',
  description: 'Every change of stage, amounts, price, grade and advice, with its time, author and cause.',
  response: {
    status: 200,
    description: `The last first, at most ${MAX_EVENTS}.`,
    schema: z.array(event),
    example: {
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
  handle: async ({ params: { id } }, { db }, call) => {
    const board = await findBoard(db, ownerOf(call));
    const rows =
      board === undefined
        ? []
        : await db.run<Omit<DealEvent, 'at'> & { at: Date }>('deals/list_events', {
            board_id: board.id,
            deal_id: id,
            limit: MAX_EVENTS,
          });
    // It begins with having been added.
    if (rows.length === 0) throw notFound(`There is no deal ${id}.`);
    return { body: rows.map(row => ({ ...row, at: row.at.toISOString() })), tokens: 0 };
  },
});
