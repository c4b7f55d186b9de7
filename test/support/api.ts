import { afterAll } from 'vitest';
import { createApp } from '../../api/app.ts';
import { endpoints as v1 } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { createMetricsPool } from '../../api/http/installation-metrics.ts';
import type { BoardQueue } from '../../api/http/queue-board.ts';
import type { Lifecycle } from '../../api/http/start-request.ts';
import { openApiDocument } from '../../api/openapi.ts';
import { openAssets } from '../../api/pages/frame/assets.ts';
import { serveHttp } from '../../api/server.ts';
import { createAccount, createKey, type NewAccount, type NewKey } from '../../shared/accounts/accounts.ts';
import { type Config, loadConfig } from '../../shared/platform/config.ts';
import { createPool } from '../../shared/platform/connection-pool.ts';
import { createLogger, type Logger } from '../../shared/platform/log.ts';
import type { TestDatabase } from './database.ts';
import { conformsTo, type Document, type Reply } from './openapi.ts';

/** Shared by all files that test the same endpoints, because a schema is compiled on first use. */
const documented = new WeakMap<readonly Endpoint[], (reply: Reply) => void>();

function documentOf(endpoints: readonly Endpoint[]): (reply: Reply) => void {
  const check = documented.get(endpoints) ?? conformsTo(openApiDocument(endpoints) as Document);
  documented.set(endpoints, check);
  return check;
}

export type TestReply = { status: number; headers: Headers; text: string; json: unknown };

export type TestApi = {
  url: string;
  config: Config;
  lifecycle: Lifecycle;
  /** Calls the API and checks the response against the published OpenAPI document. */
  call(path: string, options?: RequestInit & { key?: string }): Promise<TestReply>;
  stop(): Promise<void>;
};

export type ApiOptions = {
  env?: Record<string, string>;
  endpoints?: readonly Endpoint[];
  queues?: readonly BoardQueue[];
  now?: () => Date;
  /** Also serves the web app's pages. */
  pages?: boolean;
  /** Default: no log. */
  log?: Logger;
};

/**
 * Starts a service on a free port with its own pool, like a separate process. The service is stopped at the
 * end of the test file.
 */
export async function startTestApi(
  db: TestDatabase,
  { env = {}, endpoints = v1, queues = [], now, pages = false, log: given }: ApiOptions = {},
): Promise<TestApi> {
  const config = loadConfig({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SHUTDOWN_TIMEOUT_MS: '5000',
    // Long timeouts, because the machine may be busy. Tests of timeouts set their own.
    STATEMENT_TIMEOUT_MS: '60000',
    REQUEST_TIMEOUT_MS: '120000',
    DATABASE_URL: db.url,
    ...env,
  });
  const log = given ?? createLogger(config, 'api');
  const pool = createPool(config, log, {
    applicationName: 'plat api test',
    connectTimeoutMs: 60_000,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  });
  const filePool = createPool(config, log, {
    applicationName: 'plat api test files',
    max: 2,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  });
  const cancelPool = createPool(config, log, { applicationName: 'plat api test cancel', max: 1 });
  const metricsPool = createMetricsPool(config, log);
  const lifecycle: Lifecycle = { active: 0, leaving: false, draining: false, lastRequestAt: 0 };
  const server = await serveHttp(
    createApp({
      config,
      log,
      pool,
      filePool,
      cancelPool,
      metricsPool,
      lifecycle,
      queues,
      endpoints,
      ...(now && { now }),
      ...(pages && { assets: openAssets(config) }),
    }),
    config,
    lifecycle,
  );
  const conforms = documentOf(endpoints);

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop().then(async () => {
      await pool.end();
      await filePool.end();
      await cancelPool.end();
      await metricsPool.end();
    });
    return stopped;
  };
  afterAll(stop);

  return {
    url: server.url,
    config,
    lifecycle,
    stop,
    async call(path, { key, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
      const response = await fetch(server.url + path, { redirect: 'manual', ...init, headers });
      const text = await response.text();
      conforms({
        method: init.method ?? 'GET',
        path,
        status: response.status,
        headers: response.headers,
        text,
      });
      const json =
        response.headers.get('content-type')?.startsWith('application/json') && text !== ''
          ? JSON.parse(text)
          : undefined;
      return { status: response.status, headers: response.headers, text, json };
    },
  };
}

/** Options of a call with a JSON body. */
export const posting = (key: string, body: string) => ({
  key,
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body,
});

/** Runs work while another transaction holds a lock that it needs. */
export async function whileLocked<T>(
  { pool }: Pick<TestDatabase, 'pool'>,
  [text, values]: [text: string, values?: unknown[]],
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(text, values);
    return await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

let accounts = 0;

/** An account with all scopes and high limits by default, and its key. */
export async function newCaller(
  db: TestDatabase,
  account: Partial<NewAccount> = {},
  key: Partial<NewKey> = {},
): Promise<{ accountId: string; key: string; keyId: string }> {
  const { id } = await createAccount(db.pool, {
    name: `account ${++accounts}`,
    tier: 'scale',
    ratePerMinute: 60_000,
    rateBurst: 60_000,
    ...account,
  });
  const made = await createKey(db.pool, id, { name: 'test', ...key });
  return { accountId: id, key: made.key, keyId: made.id };
}

/** Reads the account's usage, by period and by day. */
export async function usageOf(
  db: TestDatabase,
  accountId: string,
): Promise<{ tokens: number; calls: number; daily: number }> {
  const { rows } = await db.pool.query<{ tokens: number; calls: number; daily: number }>(
    `select
       (select coalesce(sum(tokens_used), 0)::int from usage_periods where account_id = $1) as tokens,
       (select coalesce(sum(calls), 0)::int from usage_daily where account_id = $1) as calls,
       (select coalesce(sum(tokens), 0)::int from usage_daily where account_id = $1) as daily`,
    [accountId],
  );
  return rows[0]!;
}

/** Adds regions with stored responses: 33019 with one bucket, and 01001 and 03280 without statistics. */
export async function insertRegions(db: TestDatabase): Promise<Record<string, string>> {
  const regions = [
    ['11', 'county', '33019', 'Sullivan County', 'NH', 'Sullivan County', 33_019],
    ['12', 'county', '01001', 'Autauga County', 'AL', 'Autauga County', 1_001],
    ['13', 'zip', '03280', '03280', 'NH', 'Sullivan County', 33_019],
  ] as const;
  const bodies: Record<string, string> = {};
  for (const [ending, type, code, name, state, county, fips] of regions) {
    const id = `5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f${ending}`;
    await db.pool.query(
      'insert into regions (id, type, code, name, state, county_name, fips) values ($1, $2, $3, $4, $5, $6, $7)',
      [id, type, code, name, state, county, fips],
    );
    const stats =
      code === '33019'
        ? [
            {
              type: '2 acre-5 acre',
              listings: 4,
              data: { Active: 4, 'Pending STR': null, 'Median Sold PPA': 12_500.5 },
            },
          ]
        : [];
    const body = JSON.stringify({
      id,
      type,
      name,
      state,
      county_name: county,
      fips: type === 'county' ? code : '',
      as_of: stats.length > 0 ? '2026-11-20' : null,
      stats,
    });
    await db.pool.query('insert into region_stats (type, code, body, etag) values ($1, $2, $3, $4)', [
      type,
      code,
      Buffer.from(body),
      `"etag-${code}"`,
    ]);
    bodies[code] = body;
  }
  return bodies;
}
