import type { Request, Response } from 'express';
import { type HeaderList, headersOf } from './headers.ts';
import type { RateState } from './rate-limits.ts';

/** The state of a request in progress, kept in res.locals. */
export type Exchange = {
  requestId: string;
  startedAt: number;
  /** The route's template for metrics and logs. Never the path, because its values are unbounded. */
  route: string;
  /** CORS headers for pages from other origins. */
  cors: HeaderList;
  /** The caller's rate limits. Until the caller is known, these are the default limits, with nothing used. */
  rate: RateState;
  /** Responds with 503 if the work takes too long, or with 400 if the request body does. */
  deadline?: NodeJS.Timeout;
  /** Gives the request body this many milliseconds to arrive, starting now. */
  allowBody(ms: number): void;
  /** True while the request body is being read. */
  awaitsBody?: boolean;
  /** Log the request regardless of LOG_REQUESTS, even if nothing failed here. */
  noted?: boolean;
  /** Marks the response as an open stream, which isn't counted as in progress or in the duration metrics. */
  detach(): void;
  error?: unknown;
};

export const exchangeOf = (res: Response): Exchange => res.locals.exchange as Exchange;

/** Sends a complete response. `tokens` is its price. For HEAD, sends only the headers. */
export function respond(
  res: Response,
  status: number,
  headers: HeaderList,
  body?: Buffer | string,
  tokens = 0,
): void {
  const all = headersOf(exchangeOf(res), tokens);
  all.push(...headers);
  if (body !== undefined) all.push('Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, all);
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

/** True once the client has disconnected or a response has been sent (such as a timeout). */
export function isFinished(req: Request, res: Response): boolean {
  return res.headersSent || res.destroyed || req.socket.destroyed;
}
