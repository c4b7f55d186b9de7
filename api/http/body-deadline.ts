import type { Request, Response } from 'express';
import { sendError, validationError } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';

/**
 * Ends a request whose body does not arrive in time. Node's own limit is one for the whole server, which an
 * upload would never meet.
 * @returns how to give a body more time, counted from then on
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
    // It was answered, and its sender does not come to an end.
    if (res.headersSent) return void req.socket.destroy();
    // A call to v1 has its own time limit, which knows whether the sender or the service is late.
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
