import { z } from 'zod';
import { findBoard } from '../../../shared/deals/deal-board.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { dealParams, ownerOf } from './deal-endpoints.ts';

/** Enough for years of daily changes. Limits the response, which is not paged. */
const MAX_EVENTS = 2_000;

const wasAndIs = z.tuple([z.string().nullable(), z.string().nullable()]).meta({
  // OpenAPI tools expect `items` in each array.
  override: { items: { type: ['string', 'null'] }, minItems: 2, maxItems: 2, prefixItems: undefined },
});

const event = z
  .object({
    at: z.iso.datetime().describe('Time of the change.'),
    author: z
      .string()
      .describe(
        "Who made the change: a user's email, the name of the account whose key was used, or `plat`.",
      ),
    cause: z
      .string()
      .describe(
        'Cause of the change: `added`, `edited`, `moved`, `advice taken`, `fetched`, or `market` (the county was graded again).',
      ),
    changes: z
      .record(z.string(), wasAndIs)
      .describe('For each changed field, its old and new value as text. Amounts are decimals in USD.'),
    price: z.number().nullable().describe('List price in USD after the change. Null when there was none.'),
    price_advantage: z.int().nullable().describe('`price_advantage` after the change. Null when unknown.'),
    traction_score: z.int().nullable().describe('`traction_score` after the change. Null when unknown.'),
  })
  .meta({ id: 'DealEvent' });
export type DealEvent = z.output<typeof event>;

export const dealHistory = defineEndpoint({
  ...dealParams,
  path: `${dealParams.path}history/`,
  operationId: 'get_deal_flow_listing_history',
  summary: 'Get the history of a deal',
  description:
    'Returns every change to the stage, amounts, price, grade, and advice, with its time, author, and cause.',
  response: {
    description: `Up to ${MAX_EVENTS.toLocaleString('en-US')} changes, newest first.`,
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
    // A deal always has the event that added it.
    if (rows.length === 0) throw notFound(`Your board has no deal ${id}.`);
    return { body: rows.map(row => ({ ...row, at: row.at.toISOString() })), tokens: 0 };
  },
});
