import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { PlatError } from '../../shared/platform/errors.ts';
import { sameSecret } from '../../shared/platform/secrets.ts';
import { clientNetwork } from './client-network.ts';
import { rateLimited, sendError } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { pageSecurityHeaders, setHeaders } from './headers.ts';

export type BoardQueue = ConstructorParameters<typeof BullMQAdapter>[0];
type ServerAdapter = Parameters<typeof createBullBoard>[0]['serverAdapter'];

const PATH = '/admin/queues';

/** The operator's view of the queues, for the user `admin` with the operator's password. */
export function mountAdmin(app: Express, queues: readonly BoardQueue[], password: string): void {
  const board = new ExpressAdapter();
  board.setBasePath(PATH);
  createBullBoard({
    queues: queues.map(queue => new BullMQAdapter(queue)),
    // @bull-board/express has its own copy of @bull-board/api, whose private fields make the types differ.
    serverAdapter: board as unknown as ServerAdapter,
    options: { uiConfig: { boardTitle: 'Plat queues', hideRedisDetails: true } },
  });
  app.use(PATH, requireOperator(password), board.getRouter());
}

/** Number of wrong passwords per minute before an address has to wait. */
const MAX_FAILURES = 5;
const FAILURES_MS = 60_000;
const MAX_ADDRESSES = 10_000;

function requireOperator(password: string): RequestHandler {
  const expected = `admin:${password}`;
  const failures = new LRUCache<string, number>({ max: MAX_ADDRESSES, ttl: FAILURES_MS });
  return (req, res, next) => {
    exchangeOf(res).route = PATH;
    setHeaders(res, pageSecurityHeaders);
    const address = clientNetwork(req.ip ?? '');
    const failed = failures.get(address) ?? 0;
    if (failed >= MAX_FAILURES) return sendError(res, tooManyFailures());
    const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(req.headers.authorization ?? '')?.[1];
    if (encoded === undefined || !sameSecret(Buffer.from(encoded, 'base64').toString(), expected)) {
      if (encoded !== undefined) failures.set(address, failed + 1);
      const headers = { 'WWW-Authenticate': 'Basic realm="Plat queues", charset="UTF-8"' };
      return sendError(
        res,
        new PlatError('unauthorized', "Sign in as admin with the operator's password.", {
          headers,
        }),
      );
    }
    // The browser sends the password with requests from other sites too.
    const site = req.headers['sec-fetch-site'];
    if (req.method !== 'GET' && site !== undefined && site !== 'same-origin') {
      return sendError(
        res,
        new PlatError('forbidden', 'Requests from other sites cannot change the queues.'),
      );
    }
    next();
  };
}

function tooManyFailures(): PlatError {
  const seconds = FAILURES_MS / 1_000;
  return rateLimited(`Too many wrong passwords. Try again in ${seconds} s.`, seconds);
}
