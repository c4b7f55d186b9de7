import type { Request, Response } from 'express';

/** What is known of a request while it is being answered; express hands it on in res.locals. */
export type Exchange = {
  requestId: string;
  startedAt: number;
  /** The route's template for metrics and logs: never the path, whose values are unbounded. */
  route: string;
  /** What went wrong inside, for the log. */
  error?: unknown;
};

export function exchangeOf(res: Response): Exchange {
  return res.locals.exchange as Exchange;
}

/** True once nobody waits for the answer, or it was given (a time-out) already. */
export function isOver(req: Request, res: Response): boolean {
  return res.headersSent || res.destroyed || req.socket.destroyed;
}
