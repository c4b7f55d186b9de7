import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';
import { PlatError } from '../../shared/errors.ts';
import { sendError } from './errors.ts';
import { exchangeOf } from './exchange.ts';
import { pageSecurityHeaders, setHeaders } from './headers.ts';
import { sameSecret } from './secrets.ts';

export type BoardQueue = ConstructorParameters<typeof BullMQAdapter>[0];
type ServerAdapter = Parameters<typeof createBullBoard>[0]['serverAdapter'];

const PATH = '/admin/queues';

/** The operator's view of the queues, for the user `admin` with the operator's password. */
export function mountAdmin(app: Express, queues: readonly BoardQueue[], password: string): void {
  const board = new ExpressAdapter();
  board.setBasePath(PATH);
  createBullBoard({
    queues: queues.map(queue => new BullMQAdapter(queue)),
    // @bull-board/express brings its own copy of @bull-board/api, whose private fields TypeScript tells apart.
    serverAdapter: board as unknown as ServerAdapter,
    options: { uiConfig: { boardTitle: 'Plat queues', hideRedisDetails: true } },
  });
  app.use(PATH, requireOperator(password), board.getRouter());
}

function requireOperator(password: string): RequestHandler {
  const expected = `admin:${password}`;
  return (req, res, next) => {
    exchangeOf(res).route = PATH;
    setHeaders(res, pageSecurityHeaders);
    const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(req.headers.authorization ?? '')?.[1];
    if (encoded === undefined || !sameSecret(Buffer.from(encoded, 'base64').toString(), expected)) {
      const headers = { 'WWW-Authenticate': 'Basic realm="Plat queues", charset="UTF-8"' };
      return sendError(
        res,
        new PlatError('unauthorized', "Sign in as admin with the operator's password.", {
          status: 401,
          headers,
        }),
      );
    }
    // The browser sends the password with requests that other sites make, too.
    const site = req.headers['sec-fetch-site'];
    if (req.method !== 'GET' && site !== undefined && site !== 'same-origin') {
      return sendError(
        res,
        new PlatError('forbidden', 'Requests from other sites may not change the queues.', { status: 403 }),
      );
    }
    next();
  };
}
