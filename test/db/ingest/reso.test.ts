import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { Feed } from '../../../workers/ingest/all-kinds.ts';
import { createTestDatabase } from '../../support/database.ts';
import { serve, type TestServer } from '../../support/http-server.ts';
import { all, feedOf, ingest, one } from '../../support/ingest.ts';
import { eventually } from '../../support/workers.ts';

const { pool } = await createTestDatabase();

const TOKEN = 'secret-token-5c1d';
const PAGE = 3;

type Listing = {
  ListPrice: number;
  ClosePrice?: number;
  CloseDate?: string;
} & Record<'ListingKey' | 'StandardStatus' | 'ModificationTimestamp', string>;

let listings: Listing[];
let server: TestServer;
/** What the server does instead of answering, by the number of the request. */
let instead: Map<number, (response: ServerResponse) => void | Promise<void>>;
let feeds = 0;
let feed: Feed;

beforeEach(async () => {
  listings = Array.from({ length: 8 }, (_, i) => ({
    ListingKey: `L${i}`,
    StandardStatus: 'Active',
    ListPrice: 1_000 * i,
    ModificationTimestamp: `2025-09-01T00:0${i}:00Z`,
  }));
  instead = new Map();
  server = await serve(async (request, response, count) => {
    const other = instead.get(count);
    if (other) await other(response);
    if (!response.writableEnded) answer(request, response);
  });
  feed = feedOf('/', {
    name: `reso-${++feeds}`,
    kind: 'listings',
    preset: 'reso',
    listings: {
      source: `${server.origin}/odata/Property`,
      format: 'reso',
      reso: { token_env: 'MLS_TOKEN' },
      label: `MLS ${feeds}`,
    },
  });
});
afterEach(() => server.close());

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url!, server.origin);
  const since =
    /ModificationTimestamp gt (\S+)/.exec(
      url.searchParams.get('$filter') ?? url.searchParams.get('since') ?? '',
    )?.[1] ?? '';
  const due = listings
    .filter(listing => listing.ModificationTimestamp > since)
    .sort((a, b) => a.ModificationTimestamp.localeCompare(b.ModificationTimestamp));
  const skip = Number(url.searchParams.get('$skiptoken') ?? 0);
  const link = `/odata/Property?$skiptoken=${skip + PAGE}${since && `&since=ModificationTimestamp%20gt%20${since}`}`;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      value: due.slice(skip, skip + PAGE),
      ...(skip + PAGE < due.length ? { '@odata.nextLink': link } : {}),
    }),
  );
}

const logged: string[] = [];
const log = pino({ level: 'trace' }, { write: line => void logged.push(line) });
afterAll(() => expect(logged.join('')).not.toContain(TOKEN));

const run = (jobId: string | null = null) =>
  ingest(pool, feed, { jobId }, { env: { MLS_TOKEN: TOKEN }, log });
const asked = () =>
  server.requests.map(request => decodeURIComponent(request.url!.replace('/odata/Property', '')));
const stored = async () =>
  (
    await all<{ text: string }>(
      pool,
      "select concat(source_id, ' ', status, ' ', price::int) as text from listings where feed_id = (select id from feeds where name = $1) order by source_id",
      [feed.name],
    )
  ).map(row => row.text);
const checkpoint = async () =>
  (
    await one<{ checkpoint: Record<string, unknown> | null }>(
      pool,
      'select checkpoint from feeds where name = $1',
      [feed.name],
    )
  ).checkpoint;

test('all pages once, then only changes: the watermark is kept from run to run', async () => {
  expect(await run()).toMatchObject({ status: 'merged', counts: { read: { listings: 8 }, new: 8 } });
  expect(asked()).toEqual(['?$orderby=ModificationTimestamp', '?$skiptoken=3', '?$skiptoken=6']);
  expect(await checkpoint()).toMatchObject({ nextLink: null, watermark: '2025-09-01T00:07:00Z' });

  expect(await run()).toMatchObject({
    status: 'unchanged',
    blocked: [],
    counts: { read: { listings: 0 }, retired: 0 },
  });
  expect(asked()[3]).toBe(
    '?$filter=ModificationTimestamp gt 2025-09-01T00:07:00Z&$orderby=ModificationTimestamp',
  );

  // The first listing is sold; the fields of a sale were in no earlier record.
  listings[0] = {
    ...listings[0]!,
    StandardStatus: 'Closed',
    ListPrice: 1_050,
    ClosePrice: 900,
    CloseDate: '2025-09-02',
    ModificationTimestamp: '2025-09-02T00:00:00Z',
  };
  expect(await run()).toMatchObject({ status: 'merged', counts: { read: { listings: 1 }, changed: 1 } });
  expect((await stored())[0]).toBe('L0 SOLD 900');
  expect(
    await all(pool, 'select asked_price::float8 as asked from listings where asked_price is not null'),
  ).toEqual([{ asked: 1_050 }]);
  expect(await stored()).toHaveLength(8);
  expect(await checkpoint()).toMatchObject({ watermark: '2025-09-02T00:00:00Z' });
});

test('a broken chain: what arrived is merged, and the next attempt continues with the next page', async () => {
  // A pause of an hour is more than a run waits for.
  instead.set(3, response => void response.writeHead(503, { 'retry-after': '3600' }).end());
  const jobId = randomUUID();
  await expect(run(jobId)).rejects.toMatchObject({ code: 'feed_source', retryable: true });
  expect(await stored()).toHaveLength(6);
  expect(await checkpoint()).toMatchObject({
    nextLink: expect.stringContaining('skiptoken=6'),
    watermark: '2025-09-01T00:05:00Z',
  });

  expect(await run(jobId)).toMatchObject({ status: 'merged', counts: { read: { listings: 2 }, new: 2 } });
  expect(asked().slice(3)).toEqual(['?$skiptoken=6']);
  expect(await stored()).toHaveLength(8);
  expect(await checkpoint()).toMatchObject({ nextLink: null, watermark: '2025-09-01T00:07:00Z' });
  const runs = await all(
    pool,
    'select status, job_id, error_code, error from runs where feed_id = (select id from feeds where name = $1) order by id',
    [feed.name],
  );
  expect(runs).toEqual([
    { status: 'merged', job_id: null, error_code: 'feed_source', error: expect.stringContaining('503') },
    { status: 'merged', job_id: jobId, error_code: null, error: null },
  ]);
});

test('a chain that breaks before its first page: nothing is merged, the run fails, the next one starts over', async () => {
  instead.set(1, response => void response.writeHead(429, { 'retry-after': '3600' }).end());
  const jobId = randomUUID();
  await expect(run(jobId)).rejects.toMatchObject({ retryable: true });
  expect([await stored(), await checkpoint()]).toEqual([[], null]);
  expect((await run(jobId)).counts.new).toBe(8);
  expect(await one(pool, 'select status, attempts from runs where job_id = $1', [jobId])).toEqual({
    status: 'merged',
    attempts: 2,
  });
});

test('a lost database connection is not a source failure: no checkpoint gets ahead of what was stored', async () => {
  const cut = () =>
    pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'copy stage_listing%' and datname = current_database()",
    );
  // The second page may be asked for before the rows of the first are on their way.
  instead.set(2, async () => void (await eventually(async () => (await cut()).rowCount! > 0)));
  await expect(run()).rejects.toThrow();
  expect([await stored(), await checkpoint()]).toEqual([[], null]);
  expect((await run()).counts.new).toBe(8);
});

test('the token is sent to the server and is in no table', async () => {
  instead.set(2, response => void response.writeHead(401).end(`no ${TOKEN}`));
  await expect(run()).rejects.toMatchObject({ code: 'feed_token' });
  instead.clear();
  await run();
  expect(server.requests.map(request => request.headers.authorization)).toEqual(
    server.requests.map(() => `Bearer ${TOKEN}`),
  );
  for (const table of ['feeds', 'runs', 'run_rejects', 'jobs', 'listings', 'listing_events']) {
    const { found } = await one<{ found: number }>(
      pool,
      `select count(*)::int as found from ${table} t where t::text like $1`,
      [`%${TOKEN}%`],
    );
    expect([table, found]).toEqual([table, 0]);
  }
});

test('a run without the token in the environment fails and names the variable', async () => {
  await expect(ingest(pool, feed)).rejects.toMatchObject({
    code: 'feed_token',
    message: expect.stringContaining('MLS_TOKEN'),
  });
  expect(server.requests).toEqual([]);
});

test("a RESO feed can't be declared complete", () => {
  const listings = { source: 'https://example.com/Property', format: 'reso', snapshot: true };
  expect(() => feedOf('/', { name: 'wrong', kind: 'listings', preset: 'reso', listings })).toThrowError(
    /snapshot: .*reso/,
  );
});
