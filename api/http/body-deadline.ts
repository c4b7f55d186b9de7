import type { Request, Response } from 'express';
import { sendError, validationError } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';

/**
 * Ends a request whose body doesn't arrive in time. Node has only one limit for the whole server, which is
 * too short for uploads.
 * @returns a function that gives the body more time, starting now
 */
export function limitBody(req: Request, res: Response, ms: number): (ms: number) => void {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return () => {};
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(end, ms);
    timer.unref();
  };
  const end = () => {
    if (req.complete) return;
    const exchange = exchangeOf(res);
    // The response was sent, but the client is still sending the body.
    if (res.headersSent) return void req.socket.destroy();
    // A call to v1 has its own time limit, which distinguishes a slow client from a slow service.
    if (exchange.deadline !== undefined) return wait(ms);
    exchange.noted = true;
    const complaint = `did not arrive within ${ms / 1_000} s`;
    sendError(res, validationError({ body: [complaint] }, { Connection: 'close' }));
  };
  wait(ms);
  res.once('close', () => {
    if (req.complete) clearTimeout(timer);
  });
  return wait;
}
