import { PlatError } from '../../shared/platform/errors.ts';
import {
  formatError,
  limitsOf,
  redactUrl,
  sourceError,
} from '../../shared/platform/http/download-context.ts';
import { boundedBody, fetchWithRetry } from '../../shared/platform/http/http.ts';
import { parseJson } from './exact-json.ts';
import type { InputSettings, ResoSpec } from './input-settings.ts';
import {
  addBad,
  addRow,
  newOutput,
  type ReadContext,
  type ResoCheckpoint,
  type RowBatch,
  rawJson,
  requireToken,
  takeBatch,
} from './row-batch.ts';

/*
 * RESO Web API Core 2.0 (https://github.com/RESOStandards/transport, "Web API Core"), which is OData 4: pages
 * of { value: […], "@odata.nextLink"? }, ordered by ModificationTimestamp so that an interrupted chain can be
 * resumed.
 */

type Page = { value: unknown[]; nextLink: URL | null };

/**
 * The records of a RESO resource, one batch per page, each with the checkpoint to store. Resumes at the
 * checkpoint's `nextLink`. If the server no longer knows the link, requests records starting at `watermark`
 * again (inclusive, because a page can end between two records of one timestamp).
 * @throws PlatError `feed_source` (unreachable, refused, a link to another origin), `feed_format` (not
 * OData), `feed_token` (the variable is not set, or the server refuses its token)
 */
export async function* readReso(spec: InputSettings, context: ReadContext): AsyncGenerator<RowBatch> {
  const reso = spec.reso ?? {};
  const start = resourceUrl(spec);
  const headers = requestHeaders(reso, context);
  const output = newOutput(spec.crs);
  const field = reso.timestamp_field ?? 'ModificationTimestamp';
  let checkpoint = startOf(context.watermark);
  let url =
    checkpoint.nextLink === null
      ? queryUrl(start, reso, checkpoint, 'gt')
      : sameOrigin(checkpoint.nextLink, start);
  const visited = new Set<string>();
  let read = 0;
  for (let resumed = checkpoint.nextLink !== null; ; resumed = false) {
    visited.add(url.href);
    const page = await fetchPage(url, start, headers, resumed, context, bytes => {
      read += bytes;
      context.onBytes?.(read, null);
    });
    if (page === null) {
      const restart = checkpoint.ordered ? checkpoint.watermark : checkpoint.since;
      checkpoint = { nextLink: null, watermark: restart, since: checkpoint.since, ordered: true };
      url = queryUrl(start, reso, checkpoint, 'ge');
      continue;
    }
    for (const record of page.value) {
      if (typeof record === 'object' && record !== null && !Array.isArray(record)) {
        addRow(output, record as Record<string, unknown>, null);
      } else {
        addBad(output, 'unreadable_row', 'the record is not an object', rawJson(record));
      }
    }
    checkpoint = advance(checkpoint, page, field);
    yield { ...takeBatch(output), checkpoint };
    if (page.nextLink === null) return;
    if (visited.has(page.nextLink.href)) {
      throw sourceError(`${redactUrl(start)}: its pages link to each other in a loop. Tell the provider.`);
    }
    url = page.nextLink;
  }
}

function resourceUrl(spec: InputSettings): URL {
  if (typeof spec.source !== 'string' || !/^https?:\/\//i.test(spec.source)) {
    throw sourceError(
      'The source of a "reso" feed must be one http(s) URL, such as https://api.example.com/odata/Property.',
    );
  }
  return new URL(spec.source);
}

function requestHeaders(reso: ResoSpec, context: ReadContext): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (reso.page_size !== undefined) headers.prefer = `odata.maxpagesize=${reso.page_size}`;
  if (reso.token_env === undefined) return headers;
  const token = requireToken(context, reso.token_env, "server's bearer token");
  return { ...headers, authorization: `Bearer ${token}` };
}

/** A new chain of pages starts where the previous one ended, at its highest timestamp. */
function startOf(stored: ResoCheckpoint | null | undefined): ResoCheckpoint {
  if (!stored) return { nextLink: null, watermark: null, since: null, ordered: true };
  return stored.nextLink === null ? { ...stored, since: stored.watermark, ordered: true } : stored;
}

function queryUrl(start: URL, reso: ResoSpec, checkpoint: ResoCheckpoint, operator: 'gt' | 'ge'): URL {
  const field = reso.timestamp_field ?? 'ModificationTimestamp';
  const conditions = reso.filter === undefined ? [] : [`(${reso.filter})`];
  const { watermark } = checkpoint;
  if (watermark !== null && instant(watermark) !== null)
    conditions.unshift(`${field} ${operator} ${watermark}`);
  const options: [string, string][] = [['$orderby', field]];
  if (conditions.length > 0) options.unshift(['$filter', conditions.join(' and ')]);
  if (reso.select !== undefined) options.push(['$select', [...new Set([...reso.select, field])].join(',')]);
  const url = new URL(start);
  // Not URLSearchParams, because several servers don't read its "+" as a space.
  const added = options.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  url.search = url.search === '' ? added : `${url.search.slice(1)}&${added}`;
  return url;
}

/** A nextLink decides where the token is sent, so it must stay on the same origin. */
function sameOrigin(link: string, from: URL): URL {
  const url = new URL(link, from);
  if (url.origin !== from.origin) {
    throw sourceError(
      `${redactUrl(from)} links to ${url.origin} for its next page. Plat doesn't follow links to another origin, because they would receive the token.`,
    );
  }
  return url;
}

function advance(before: ResoCheckpoint, page: Page, field: string): ResoCheckpoint {
  let { watermark, ordered } = before;
  for (const record of page.value) {
    const timestamp = (record as Record<string, unknown> | null)?.[field];
    if (typeof timestamp !== 'string' || instant(timestamp) === null) continue;
    if (watermark === null || isAfter(timestamp, watermark)) watermark = timestamp;
    else if (isAfter(watermark, timestamp)) ordered = false;
  }
  if (page.nextLink === null) return { nextLink: null, watermark, since: watermark, ordered: true };
  return { nextLink: page.nextLink.href, watermark, since: before.since, ordered };
}

function instant(timestamp: string): number | null {
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/i.test(timestamp)
    ? Date.parse(timestamp)
    : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Servers write seconds with up to seven decimals. Digits after the milliseconds are compared as text. */
function isAfter(a: string, b: string): boolean {
  const difference = (instant(a) ?? 0) - (instant(b) ?? 0);
  return difference === 0 ? fraction(a) > fraction(b) : difference > 0;
}

function fraction(timestamp: string): string {
  return (/\.(\d+)/.exec(timestamp)?.[1] ?? '').replace(/0+$/, '');
}

/** One page, or null if the server no longer knows the link that `resumed` follows. */
async function fetchPage(
  url: URL,
  start: URL,
  headers: Record<string, string>,
  resumed: boolean,
  context: ReadContext,
  onBytes: (bytes: number) => void,
): Promise<Page | null> {
  const { pageMs, pageBytes } = limitsOf(context);
  const read = (response: Response) => textOf(response, url, resumed, pageBytes);
  const text = await fetchWithRetry<string | null>(
    url,
    { headers, timeoutMs: pageMs, sameOrigin: true, read },
    context,
  );
  if (text === null) return null;
  onBytes(Buffer.byteLength(text));
  let body: { value?: unknown; '@odata.nextLink'?: unknown };
  try {
    body = parseJson(text) as typeof body;
  } catch (cause) {
    throw formatError(
      `${redactUrl(start)} did not return JSON. Check that the source is a RESO resource.`,
      cause,
    );
  }
  if (!Array.isArray(body?.value)) {
    throw formatError(
      `${redactUrl(start)} returned no "value" list. Check that the source is a RESO resource.`,
    );
  }
  const link = body['@odata.nextLink'];
  return {
    value: body.value,
    nextLink: typeof link === 'string' && link !== '' ? sameOrigin(link, url) : null,
  };
}

async function textOf(
  response: Response,
  url: URL,
  resumed: boolean,
  maxBytes: number,
): Promise<string | null | undefined> {
  const { ok, status } = response;
  if (ok) {
    const body = await boundedBody(response, maxBytes);
    if (body !== null) return body.toString('utf8');
    throw sourceError(
      `${redactUrl(url)} sent a page of more than ${maxBytes} bytes. Set a smaller page_size in the feed.`,
    );
  }
  if (resumed && [400, 404, 410].includes(status)) {
    await response.body?.cancel();
    return null;
  }
  if (status === 401 || status === 403) {
    await response.body?.cancel();
    throw new PlatError(
      'feed_token',
      `${redactUrl(url)} returned ${status}, so it refuses the token. Renew the token in the feed's environment variable.`,
    );
  }
  return undefined;
}
