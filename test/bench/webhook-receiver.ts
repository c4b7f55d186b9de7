// The benchmark's receiver, in its own process. Responds with 204, and prints the times when the first
// message and when all `COUNT` messages have arrived, counted by id.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const wanted = Number(process.env.COUNT);
let seen = new Set<string>();
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(204).end());
  if (seen.size === 0) process.stdout.write(`first ${Date.now()}\n`);
  seen.add(`${request.url} ${request.headers['webhook-id']}`);
  if (seen.size < wanted) return;
  process.stdout.write(`all ${Date.now()}\n`);
  seen = new Set();
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
process.on('SIGTERM', () => process.exit(0));
