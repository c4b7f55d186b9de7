import type { Request, RequestHandler, Response } from 'express';
import type { Origins } from '../../shared/platform/origin.ts';
import type { Caller, Callers } from './callers.ts';
import { type Compressed, compressed } from './compression.ts';
import type { Endpoint } from './endpoint.ts';
import { JSON_TYPE, sendError } from './error-responses.ts';
import { exchangeOf, isFinished, respond } from './exchange.ts';
import { sizeOf } from './heavy-calls.ts';
import { bytesOf, type Call, type Outcome, type PreparedResponse, type ServeDeps, serve } from './serve.ts';
import { readRequest } from './validate.ts';

export type RestDeps = ServeDeps & { callers: Callers; origins: Origins };

/** What differs between the REST API and other protocols over HTTP. */
export type Door = {
  /** @throws PlatError `unauthorized` */
  identify(req: Request, res: Response, callers: Callers): Promise<Caller>;
  sendError(res: Response, error: unknown): void;
};

const REST: Door = {
  identify: (req, _res, callers) => callers.identify(req.headers.authorization, 'direct'),
  sendError,
};

export function handlerFor(endpoint: Endpoint, deps: RestDeps, door = REST): RequestHandler {
  return (req, res) => {
    const call = callOf(endpoint, req, res, deps, door);
    res.once('close', () => res.writableFinished || call.abortController().abort());
    void serve(call, deps);
  };
}

function callOf(endpoint: Endpoint, req: Request, res: Response, deps: RestDeps, door: Door): Call {
  const exchange = exchangeOf(res);
  exchange.route = endpoint.path;
  let abortController: AbortController | undefined;
  return {
    mode: 'direct',
    endpoint,
    exchange,
    idempotencyKey: req.headers['idempotency-key'],
    abortController: () => (abortController ??= new AbortController()),
    identify: () => door.identify(req, res, deps.callers),
    url: () => new URL(`http://localhost${req.originalUrl}`),
    apiUrl: () => deps.origins.apiUrl(req),
    appUrl: () => deps.origins.appUrl(),
    size: () => sizeOf(req),
    read: () => readRequest(endpoint, req, res),
    prepare: outcome => prepare(outcome, endpoint, req, res),
    respondWithError(error) {
      if (!res.headersSent) door.sendError(res, error);
    },
    isFinished: () => isFinished(req, res),
  };
}

/** A strong tag identifies exact bytes (RFC 9110 section 8.8.1), so a compressed body gets a weak one. */
async function prepare(
  { status, body: answer, etag, maxAge, tokens, replayed, quoted, type = JSON_TYPE, headers = [] }: Outcome,
  endpoint: Endpoint,
  req: Request,
  res: Response,
): Promise<PreparedResponse> {
  if (etag !== undefined && matches(req.headers['if-none-match'], etag))
    return { tokens: 0, send: () => respond(res, 304, cacheHeaders(etag, maxAge)) };
  const body = bytesOf(answer);
  const { bytes, encoding }: Partial<Compressed> = body === null ? {} : await compressed(body, req);
  // HEAD sends only headers. For a priced response, it omits the length, which would reveal whether anything
  // matched.
  const head = req.method === 'HEAD';
  const sent = head && endpoint.metering !== null && etag === undefined ? undefined : bytes;
  const cost = head ? 0 : tokens;
  const all = cacheHeaders(etag !== undefined && encoding !== undefined ? `W/${etag}` : etag, maxAge);
  if (body !== null) all.push('Content-Type', type, 'Vary', 'Accept-Encoding', ...headers);
  if (encoding !== undefined) all.push('Content-Encoding', encoding);
  if (replayed) all.push('Idempotency-Replayed', 'true');
  if (endpoint.response.location !== undefined && body !== null && !quoted)
    all.push('Location', endpoint.response.location(JSON.parse(body.toString())));
  return { tokens: cost, send: charged => respond(res, status, all, sent, charged) };
}

/** Responses are private to the caller. Those with a tag must be revalidated, which can return a free 304. */
const cacheHeaders = (etag: string | undefined, maxAge: number | undefined) =>
  etag === undefined
    ? ['Cache-Control', 'no-store']
    : [
        'ETag',
        etag,
        'Cache-Control',
        maxAge === undefined ? 'private, no-cache' : `private, max-age=${maxAge}`,
      ];

/** RFC 9110 section 13.1.2: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}
