import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export type TestServer = { origin: string; requests: IncomingMessage[]; close(): Promise<void> };

/** A local HTTP server. `count` is the request's number, starting at 1. */
export async function serve(handler: Handler, host = '127.0.0.1'): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

/**
 * Sends the requested part of a file.
 * @returns the positions of its first and last byte, or undefined, without sending a response, if the request
 * has no range
 */
export function sendRange(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  headers: Record<string, string> = {},
): [first: number, last: number] | undefined {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) return undefined;
  const [first, last] = [Number(from), Math.min(Number(to), bytes.length - 1)];
  response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${bytes.length}`, ...headers });
  response.end(bytes.subarray(first, last + 1));
  return [first, last];
}
