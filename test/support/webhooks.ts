import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { openChanges, recordChanges } from '../../workers/changes/record-changes.ts';
import type { WakefulLoop } from '../../workers/queue/wakeful-loop.ts';
import { type DispatcherDeps, startDispatcher } from '../../workers/webhooks/dispatcher.ts';
import { posting, type TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import { serve } from './http-server.ts';

export const WEBHOOKS = '/api/public/v1/webhooks/';
/** Allows the API and the tests' dispatchers to send to this machine. */
export const ON_LOOPBACK = { WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' };

export type Message = { type: string; timestamp: string; data: Record<string, unknown> };
export type Received = { path: string; headers: IncomingHttpHeaders; body: string; message: Message };

/** A receiver that stores messages, and returns 204 unless the test overrides it. */
export async function startReceiver(answer: (response: ServerResponse, got: Received) => void = ok) {
  const received: Received[] = [];
  const server = await serve(async (request, response) => {
    const body = await text(request);
    const got = { path: request.url!, headers: request.headers, body, message: JSON.parse(body) as Message };
    received.push(got);
    answer(response, got);
  });
  onTestFinished(server.close);
  return { url: `${server.origin}/hook`, origin: server.origin, received };
}

export const ok = (response: ServerResponse) => void response.writeHead(204).end();

/**
 * Starts a dispatcher as a worker process does, and stops it when the test is done.
 * @param api the service that its messages link to
 */
export function startTestDispatcher(
  db: TestDatabase,
  parts: Partial<DispatcherDeps> = {},
  api?: TestApi,
): WakefulLoop {
  const env = { DATABASE_URL: db.url, LOG_LEVEL: 'silent', ...ON_LOOPBACK };
  const config = loadConfig(api === undefined ? env : { ...env, PORT: new URL(api.url).port });
  const dispatcher = startDispatcher({
    db: db.pool,
    log: createLogger(config, 'dispatcher'),
    config,
    ...parts,
  });
  onTestFinished(() => dispatcher.stop());
  return dispatcher;
}

/** Records changes, which is the last step of an ingestion. */
export function makeChanges(db: TestDatabase, fips: number, count = 1, type = 'parcel.changed') {
  return db.pool.transaction(async client => {
    await openChanges(client);
    await client.query(
      `insert into pending_changes (type, fips, property_id, fields)
       select $1, $2::int, $2::bigint * 100000000 + n, '{"acres": [1, 2]}' from generate_series(1, $3::int) n`,
      [type, fips, count],
    );
    await recordChanges(client, 7);
  });
}

export type WebhookJson = {
  id: string;
  secret: string;
  url: string;
  enabled: boolean;
  disabled_because: string | null;
  failing_since: string | null;
};
export type DeliveryJson = {
  message_id: string;
  type: string;
  state: string;
  attempts: number;
  next_at: string | null;
  status: number | null;
  error: string | null;
};

/** Webhook calls with one key. */
export const webhooksOf = (api: TestApi, key: string) => ({
  async add(url: string, given: object = {}): Promise<WebhookJson> {
    const body = { url, types: ['parcel.changed'], ...given };
    const reply = await api.call(WEBHOOKS, posting(key, JSON.stringify(body)));
    if (reply.status !== 201) throw new Error(`${reply.status}: ${reply.text}`);
    return reply.json as WebhookJson;
  },
  post: (id: string, what: string, body?: object) =>
    api.call(
      `${WEBHOOKS}${id}/${what}/`,
      body === undefined ? { key, method: 'POST' } : posting(key, JSON.stringify(body)),
    ),
  patch: (id: string, body: object) =>
    api.call(`${WEBHOOKS}${id}/`, { ...posting(key, JSON.stringify(body)), method: 'PATCH' }),
  get: async (id: string) => (await api.call(`${WEBHOOKS}${id}/`, { key })).json as WebhookJson,
  deliveries: async (id: string, state = '') =>
    (await api.call(`${WEBHOOKS}${id}/deliveries/${state && `?state=${state}`}`, { key }))
      .json as DeliveryJson[],
});
