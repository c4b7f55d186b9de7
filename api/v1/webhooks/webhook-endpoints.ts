import { z } from 'zod';
import type { Db } from '../../../shared/platform/db.ts';
import { postFault } from '../../../shared/platform/http/guarded-post.ts';
import {
  MAX_WEBHOOKS,
  newSecret,
  OLD_SECRET_HOURS,
  SEARCH_TYPES,
  WEBHOOK_TYPES,
} from '../../../shared/webhooks/webhook-terms.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { fips, line } from '../common/request-schemas.ts';
import { listRows } from '../searches/search-schema.ts';
import {
  findWebhook,
  NO_WEBHOOK,
  SECRET_EXAMPLE,
  toWebhook,
  WEBHOOK_EXAMPLE,
  WEBHOOKS_PATH,
  type WebhookRow,
  webhook,
  webhookParams,
  webhookWithSecret,
} from './webhook-schema.ts';

const common = { tag: 'Webhooks' } as const;

const url = line(2_000, 'must be a URL as text').describe(
  'An https URL on the public internet. Plat does not follow redirects.',
);
const types = z
  .array(z.enum(WEBHOOK_TYPES, `must be one or more of ${WEBHOOK_TYPES.join(', ')}`))
  .min(1, 'must have at least one type')
  .transform(given => [...new Set(given)])
  .describe('Types of changes to send (see `changes/`).');
const enabled = z.boolean('must be true or false').optional();

const search_id = z
  .uuid('must be the id of a saved search')
  .nullish()
  .describe('Only changes recorded by this saved search of your company. Null for all.');

const newWebhook = z.strictObject({ url, types, fips: fips.nullish(), search_id, enabled }).meta({
  id: 'NewWebhook',
  example: { url: WEBHOOK_EXAMPLE.url, types: WEBHOOK_EXAMPLE.types, fips: WEBHOOK_EXAMPLE.fips },
});
const webhookChange = z
  .strictObject({ url: url.optional(), types: types.optional(), fips: fips.nullish(), search_id, enabled })
  .meta({
    id: 'WebhookChange',
    description: 'Omitted fields keep their values.',
    example: { enabled: true },
  });

type Given = Partial<z.output<typeof newWebhook>>;

/**
 * @param before the current values of omitted fields
 * @throws PlatError `validation_error` for a URL that Plat may not send to, an unknown county or search, or
 * types that searches don't follow
 */
async function check(
  { db, webhookHosts }: Resources,
  { account }: CallContext,
  given: Given,
  before?: WebhookRow,
): Promise<void> {
  const { url, fips } = given;
  const fault = url === undefined ? undefined : postFault(url, webhookHosts);
  if (fault !== undefined) throw validationError({ url: [fault] });
  await requireKnownRegions(db, [{ field: 'fips', type: 'county', codes: fips ? [fips] : [] }]);
  if (given.search_id) {
    const found = await listRows(db, account.companyId, { id: given.search_id });
    if (found.length === 0)
      throw validationError({ search_id: ["is not one of your company's saved searches"] });
  }
  const search = given.search_id === undefined ? before?.search_id : given.search_id;
  const others = (given.types ?? before?.types ?? []).filter(type => !SEARCH_TYPES.includes(type));
  if (search && others.length > 0)
    throw validationError({
      types: [`can only be ${SEARCH_TYPES.join(', ')} for a saved search: remove ${others.join(', ')}`],
    });
}

/** Changes the account's webhooks, once per Idempotency-Key. The audit table records who made each change. */
export function changeWebhooks<T>(
  { db }: Resources,
  call: CallContext,
  work: (run: Db) => Promise<T>,
): Promise<T> {
  return makeOnce(db, call, async tx => {
    await tx.run('webhooks/set_actor', { user_id: call.user?.id ?? null, key_id: call.keyId ?? null });
    return work(tx);
  });
}

/** A webhook with its newest secret, which isn't stored for repeats of the call. */
async function answerWithSecret({ db }: Resources, { account }: CallContext, id: string) {
  const found = toWebhook(await findWebhook(db, account.id, id));
  const [row] = await db.run<{ secret: string }>('webhooks/read_secret', { webhook_id: id });
  return { body: { ...found, secret: row!.secret }, keptBody: { ...found, secret: null }, tokens: 0 };
}

export const listWebhooks = defineEndpoint({
  ...common,
  path: WEBHOOKS_PATH,
  operationId: 'list_webhooks',
  summary: 'List webhooks',
  description: "Returns the account's webhooks, oldest first, with their delivery status.",
  response: {
    description: `All webhooks, up to ${MAX_WEBHOOKS}. The list is not paged.`,
    schema: z.array(webhook),
    example: { summary: 'One webhook', value: [WEBHOOK_EXAMPLE] },
  },
  handle: async (_input, { db }, { account }) => {
    const rows = await db.run<WebhookRow>('webhooks/list_webhooks', {
      account_id: account.id,
      webhook_id: null,
    });
    return { body: rows.map(toWebhook), tokens: 0 };
  },
});

const TOO_MANY = `The account already has ${MAX_WEBHOOKS} webhooks. Delete one first.`;

export const createWebhook = defineEndpoint({
  ...common,
  method: 'post',
  path: WEBHOOKS_PATH,
  operationId: 'create_webhook',
  summary: 'Create a webhook',
  description: `Creates a webhook: a URL that receives a signed POST (Standard Webhooks 1.0) when data changes. Plat sends one message per type, county, and transaction, with the \`seq\` of its first change, the number of changes, and where to read them. Messages are free. docs/webhooks.md has an example receiver. An account can have up to ${MAX_WEBHOOKS} webhooks.`,
  body: newWebhook,
  response: {
    status: 201,
    description: 'The webhook, with its secret.',
    schema: webhookWithSecret,
    location: ({ id }) => `${WEBHOOKS_PATH}${id}/`,
    example: { summary: 'A new webhook', value: { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE } },
  },
  errors: { unprocessable: TOO_MANY },
  handle: async ({ body }, resources, call) => {
    await check(resources, call, body);
    const { id } = await changeWebhooks(resources, call, async tx => {
      await tx.run('market/lock_company', { account_id: call.account.id });
      const [counted] = await tx.run<{ webhooks: number }>('webhooks/count_webhooks', {
        account_id: call.account.id,
      });
      if (counted!.webhooks >= MAX_WEBHOOKS) throw unprocessable(TOO_MANY);
      const [row] = await tx.run<{ id: string }>('webhooks/insert_webhook', {
        account_id: call.account.id,
        url: body.url,
        types: body.types,
        fips: body.fips == null ? null : Number(body.fips),
        search_id: body.search_id ?? null,
        enabled: body.enabled ?? true,
      });
      await tx.run('webhooks/insert_secret', { webhook_id: row!.id, secret: newSecret() });
      return row!;
    });
    return answerWithSecret(resources, call, id);
  },
});

const one = {
  ...common,
  path: `${WEBHOOKS_PATH}{id}/`,
  params: webhookParams,
  errors: { not_found: NO_WEBHOOK },
} as const;

const answer = {
  description: 'The webhook.',
  schema: webhook,
  example: { summary: 'Get a webhook', value: WEBHOOK_EXAMPLE },
} as const;

export const getWebhook = defineEndpoint({
  ...one,
  operationId: 'get_webhook',
  summary: 'Get a webhook',
  description: 'Returns a webhook: its URL, its types, and its delivery status.',
  response: answer,
  handle: async ({ params }, { db }, { account }) => ({
    body: toWebhook(await findWebhook(db, account.id, params.id)),
    tokens: 0,
  }),
});

export const changeWebhook = defineEndpoint({
  ...one,
  method: 'patch',
  operationId: 'update_webhook',
  summary: 'Update a webhook',
  description:
    'Changes the URL or types of a webhook, or turns it on or off. Use `replay/` to send messages that it missed while it was off.',
  body: webhookChange,
  response: answer,
  handle: async ({ params: { id }, body }, resources, call) => {
    await check(resources, call, body, await findWebhook(resources.db, call.account.id, id));
    const changed = await changeWebhooks(resources, call, async tx => {
      const before = await findWebhook(tx, call.account.id, id);
      await tx.run('webhooks/update_webhook', {
        webhook_id: id,
        account_id: call.account.id,
        url: body.url ?? before.url,
        types: body.types ?? before.types,
        fips: body.fips === undefined ? before.fips : body.fips === null ? null : Number(body.fips),
        search_id: body.search_id === undefined ? before.search_id : body.search_id,
        enabled: body.enabled ?? before.enabled,
      });
      return findWebhook(tx, call.account.id, id);
    });
    return { body: toWebhook(changed), tokens: 0 };
  },
});

export const deleteWebhook = defineEndpoint({
  ...one,
  method: 'delete',
  operationId: 'delete_webhook',
  summary: 'Delete a webhook',
  description: 'Deletes a webhook, its secret, and its pending deliveries.',
  response: { status: 204, description: 'The webhook was deleted.' },
  handle: async ({ params: { id } }, resources, call) => {
    const gone = await changeWebhooks(resources, call, tx =>
      tx.run('webhooks/delete_webhook', { webhook_id: id, account_id: call.account.id }),
    );
    if (gone.length === 0) throw notFound(NO_WEBHOOK);
    return { body: null, tokens: 0 };
  },
});

export const rotateSecret = defineEndpoint({
  ...one,
  path: `${WEBHOOKS_PATH}{id}/rotate/`,
  method: 'post',
  operationId: 'rotate_webhook_secret',
  summary: "Rotate a webhook's secret",
  description: `Creates a new secret. For ${OLD_SECRET_HOURS} hours, messages are signed with the previous secret too, so that you can update the receiver. Older secrets stop working.`,
  response: {
    status: 201,
    description: 'The webhook, with its new secret.',
    schema: webhookWithSecret,
    example: {
      summary: 'After a rotation',
      value: { ...WEBHOOK_EXAMPLE, old_secret_until: '2026-11-21T10:00:00.000Z', secret: SECRET_EXAMPLE },
    },
  },
  handle: async ({ params: { id } }, resources, call) => {
    const account_id = call.account.id;
    await changeWebhooks(resources, call, async tx => {
      await tx.run('market/lock_company', { account_id });
      await findWebhook(tx, account_id, id);
      await tx.run('webhooks/retire_secrets', { webhook_id: id, hours: OLD_SECRET_HOURS });
      await tx.run('webhooks/insert_secret', { webhook_id: id, secret: newSecret() });
      await tx.run('webhooks/record_rotation', { webhook_id: id, account_id });
      return { id };
    });
    return answerWithSecret(resources, call, id);
  },
});
