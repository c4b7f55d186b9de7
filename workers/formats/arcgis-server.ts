import { type BulkheadPolicy, bulkhead } from 'cockatiel';
import { PlatError } from '../../shared/platform/errors.ts';
import { limitsOf, redactUrl, sourceError } from '../../shared/platform/http/download-context.ts';
import {
  type AttemptOutcome,
  boundedBody,
  networkOutcome,
  request,
  statusOutcome,
  USER_AGENT,
  withRetry,
} from '../../shared/platform/http/http.ts';
import { parseJson } from './exact-json.ts';
import type { InputSettings } from './input-settings.ts';
import { type ReadContext, requireToken } from './row-batch.ts';

/*
 * Requests to the ArcGIS REST API
 * (https://developers.arcgis.com/rest/services-reference/enterprise/query-feature-service-layer/). Servers
 * report errors in a body with status 200, and each release and proxy fails in its own way.
 */

/** A layer to query: its URL without `/query`, and its feed's settings. */
export type LayerRequest = { url: URL; spec: InputSettings; context: ReadContext };

export type Params = Record<string, string | number | boolean>;

export type Body = Record<string, unknown>;

/**
 * The server refused a query. It may accept a smaller or simpler one or, with `again`, the same one later.
 */
export class RequestRefused extends PlatError {
  readonly again: boolean;

  constructor(
    url: URL,
    what: string,
    { again, retryable = again, cause }: { again: boolean; retryable?: boolean; cause?: unknown },
  ) {
    super('feed_source', `${redactUrl(url)} ${what}`, { retryable, cause });
    this.again = again;
  }
}

/**
 * Concurrent requests per server, across all feeds. County servers are small, and people are using their
 * maps.
 */
const AT_ONCE = 2;
const servers = new Map<string, BulkheadPolicy>();

/** A query that fails twice in a row is split. */
const REFUSALS = 2;

/** IIS, which is in front of most of these servers, refuses longer query strings. */
const MAX_QUERY_LENGTH = 2_000;

/**
 * Returns the JSON response. Long queries use POST.
 * @throws RequestRefused; PlatError for the token or the source
 */
export async function queryLayer(layerRequest: LayerRequest, path: string, params: Params): Promise<Body> {
  const { url, context } = layerRequest;
  const gate = servers.get(url.host) ?? bulkhead(AT_ONCE, Number.POSITIVE_INFINITY);
  servers.set(url.host, gate);
  let refusals = 0;
  return withRetry(
    async () => {
      try {
        return await gate.execute(() => attempt(layerRequest, path, params), context.signal);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof RequestRefused && error.again && ++refusals < REFUSALS) return { retry: error };
        throw error;
      }
    },
    limitsOf(context),
    context.signal,
    context.onNote,
  );
}

async function attempt(
  layerRequest: LayerRequest,
  path: string,
  params: Params,
): Promise<AttemptOutcome<Body>> {
  const { url, context, spec } = layerRequest;
  const { pageMs, pageBytes } = limitsOf(context);
  const variable = spec.arcgis?.token_env;
  const token = variable === undefined ? null : requireToken(context, variable, "layer's token");
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries({ ...params, ...(token !== null && { token }) }))
    query.set(name, String(value));
  // Not every proxy interprets "+" as a space.
  const text = query.toString().replaceAll('+', '%20');
  const target = new URL(url);
  target.pathname += path;
  const long = text.length > MAX_QUERY_LENGTH;
  target.search = long ? '' : text;
  const deadline = AbortSignal.timeout(pageMs);
  const init = {
    headers: {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...(long && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    signal: AbortSignal.any([context.signal, deadline]),
    ...(long && { method: 'POST', body: text }),
  };
  const tooSlow = () =>
    new RequestRefused(url, `did not respond within ${pageMs / 1000} s.`, { again: false, retryable: true });
  let response: Response;
  try {
    response = await request(target, init, { sameOrigin: token !== null });
  } catch (error) {
    if (deadline.aborted) throw tooSlow();
    return networkOutcome(error, url, context.signal);
  }
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    const { status } = response;
    if (status === 401 || status === 403) throw tokenError(layerRequest, `returned ${status}`);
    if ([400, 413, 414, 500, 502, 504].includes(status))
      throw new RequestRefused(url, `returned ${status}.`, { again: status >= 500 });
    return statusOutcome(response, url);
  }
  const bytes = await boundedBody(response, pageBytes).catch(cause => {
    if (deadline.aborted) throw tooSlow();
    throw new RequestRefused(url, 'closed the connection during its response.', { again: true, cause });
  });
  if (bytes === null)
    throw new RequestRefused(url, `returned more than ${pageBytes} bytes.`, { again: false });
  return parseAnswer(layerRequest, bytes);
}

function parseAnswer(layerRequest: LayerRequest, bytes: Buffer): AttemptOutcome<Body> {
  const { url } = layerRequest;
  const text = bytes.toString('utf8');
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (cause) {
    const page = /^\s*</.test(text) ? `, but a web page (${firstWords(text)})` : '';
    throw new RequestRefused(
      url,
      `did not return JSON${page}. Check that the source is the URL of a layer.`,
      {
        again: true,
        cause,
      },
    );
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RequestRefused(url, 'did not return a JSON object.', { again: true });
  if (!('error' in body) || !body.error) return { value: body as Body };
  const { code, message, details } = body.error as { code?: unknown; message?: unknown; details?: unknown };
  const words = [message, details ?? []]
    .flat()
    .filter(text => typeof text === 'string' && text !== '')
    .join(' ')
    .replace(/[\s.]+$/, '');
  const problem = `returned error ${String(code)}${words && `: ${words.slice(0, 300)}`}`;
  if ([401, 403, 498, 499].includes(Number(code))) throw tokenError(layerRequest, problem);
  if ([429, 503].includes(Number(code)))
    return {
      retry: sourceError(`${redactUrl(url)} ${problem}. Run the feed again later.`, { retryable: true }),
    };
  throw new RequestRefused(url, `${problem}.`, { again: true });
}

/** The first words of a web page, which may explain the error. */
function firstWords(html: string): string {
  const text = html.slice(0, 10_000).replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^<>]*>/gi, ' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, 60) || 'without text';
}

/** Esri's codes: 498 means an expired or invalid token, and 499 a missing one. */
function tokenError({ url, spec }: LayerRequest, problem: string): PlatError {
  const variable = spec.arcgis?.token_env;
  const remedy =
    variable === undefined
      ? 'Put a token in an environment variable, and set arcgis.token_env to its name'
      : `Renew the token in the environment variable ${variable}`;
  return new PlatError('feed_token', `${redactUrl(url)} ${problem}. ${remedy}.`);
}
