import { z } from 'zod';
import type { Db } from '../../../shared/platform/db.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { WEBHOOK_TYPES } from '../../../shared/webhooks/webhook-terms.ts';
import { notFound } from '../../http/error-responses.ts';

export const WEBHOOKS_PATH = '/api/public/v1/webhooks/';
export const NO_WEBHOOK = 'Your account has no webhook with this id.';

export const webhookParams = z.object({ id: z.uuid('must be a UUID').describe('Id of the webhook.') });

const SECRET = 'Secret that signs the messages (`whsec_…`).';

export const webhook = z
  .object({
    id: z.uuid(),
    url: z.string().describe('URL that receives the messages.'),
    types: z.array(z.enum(WEBHOOK_TYPES)).describe('Types of changes to send (see `changes/`).'),
    fips: z.string().nullable().describe('Only changes in this county. Null for all counties.'),
    search_id: z
      .uuid()
      .nullable()
      .describe(
        'Only changes recorded by this saved search. Null for all. If the search is deleted, no messages are sent.',
      ),
    enabled: z.boolean().describe('Whether the webhook is on.'),
    disabled_because: z
      .enum(['gone', 'failing'])
      .nullable()
      .describe(
        'Why Plat turned the webhook off: `gone`, it returned 410; `failing`, every attempt failed for three days. Null otherwise. To turn it on again, use `PATCH` with `enabled`.',
      ),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe('Time since which every attempt has failed. Null while attempts succeed.'),
    old_secret_until: z.iso
      .datetime()
      .nullable()
      .describe('After a rotation, time when the previous secret stops signing messages. Otherwise null.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecret = webhook
  .extend({
    secret: z
      .string()
      .nullable()
      .describe(
        `${SECRET} Shown once: null when the call is repeated with its Idempotency-Key. If you lost it, rotate it.`,
      ),
  })
  .meta({ id: 'NewWebhookAnswer' });

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export const delivery = z
  .object({
    message_id: z.uuid().describe('Id of the message, sent as `webhook-id` with every attempt.'),
    type: z.string().describe('Type of the message: a type of change, or `webhook.test`.'),
    seq: z.int().describe('`seq` of the first change in the message.'),
    fips: z.string().nullable().describe('5-digit county FIPS code. Null if the changes have no county.'),
    state: z
      .enum(DELIVERY_STATES)
      .describe('`pending` until an attempt succeeds. `failed` after the last attempt or a 410.'),
    attempts: z.int().min(0).describe('Attempts so far, out of ten.'),
    created_at: z.iso.datetime(),
    last_at: z.iso.datetime().nullable().describe('Time of the last attempt. Null before the first.'),
    next_at: z.iso.datetime().nullable().describe('Time of the next attempt. Null if there is none.'),
    status: z.int().nullable().describe('HTTP status of the last response. Null if there was no response.'),
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed. Null if it succeeded, or if there was no attempt.'),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookAnswer = z.output<typeof webhook>;
export type Delivery = z.output<typeof delivery>;

export type WebhookRow = {
  id: string;
  url: string;
  types: WebhookAnswer['types'];
  fips: number | null;
  search_id: string | null;
  enabled: boolean;
  disabled_because: 'gone' | 'failing' | null;
  failing_since: Date | null;
  old_secret_until: Date | null;
  created_at: Date;
};

export type DeliveryRow = Omit<Delivery, 'fips' | 'created_at' | 'last_at' | 'next_at'> & {
  fips: number | null;
  created_at: Date;
  last_at: Date | null;
  next_at: Date | null;
};

const codeOf = (fips: number | null) => (fips === null ? null : fiveDigits(fips));

export const toWebhook = (row: WebhookRow): WebhookAnswer => ({
  ...row,
  fips: codeOf(row.fips),
  failing_since: row.failing_since?.toISOString() ?? null,
  old_secret_until: row.old_secret_until?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

export const toDelivery = (row: DeliveryRow): Delivery => ({
  ...row,
  fips: codeOf(row.fips),
  created_at: row.created_at.toISOString(),
  last_at: row.last_at?.toISOString() ?? null,
  next_at: row.next_at?.toISOString() ?? null,
});

/** @throws PlatError `not_found` if the account has no such webhook */
export async function findWebhook(db: Db, accountId: string, id: string): Promise<WebhookRow> {
  const [found] = await db.run<WebhookRow>('webhooks/list_webhooks', {
    account_id: accountId,
    webhook_id: id,
  });
  if (found === undefined) throw notFound(NO_WEBHOOK);
  return found;
}

export const WEBHOOK_EXAMPLE: WebhookAnswer = {
  id: '3c7d6f0e-7b1d-4e57-8a51-9d0c2f6b4e12',
  url: 'https://example.com/plat',
  types: ['parcel.new', 'parcel.changed', 'listing.new'],
  fips: '33019',
  search_id: null,
  enabled: true,
  disabled_because: null,
  failing_since: null,
  old_secret_until: null,
  created_at: '2026-11-20T10:00:00.000Z',
};

export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTGcIGd0Jt2k=';

export const DELIVERY_EXAMPLE: Delivery = {
  message_id: '8d5c2b7e-46c4-4f0b-9f3c-1a2b3c4d5e6f',
  type: 'parcel.changed',
  seq: 48_213,
  fips: '33019',
  state: 'pending',
  attempts: 2,
  created_at: '2026-11-20T04:12:09.310Z',
  last_at: '2026-11-20T04:12:14.902Z',
  next_at: '2026-11-20T04:17:14.902Z',
  status: 503,
  error: 'answered 503',
};
