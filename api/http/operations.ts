import { type Request, type Response, Router } from 'express';
import type { Config } from '../../shared/platform/config.ts';
import type { Pool } from '../../shared/platform/connection-pool.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { metricsAccess } from '../../shared/platform/metrics-access.ts';
import { unavailable } from './database.ts';
import { answerGet, notFound } from './error-responses.ts';
import type { Metrics } from './metrics.ts';
import { checkReady, type Ready } from './readiness.ts';
import type { Lifecycle } from './start-request.ts';

export type OperationsDeps = {
  pool: Pool;
  metrics: Metrics;
  lifecycle: Lifecycle;
  config: Config;
};

/** Endpoints for operations: /healthz, /readyz, and /metrics. */
export function operations({ pool, metrics, lifecycle, config }: OperationsDeps): Router {
  const router = Router({ caseSensitive: true });

  answerGet(router, '/healthz', async (_req, res) =>
    sendText(res, 200, 'application/json', '{"status":"ok"}'),
  );

  // Concurrent requests share one check of the database.
  let checking: Promise<Ready> | undefined;
  answerGet(router, '/readyz', async (_req, res) => {
    if (lifecycle.leaving) throw unavailable('The service is shutting down.');
    checking ??= checkReady(pool, config).finally(() => {
      checking = undefined;
    });
    sendText(res, 200, 'application/json', JSON.stringify(await checking));
  });

  answerGet(router, '/metrics', async (req, res) => {
    requireMetricsAccess(req, config);
    const { text, type } = await metrics.render();
    sendText(res, 200, type, text);
  });

  return router;
}

function requireMetricsAccess(req: Request, config: Config): void {
  const access = metricsAccess(req, config);
  if (access === 'none') throw notFound('No endpoint matches GET on this path. /docs lists the endpoints.');
  if (access === 'unauthorized')
    throw new PlatError('unauthorized', 'Send the metrics token as a bearer token.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
}

function sendText(res: Response, status: number, type: string, text: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}
