import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry as Metrics } from 'prom-client';
import type { Config } from '../shared/platform/config.ts';
import type { Pool } from '../shared/platform/connection-pool.ts';
import { errorCode, PlatError } from '../shared/platform/errors.ts';
import { metricsAccess } from '../shared/platform/metrics-access.ts';
import { publishProcess } from '../shared/platform/process-metrics.ts';

export type HealthServer = { port: number; close(): Promise<void> };

/** For container health checks and metrics of this process. @throws PlatError `address_in_use` */
export async function serveHealth(port: number, config: Config, db: Pool): Promise<HealthServer> {
  const metrics = new Metrics();
  collectDefaultMetrics({ register: metrics, prefix: 'plat_worker_' });
  publishProcess(metrics, { worker: db });
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') {
      const access = metricsAccess(request, config);
      if (access === 'none') response.writeHead(404).end();
      else if (access === 'unauthorized') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    } else if (request.url === '/healthz') {
      const ok = await db.query('select 1').then(
        () => true,
        () => false,
      );
      response.writeHead(ok ? 200 : 503).end(ok ? 'ok\n' : 'no database\n');
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause => {
      const inUse = errorCode(cause) === 'EADDRINUSE';
      reject(
        inUse
          ? new PlatError('address_in_use', `WORKER_PORT ${port} is taken: set it to another one.`, { cause })
          : cause,
      );
    });
    server.listen(port, config.HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
