import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InputSpec } from '../../../workers/formats/format-input.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { ReadContext, ResoCheckpoint, RowBatch } from '../../../workers/formats/row-batch.ts';
import { serve, type TestServer } from '../../support/http-server.ts';
import { contextFor } from './make.ts';

export const TOKEN = 'secret-7f3a';
export const quick = { tries: 3, backoffMs: 5, pageMs: 20_000, retryAfterMs: 1_500 };
export const context = (over: Partial<ReadContext> = {}) =>
  contextFor('/', { env: { MLS_TOKEN: TOKEN }, limits: quick, ...over });

/** Nine listings, modified a minute apart; the server gives them in pages of three. */
export const LISTINGS = Array.from({ length: 9 }, (_, i) => ({
  ListingKey: `L${i}`,
  ModificationTimestamp: `2025-09-01T00:0${i}:00Z`,
}));
export const stamp = (i: number) => LISTINGS[i]!.ModificationTimestamp;

export const ended = (at: number): ResoCheckpoint => ({
  nextLink: null,
  watermark: stamp(at),
  since: stamp(at),
  ordered: true,
});
export const underWay = (nextLink: string | null, at: number): ResoCheckpoint => ({
  nextLink,
  watermark: stamp(at),
  since: null,
  ordered: true,
});

export const answer = (request: IncomingMessage, response: ServerResponse): void =>
  answerLinking(request, response, skip => `/odata/Property?$skiptoken=${skip}`);

/** A RESO server in small: $filter on the timestamp, $orderby, pages by $skiptoken. */
export function answerLinking(
  request: IncomingMessage,
  response: ServerResponse,
  link: (skip: number) => string,
): void {
  const url = new URL(request.url!, 'http://x');
  const condition = /ModificationTimestamp (gt|ge) (\S+)/.exec(url.searchParams.get('$filter') ?? '');
  const from =
    condition === null
      ? 0
      : LISTINGS.findIndex(({ ModificationTimestamp: at }) =>
          condition[1] === 'gt' ? at > condition[2]! : at >= condition[2]!,
        );
  const skip = Number(url.searchParams.get('$skiptoken') ?? (from === -1 ? LISTINGS.length : from));
  const next = skip + 3 < LISTINGS.length ? { '@odata.nextLink': link(skip + 3) } : {};
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ '@odata.context': 'x', value: LISTINGS.slice(skip, skip + 3), ...next }));
}

export type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export async function withServer(
  handler: Handler,
  work: (spec: InputSpec, server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await serve(handler);
  try {
    await work(
      { source: `${server.origin}/odata/Property`, format: 'reso', reso: { token_env: 'MLS_TOKEN' } },
      server,
    );
  } finally {
    await server.close();
  }
}

/** Reads until the end or the error, keeping what a caller would have stored by then. */
export async function read(spec: InputSpec, over: Partial<ReadContext> = {}) {
  const batches: RowBatch[] = [];
  let error: unknown = null;
  try {
    for await (const batch of readInput(spec, context(over))) batches.push(batch);
  } catch (thrown) {
    error = thrown;
  }
  const keys = batches.flatMap(batch => batch.rows.map(row => row.values.ListingKey));
  return { batches, keys, error, checkpoint: batches.at(-1)?.checkpoint ?? null };
}

export const keysFrom = (i: number) => LISTINGS.slice(i).map(each => each.ListingKey);
export const queries = (server: TestServer) =>
  server.requests.map(request => decodeURIComponent(request.url!.split('?')[1] ?? ''));
