import { z } from 'zod';
import type { Db } from '../../../shared/platform/db.ts';
import { MESSAGES_DAYS, WEBHOOKS_CHANNEL } from '../../../shared/webhooks/webhook-terms.ts';
import { validationError } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { changeWebhooks } from './webhook-endpoints.ts';
import {
  DELIVERY_EXAMPLE,
  DELIVERY_STATES,
  type DeliveryRow,
  delivery,
  findWebhook,
  NO_WEBHOOK,
  toDelivery,
  WEBHOOKS_PATH,
  webhookParams,
} from './webhook-schema.ts';

/** Larger than any list people page through. Programs request only the failed deliveries. */
const MOST_LISTED = 100;

const common = { tag: 'Webhooks', params: webhookParams, errors: { not_found: NO_WEBHOOK } } as const;

export const listDeliveries = defineEndpoint({
  ...common,
  path: `${WEBHOOKS_PATH}{id}/deliveries/`,
  operationId: 'list_webhook_deliveries',
  summary: 'List deliveries for a webhook',
  description: `Returns the newest ${MOST_LISTED} messages to a webhook, with their delivery status. Messages are kept for ${MESSAGES_DAYS} days.`,
  query: z.strictObject({
    state: z
      .enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(', ')}`)
      .optional()
      .describe('Only deliveries in this state: pending, delivered, or failed permanently.'),
  }),
  response: {
    description: 'Deliveries, newest first. The list is not paged.',
    schema: z.array(delivery),
    example: { summary: 'A delivery that will be retried', value: [DELIVERY_EXAMPLE] },
  },
  handle: async ({ params: { id }, query: { state } }, { db }, { account }) => {
    await findWebhook(db, account.id, id);
    const rows = await db.run<DeliveryRow>('webhooks/list_deliveries', {
      webhook_id: id,
      state: state ?? null,
      message_id: null,
      limit: MOST_LISTED,
    });
    return { body: rows.map(toDelivery), tokens: 0 };
  },
});

const notify = (db: Db) => db.run('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL });

export const testWebhook = defineEndpoint({
  ...common,
  method: 'post',
  path: `${WEBHOOKS_PATH}{id}/test/`,
  operationId: 'test_webhook',
  summary: 'Send a test message',
  description:
    'Sends a signed message of type `webhook.test`. It is delivered and retried like any other. `deliveries/` shows the result.',
  response: {
    status: 202,
    description: 'The delivery. A worker sends it right away.',
    schema: delivery,
    example: {
      summary: 'A new test delivery',
      value: {
        ...DELIVERY_EXAMPLE,
        type: 'webhook.test',
        fips: null,
        attempts: 0,
        last_at: null,
        status: null,
        error: null,
      },
    },
  },
  handle: async ({ params: { id } }, resources, call) => {
    const { db } = resources;
    await findWebhook(db, call.account.id, id);
    const test = await changeWebhooks(resources, call, async tx => {
      const [added] = await tx.run<{ message_id: string }>('webhooks/add_test', { webhook_id: id });
      await notify(tx);
      const [row] = await tx.run<DeliveryRow>('webhooks/list_deliveries', {
        webhook_id: id,
        state: null,
        message_id: added!.message_id,
        limit: 1,
      });
      return toDelivery(row!);
    });
    return { body: test, tokens: 0 };
  },
});

const replay = z
  .strictObject({
    message_id: z.uuid('must be the id of a message').optional().describe('Id of one message to send again.'),
    since: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-11-20T00:00:00Z' })
      .optional()
      .describe('Resends all messages since this time, whatever their status.'),
  })
  .refine(({ message_id, since }) => (message_id === undefined) !== (since === undefined), {
    path: ['message_id'],
    message: 'exactly one of message_id and since is required',
  })
  .meta({ id: 'WebhookReplay', example: { since: '2026-11-20T00:00:00Z' } });

export const replayWebhook = defineEndpoint({
  ...common,
  method: 'post',
  path: `${WEBHOOKS_PATH}{id}/replay/`,
  operationId: 'replay_webhook',
  summary: 'Replay messages',
  description: `Resends one message, or all messages since a given time. Each keeps its id and gets ten new attempts. Messages are kept for ${MESSAGES_DAYS} days, including messages from when the webhook was off.`,
  body: replay,
  response: {
    status: 202,
    description: 'The number of messages that will be sent.',
    schema: z
      .object({ messages: z.int().min(0).describe('Number of messages.') })
      .meta({ id: 'WebhookReplayAnswer' }),
    example: { summary: 'Three messages', value: { messages: 3 } },
  },
  handle: async ({ params: { id }, body: { message_id, since } }, resources, call) => {
    await findWebhook(resources.db, call.account.id, id);
    const sent = await changeWebhooks(resources, call, async tx => {
      const ids = await tx.run('webhooks/replay_messages', {
        webhook_id: id,
        message_id: message_id ?? null,
        since: since ?? null,
      });
      await notify(tx);
      return ids.length;
    });
    if (message_id !== undefined && sent === 0)
      throw validationError({ message_id: ['does not belong to this webhook, or is no longer kept'] });
    return { body: { messages: sent }, tokens: 0 };
  },
});
