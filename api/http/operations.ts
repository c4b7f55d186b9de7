import { type Request, type Response, Router } from 'express';
import type { Pool } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { assertSchemaVersion } from '../../shared/migrate.ts';
import type { Lifecycle } from './begin.ts';
import { unavailable } from './database.ts';
import { answerGet, notFound } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { sameSecret } from './secrets.ts';

export type OperationsDeps = {
  pool: Pool;
  metrics: Metrics;
  lifecycle: Lifecycle;
  metricsToken: string | undefined;
};

/** What machines that run the service ask: /healthz, /readyz, /metrics. */
export function operations({ pool, metrics, lifecycle, metricsToken }: OperationsDeps): Router {
  const router = Router({ caseSensitive: true });

  answerGet(router, '/healthz', async (_req, res) =>
    sendText(res, 200, 'application/json', '{"status":"ok"}'),
  );

  // However often it is asked, the database is asked once at a time.
  let checking: Promise<void> | undefined;
  answerGet(router, '/readyz', async (_req, res) => {
    if (lifecycle.leaving) throw unavailable('The service is shutting down.');
    checking ??= assertSchemaVersion(pool).finally(() => {
      checking = undefined;
    });
    try {
      await checking;
    } catch (cause) {
      const reason = cause instanceof PlatError ? cause.message : 'The database cannot be reached.';
      throw unavailable(`The service is not ready. ${reason}`, cause);
    }
    sendText(res, 200, 'application/json', '{"status":"ready"}');
  });

  answerGet(router, '/metrics', async (req, res) => {
    requireMetricsAccess(req, metricsToken);
    const { text, type } = await metrics.render();
    sendText(res, 200, type, text);
  });

  return router;
}

/** The bearer of METRICS_TOKEN; without one, programs on this machine that no proxy stands between. Others get 404. */
function requireMetricsAccess(req: Request, token: string | undefined): void {
  if (token !== undefined) {
    const given = /^Bearer +([^ ]+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    if (given !== undefined && sameSecret(given, token)) return;
    throw new PlatError('unauthorized', 'Send the metrics token as a bearer token.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const forwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined;
  if (forwarded || !isLoopback(req.socket.remoteAddress)) {
    throw notFound('There is nothing at GET on this path. /docs lists the endpoints.');
  }
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address ?? '');
}

function sendText(res: Response, status: number, type: string, text: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}
