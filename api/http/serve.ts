import type { Request, RequestHandler, Response } from 'express';
import type { PlatError } from '../../shared/errors.ts';
import type { Caller, Callers } from './callers.ts';
import { compressed, type Encoding, encodingFor } from './compression.ts';
import { unavailable } from './database.ts';
import type { Answer, CallContext, Endpoint } from './endpoint.ts';
import { JSON_TYPE, sendError, validationError } from './errors.ts';
import { type Exchange, exchangeOf, isOver, respond } from './exchange.ts';
import { type Attempt, fingerprintOf, type Idempotency, idempotencyKeyOf } from './idempotency.ts';
import type { Meter } from './meter.ts';
import { type RateLimits, requireAdmitted, untouched } from './rate-limits.ts';
import { requireQuota, requireScope, requireStanding } from './standing.ts';
import { readInput } from './validate.ts';

export type ServeDeps = {
  callers: Callers;
  rateLimits: RateLimits;
  meter: Meter;
  idempotency: Idempotency;
  /** What the handlers may use. */
  resources: object;
  requestTimeoutMs: number;
  originOf(req: Request): string;
  /** APP_URL. */
  appUrl: string | undefined;
  now(): Date;
};

/** The path of every call to v1: the order of the checks is part of the contract. */
async function serve(endpoint: Endpoint, deps: ServeDeps, req: Request, res: Response): Promise<void> {
  const caller = await deps.callers.identify(req.headers.authorization);
  exchangeOf(res).rate = untouched(caller.account);
  requireScope(caller);
  requireStanding(caller, endpoint.withoutContract);
  const rate = await deps.rateLimits.take(caller.account, endpoint.rate);
  exchangeOf(res).rate = rate;
  requireAdmitted(rate);
  const input = await readInput(endpoint, req, res);
  const call: Call = { endpoint, caller, req, res };
  const key = idempotencyKeyOf(endpoint, req);
  if (key === undefined) return answer(call, input, deps);
  const repeatable = { accountId: caller.account.id, key, fingerprint: fingerprintOf(endpoint, req) };
  const turn = await deps.idempotency.begin(repeatable, () => isOver(req, res));
  if (turn === undefined || isOver(req, res)) {
    if (turn !== undefined && 'attempt' in turn) await turn.attempt.end();
    return;
  }
  if ('kept' in turn) {
    const { bytes, headers } = await represent(req, turn.kept.body, undefined);
    respond(res, turn.kept.status, [...REPLAYED, ...headers], bytes);
    return;
  }
  try {
    await answer({ ...call, attempt: turn.attempt }, input, deps);
  } finally {
    await turn.attempt.end();
  }
}

/** Of an answer that was given before: this call costs nothing. */
const REPLAYED = ['Cache-Control', 'no-store', 'Idempotency-Replayed', 'true'];

type Call = { endpoint: Endpoint; caller: Caller; req: Request; res: Response; attempt?: Attempt };

async function answer(
  call: Call,
  input: Awaited<ReturnType<typeof readInput>>,
  deps: ServeDeps,
): Promise<void> {
  const { endpoint, caller, req } = call;
  const now = deps.now();
  // Not where an answer with something in it may be free.
  if (endpoint.metering !== null && endpoint.metering.price > 0) requireQuota(caller.account, now.getTime());
  const url = addressOf(req, deps.originOf(req) || 'http://localhost');
  const context: CallContext = {
    account: caller.account,
    url,
    appUrl: deps.appUrl ?? url.origin,
    now,
    encoding: encodingFor(req.headers['accept-encoding']),
  };
  await deliver(call, await endpoint.handle(input, deps.resources, context), deps.meter);
}

/** Charges for the answer, then sends it. Nothing is charged for what nobody gets. */
async function deliver(
  { endpoint, caller, req, res, attempt }: Call,
  answer: Answer,
  meter: Meter,
): Promise<void> {
  // A look at the socket: the client may have left, or the deadline passed, while the answer was made.
  if (isOver(req, res)) return;
  if (answer.etag !== undefined && matches(req.headers['if-none-match'], answer.etag)) {
    respond(res, 304, cacheHeaders(answer.etag));
    return;
  }
  const body =
    answer.body === null || Buffer.isBuffer(answer.body)
      ? answer.body
      : Buffer.from(JSON.stringify(answer.body));
  const { status = endpoint.response.status } = answer;
  const { bytes, headers, encoded } = await represent(req, body, answer.encoding);
  // HEAD delivers nothing but headers, and of a priced answer not its length either, which tells a match from none.
  const head = req.method === 'HEAD';
  const tokens = head || endpoint.metering === null ? 0 : answer.tokens;
  const told = head && endpoint.metering !== null && answer.etag === undefined ? undefined : bytes;
  // From here on the call succeeds or fails with its charge, which has the statement time-out.
  clearTimeout(exchangeOf(res).deadline);
  await meter.charge(caller, endpoint.metering?.key ?? '', tokens, {
    isOver: () => isOver(req, res),
    alongside: attempt && (run => attempt.keep(run, { status, body: body ?? Buffer.alloc(0) })),
  });
  if (isOver(req, res)) return;
  // A strong tag stands for one sequence of bytes (RFC 9110 section 8.8.1): what was compressed gets a weak one.
  const etag = answer.etag !== undefined && encoded ? `W/${answer.etag}` : answer.etag;
  respond(res, status, [...cacheHeaders(etag), ...headers], told, tokens);
}

/** A body as the client would rather have it, and the headers that say how it is. @param encoding that it has already */
async function represent(
  req: Request,
  body: Buffer | null,
  encoding: Encoding | undefined,
): Promise<{ bytes: Buffer | undefined; headers: string[]; encoded: boolean }> {
  if (body === null) return { bytes: undefined, headers: [], encoded: false };
  const own =
    encoding === undefined
      ? await compressed(body, req.headers['accept-encoding'])
      : { bytes: body, encoding };
  const headers = ['Content-Type', JSON_TYPE, 'Vary', 'Accept-Encoding'];
  if (own.encoding !== undefined) headers.push('Content-Encoding', own.encoding);
  return { bytes: own.bytes, headers, encoded: own.encoding !== undefined };
}

/** For the caller alone; what has a tag is to be asked for again, which may be answered by a free 304. */
const cacheHeaders = (etag: string | undefined) =>
  etag === undefined ? ['Cache-Control', 'no-store'] : ['ETag', etag, 'Cache-Control', 'private, no-cache'];

/** RFC 9110 section 13.1.2: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** The endpoint as an express handler with a deadline; what fails is answered with the envelope. */
export function handlerFor(endpoint: Endpoint, deps: ServeDeps): RequestHandler {
  return (req, res) => {
    const exchange = exchangeOf(res);
    exchange.route = endpoint.path;
    exchange.deadline = setTimeout(() => sendError(res, tooLate(exchange, deps)), deps.requestTimeoutMs);
    serve(endpoint, deps, req, res)
      .catch(error => {
        if (!res.headersSent) sendError(res, error);
      })
      .finally(() => clearTimeout(exchange.deadline));
  };
}

/** A body that is slow to arrive is its sender's fault. */
function tooLate(exchange: Exchange, { requestTimeoutMs }: ServeDeps): PlatError {
  if (!exchange.awaitsBody) return unavailable('The answer took too long. Try again shortly.');
  exchange.noted = true;
  const complaint = `the body did not arrive within ${requestTimeoutMs / 1_000} s`;
  return validationError({ body: [complaint] }, { Connection: 'close' });
}

/** Of a request target in absolute form (RFC 9112 section 3.2.2), which only proxies need: what stands before the path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The call's address as its client sees it; BASE_URL may have a path of its own, behind a proxy that takes it away. */
function addressOf(req: Request, base: string): URL {
  return new URL(base + req.originalUrl.replace(ORIGIN, ''));
}
