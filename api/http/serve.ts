import type { Request, RequestHandler, Response } from 'express';
import type { Caller, Callers } from './callers.ts';
import { unavailable } from './database.ts';
import type { Answer, Endpoint, Resources } from './endpoint.ts';
import { sendError } from './errors.ts';
import { exchangeOf, isOver } from './exchange.ts';
import { setHeaders } from './headers.ts';
import type { Meter } from './meter.ts';
import { type RateLimits, rateHeaders, requireAdmitted } from './rate-limits.ts';
import { requireQuota, requireScope, requireStanding } from './standing.ts';
import { readInput } from './validate.ts';

export type ServeDeps = {
  callers: Callers;
  rateLimits: RateLimits;
  meter: Meter;
  resources: Resources;
  requestTimeoutMs: number;
};

/** The path of every call to v1: the order of the checks is part of the contract. */
async function serve(endpoint: Endpoint, deps: ServeDeps, req: Request, res: Response): Promise<void> {
  const caller = await deps.callers.identify(req.headers.authorization);
  requireScope(caller);
  requireStanding(caller);
  const rate = await deps.rateLimits.take(caller.account);
  setHeaders(res, rateHeaders(rate));
  requireAdmitted(rate);
  const input = await readInput(endpoint, req, res);
  requireQuota(caller.account, endpoint.metering?.price ?? 0);
  const answer = await endpoint.handle(input, deps.resources);
  await deliver(endpoint, deps.meter, caller, answer, req, res);
}

/** Charges for the answer, then sends it. Nothing is charged for what nobody gets. */
async function deliver(
  endpoint: Endpoint,
  meter: Meter,
  caller: Caller,
  answer: Answer,
  req: Request,
  res: Response,
): Promise<void> {
  if (answer.etag !== undefined) {
    res.setHeader('ETag', answer.etag);
    // For the caller alone, and to be asked for again: the answer to that may be a free 304.
    res.setHeader('Cache-Control', 'private, no-cache');
    if (matches(req.headers['if-none-match'], answer.etag)) {
      if (!isOver(req, res)) res.writeHead(304).end();
      return;
    }
  }
  const body = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(JSON.stringify(answer.body));
  // HEAD delivers nothing but headers.
  const tokens = req.method === 'HEAD' ? 0 : answer.tokens;
  if (isOver(req, res)) return;
  if (endpoint.metering !== null) await meter.charge(caller, endpoint.metering.key, tokens);
  if (isOver(req, res)) return;
  res.setHeader('X-Tokens-Used', String(tokens));
  res.writeHead(endpoint.response.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** RFC 9110 section 13.1.2: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** The endpoint as an express handler with a deadline; what fails is answered with the envelope. */
export function handlerFor(endpoint: Endpoint, deps: ServeDeps): RequestHandler {
  return (req, res) => {
    exchangeOf(res).route = endpoint.path;
    const deadline = setTimeout(
      () => sendError(res, unavailable('The answer took too long. Try again shortly.')),
      deps.requestTimeoutMs,
    );
    serve(endpoint, deps, req, res)
      .catch(error => {
        if (!res.headersSent) sendError(res, error);
      })
      .finally(() => clearTimeout(deadline));
  };
}
