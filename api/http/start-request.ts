import type { Request, RequestHandler } from 'express';
import { UUID } from '../../shared/model/uuid.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { type Logger, redactKeys } from '../../shared/platform/log.ts';
import type { Origins } from '../../shared/platform/origin.ts';
import { limitBody } from './body-deadline.ts';
import { corsHeaders } from './cors.ts';
import { unavailable } from './database.ts';
import { type Details, sendError, validationError } from './error-responses.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { headersOf, requestIdOf, setHeaders } from './headers.ts';
import type { Metrics } from './metrics.ts';
import { UNUSED_LIMITS } from './rate-limits.ts';

/** Shared by request handlers and the shutdown code. */
export type Lifecycle = {
  /** Requests in progress. */
  active: number;
  /** /readyz reports that the server is about to stop. Set before it drains. */
  leaving: boolean;
  draining: boolean;
  lastRequestAt: number;
  /** Set once the server is listening. */
  port?: number;
};

export type StartRequestDeps = {
  lifecycle: Lifecycle;
  metrics: Metrics;
  log: Logger;
  logRequests: boolean;
  requestTimeoutMs: number;
  /** CORS_ORIGINS. */
  readers: readonly string[];
  origins: Origins;
};

/** What pages from other origins can read: data and its description, but not the operator's pages. */
const OPEN = /^\/(?:api\/|ogc(?:\/|$)|tiles\.json$|openapi\.json$|mcp$|\.well-known\/)/;

/** While it drains, the service is still alive, and collectors want its last metrics. */
const WHILE_DRAINING = new Set(['/healthz', '/metrics']);

/** Load balancers and collectors call these by address, not by name. */
const OF_ANY_HOST = /^\/(?:healthz|readyz|metrics)\/?$/;

const CLOSES = { Connection: 'close' };

/**
 * The first handler for every request. Sets its id and headers, records its end, and returns 503 while
 * draining.
 */
export function startRequest(deps: StartRequestDeps): RequestHandler {
  const { lifecycle, metrics, log, logRequests, requestTimeoutMs, readers, origins } = deps;
  return (req, res, next) => {
    takeHostOfTarget(req);
    const exchange: Exchange = {
      requestId: requestIdOf(req.headers['x-request-id']),
      startedAt: performance.now(),
      route: 'unknown',
      cors: OPEN.test(req.path) ? corsHeaders(readers, req.headers.origin) : [],
      rate: UNUSED_LIMITS,
      allowBody: limitBody(req, res, requestTimeoutMs),
      detach() {
        res.off('close', end);
        lifecycle.active--;
      },
    };
    res.locals.exchange = exchange;
    lifecycle.active++;
    lifecycle.lastRequestAt = exchange.startedAt;
    res.once('close', end);

    function end(): void {
      lifecycle.active--;
      const seconds = (performance.now() - exchange.startedAt) / 1_000;
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      metrics.observe(req.method, exchange.route, status, seconds);
      if (logRequests || exchange.noted || exchange.error !== undefined)
        logRequest(log, req, exchange, status, seconds);
    }

    if (lifecycle.leaving) res.shouldKeepAlive = false;
    if (lifecycle.draining && !WHILE_DRAINING.has(req.path))
      return sendError(
        res,
        unavailable('The service is shutting down. Try again shortly.', undefined, CLOSES),
      );
    // Node's own response to this (requireHostHeader) would lack our envelope and headers.
    if (req.headers.host === undefined && req.httpVersion === '1.1')
      return sendError(res, validationError({ Host: ['is missing: HTTP/1.1 requires it'] }, CLOSES));
    const fault = hostFault(req);
    if (fault !== undefined) return sendError(res, validationError(fault));
    if (req.host && !OF_ANY_HOST.test(req.path) && !origins.answersTo(req.host))
      return sendError(res, new PlatError('not_found', OTHER_HOST, { status: 421 }));
    next();
  };
}

function logRequest(log: Logger, req: Request, exchange: Exchange, status: string, seconds: number): void {
  const line = {
    requestId: redactKeys(exchange.requestId),
    method: req.method,
    route: exchange.route,
    // Omit the query string, which can contain names and addresses.
    path: redactPath(req.path),
    status,
    ms: Math.round(seconds * 1_000),
    ...(exchange.error === undefined ? {} : { err: exchange.error }),
  };
  if (exchange.error === undefined) log.info(line, 'request');
  else log.error(line, 'request failed');
}

/**
 * Anything this long is longer than any route name, so it is a signed or shared link that anyone can open.
 */
const LONG_SEGMENT = /\/([^/]{32,})/g;

/** The token of an unsubscribe link is a UUID, like ids that are safe to log. */
const UNSUBSCRIBE = /(?<=unsubscribe\/+)[^/]+/i;

/** A path for the log, without secrets. Ids are kept. */
function redactPath(path: string): string {
  const redacted = path
    .replace(UNSUBSCRIBE, '[removed]')
    .replaceAll(LONG_SEGMENT, (whole, segment: string) => (UUID.test(segment) ? whole : '/[removed]'));
  return redactKeys(redacted).slice(0, 200);
}

/** The headers of every response that Express and its middleware write. v1 writes its own. */
export const presetHeaders: RequestHandler = (_req, res, next) => {
  setHeaders(res, headersOf(exchangeOf(res)));
  next();
};

const OTHER_HOST =
  'This service does not accept requests for this host. Use its own address. Operators set that address in BASE_URL, and any other hosts in ALLOWED_HOSTS.';

/** The part before the path in a request target in absolute form. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** RFC 9112 section 3.2.2: a target in absolute form sets the host and overrides the Host header. */
function takeHostOfTarget(req: Request): void {
  const [start, host] = AUTHORITY.exec(req.url) ?? [];
  if (start === undefined) return;
  req.headers.host = host;
  req.url = req.url.slice(start.length).replace(/^(?!\/)/, '/');
  req.originalUrl = req.url;
}

/**
 * RFC 3986, sections 3.2.2 and 3.2.3: a registered name or an address, and a port, but no user, path, or
 * query.
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]{0,5})?$/i;

const MESSAGE = 'is not a valid host: use a name or an address, with or without a port';

/** Why links can't be built from the request's Host, or undefined. An empty Host counts as absent. */
function hostFault(req: Request): Details | undefined {
  const { host } = req.headers;
  if (host && !isHost(host)) return { Host: [MESSAGE] };
  // The host as forwarded by trusted proxies. Without proxies, it is the same.
  if (req.host && req.host !== host && !isHost(req.host)) return { 'X-Forwarded-Host': [MESSAGE] };
  if (req.protocol !== 'http' && req.protocol !== 'https')
    return { 'X-Forwarded-Proto': ['must be http or https'] };
  return undefined;
}

/** The URL parser rejects what the grammar allows, such as ports over 65535 or 999.1.1.1. */
const isHost = (text: string): boolean => HOST.test(text) && URL.canParse(`http://${text}/`);
