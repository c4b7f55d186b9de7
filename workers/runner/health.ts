import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Pool } from '../../shared/db.ts';
import { errorCode, PlatError } from '../../shared/errors.ts';

/** `/healthz` for container health checks and `/metrics` of this process. @throws PlatError `address_in_use` */
export async function serveHealth(
  port: number,
  host: string,
  pool: Pool,
): Promise<{ port: number; close(): Promise<void> }> {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, prefix: 'plat_worker_' });
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    } else if (request.url === '/healthz') {
      const ok = await pool.query('select 1').then(
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
      const taken = errorCode(cause) === 'EADDRINUSE';
      reject(
        taken
          ? new PlatError('address_in_use', `WORKER_PORT ${port} is taken: set it to another one.`, { cause })
          : cause,
      );
    });
    server.listen(port, host, resolve);
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
