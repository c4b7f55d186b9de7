// One round of autocannon: `tsx load-round.ts '{"url", "connections", "seconds", "keys"}'`; its Round as JSON on standard output.
import autocannon from 'autocannon';
import type { Round } from './load.ts';

type Options = { url: string; connections: number; seconds: number; keys: string[] };

const { url, connections, seconds, keys } = JSON.parse(process.argv[2]!) as Options;
let connection = 0;
const { requests, latency, non2xx, errors } = await autocannon({
  url,
  connections,
  duration: seconds,
  setupClient: client => client.setHeaders({ Authorization: `Bearer ${keys[connection++ % keys.length]}` }),
});
const round: Round = { requests: requests.average, p99: latency.p99, failed: non2xx + errors };
process.stdout.write(JSON.stringify(round));
