import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import type { Config } from '../shared/platform/config.ts';
import { errorCode, PlatError } from '../shared/platform/errors.ts';
import { hostError } from '../shared/platform/port.ts';
import { envelope, JSON_TYPE, validationError } from './http/error-responses.ts';
import { headersOf } from './http/headers.ts';
import { UNUSED_LIMITS } from './http/rate-limits.ts';
import type { Lifecycle } from './http/start-request.ts';

export type RunningServer = { port: number; url: string; stop(): Promise<void> };

/**
 * Load balancers keep idle connections for 60 s. Closing a connection earlier would race with the next
 * request.
 */
const KEEP_ALIVE_MS = 65_000;

/** In the query string of GET comps/, a polygon with 10,000 vertices is 330 KB when percent-encoded. */
const MAX_HEAD_BYTES = 512 * 1024;

/**
 * `stop` waits SHUTDOWN_DELAY_MS, then drains within SHUTDOWN_TIMEOUT_MS. @throws PlatError
 * `address_in_use`, `host`
 */
export async function serveHttp(app: Express, config: Config, lifecycle: Lifecycle): Promise<RunningServer> {
  const server = createServer({
    // Request bodies have their own limit (body-deadline.ts).
    requestTimeout: 0,
    headersTimeout: config.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
  });
  server.on('request', app);
  // An expectation that can't be met is ignored, as RFC 9110 allows. Node would send a bare 417.
  server.on('checkExpectation', app);
  server.on('clientError', answerMalformed);
  await listen(server, config);
  const { port } = server.address() as AddressInfo;
  lifecycle.port = port;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return {
    port,
    url: `http://${host}:${port}`,
    async stop() {
      lifecycle.leaving = true;
      if (config.SHUTDOWN_DELAY_MS > 0) await sleep(config.SHUTDOWN_DELAY_MS);
      await drain(server, lifecycle, config.SHUTDOWN_TIMEOUT_MS);
    },
  };
}

function listen(server: Server, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => reject(listenError(cause, config)));
    server.listen(config.PORT, config.HOST, resolve);
  });
}

function listenError(cause: Error, { HOST, PORT }: Config): PlatError {
  const code = errorCode(cause) ?? cause.message;
  if (code === 'EADDRINUSE')
    return new PlatError('address_in_use', `Port ${PORT} is in use. Set PORT to another port.`, { cause });
  if (code === 'EACCES') {
    const message = `This user can't listen on port ${PORT} (${code}). Set PORT to one above 1023.`;
    return new PlatError('address_in_use', message, { cause });
  }
  return hostError(HOST, code, cause);
}

/**
 * A client that has sent nothing for this long counts as idle. Before that, another request may be on its way
 * when its connection is closed.
 */
const IDLE_MS = 500;

/**
 * Waits until nothing is in progress and no request has arrived for a while, or until the timeout. Responses
 * sent in the meantime have `Connection: close`.
 */
async function drain(server: Server, lifecycle: Lifecycle, timeoutMs: number): Promise<void> {
  const since = performance.now();
  lifecycle.draining = true;
  // Don't use the HTTP server's own close(), which cuts idle connections even if a request is on its way.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  const look = setInterval(() => {
    const quietSince = Math.max(since, lifecycle.lastRequestAt);
    if (lifecycle.active === 0 && performance.now() - quietSince >= IDLE_MS) server.closeAllConnections();
  }, IDLE_MS / 10);
  await closed;
  clearTimeout(deadline);
  clearInterval(look);
}

/** Errors from Node's parser: https://nodejs.org/api/errors.html, llhttp's HPE_ codes. */
const PARSER_MESSAGES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are longer than 512 KB.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/**
 * Handles requests that are not HTTP, which never reach Express. Sends the same error envelope, then
 * disconnects.
 */
function answerMalformed(error: NodeJS.ErrnoException, stream: Duplex): void {
  const socket = stream as Socket;
  // Part of a response has already been sent, or the client has disconnected.
  if (!socket.writable || socket.bytesWritten > 0 || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const complaint = PARSER_MESSAGES[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  const body = envelope(validationError({ request: [complaint] }), requestId);
  const headers = headersOf({ requestId, rate: UNUSED_LIMITS });
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(body)));
  headers.push('Cache-Control', 'no-store', 'Connection', 'close');
  const lines = headers.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines}\r\n${body}`);
}
