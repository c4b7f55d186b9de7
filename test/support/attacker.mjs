// Keeps calls in flight, in its own process so that it does not slow down the process that measures
// (attack.ts).
import { Agent, request } from 'node:http';

process.once('message', ({ url, headers = {}, body, readsSlowly = false, inFlight }) => {
  const agent = new Agent({ keepAlive: !readsSlowly, maxSockets: inFlight });
  const statuses = new Set();
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const options = { agent, method: body === undefined ? 'GET' : 'POST', headers: { ...headers, ...length } };

  // Slow readers need the file. When one is refused, it waits as Retry-After says and tries again, as
  // download programs do.
  const retryAfterMs = ({ headers }) => (readsSlowly ? 1000 * Number(headers['retry-after'] ?? 0) : 0);

  function call() {
    const asked = request(url, options, response => {
      statuses.add(response.statusCode);
      if (readsSlowly && response.statusCode < 300) response.pause();
      else response.resume().on('end', () => setTimeout(call, retryAfterMs(response)));
    });
    asked.on('error', call);
    asked.end(body);
  }

  for (let i = 0; i < inFlight; i++) call();
  process.once('message', () => process.send([...statuses], () => process.exit(0)));
  process.send('started');
});
