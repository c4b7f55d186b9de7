import type { Request, Response } from 'express';
import { type HeaderList, headersOf } from './headers.ts';
import type { RateState } from './rate-limits.ts';

/** What is known of a request while it is being answered; express hands it on in res.locals. */
export type Exchange = {
  requestId: string;
  startedAt: number;
  /** The route's template for metrics and logs: never the path, whose values are unbounded. */
  route: string;
  /** What pages of other origins are told. */
  cors: HeaderList;
  /** The caller's bucket; the default limits, untouched, until it is known. */
  rate: RateState;
  /** Answers 503 when the work takes too long, 400 when the body does. */
  deadline?: NodeJS.Timeout;
  /** Gives the client's body this many milliseconds from now on. */
  allowBody(ms: number): void;
  /** While the client's body is being read. */
  awaitsBody?: boolean;
  /** Worth a line in the log, whatever LOG_REQUESTS says, although nothing failed here. */
  noted?: boolean;
  /** From here on the answer is an open stream: neither work under way nor in duration metrics. */
  detach(): void;
  error?: unknown;
};

export const exchangeOf = (res: Response): Exchange => res.locals.exchange as Exchange;

/** Writes a whole response; `tokens` is what it cost. HEAD gets the headers alone. */
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

/** True once the client has left, or a response was sent already (a time-out). */
export function isOver(req: Request, res: Response): boolean {
  return res.headersSent || res.destroyed || req.socket.destroyed;
}
