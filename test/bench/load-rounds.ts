// Runs rounds of autocannon on several servers in turn, in its own process, which is warm after the first
// round: `tsx load-rounds.ts '{"urls": {…}, "keys": […], "connections", "seconds", "rounds",
// "warmUpSeconds"}'`. Prints the rounds of each server as JSON.
import autocannon from 'autocannon';
import type { Round } from './load.ts';

type Options = {
  urls: Record<string, string>;
  keys: string[];
  connections: number;
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
};

const { urls, keys, connections, seconds, rounds, warmUpSeconds } = JSON.parse(process.argv[2]!) as Options;

async function round(url: string, duration: number): Promise<Round> {
  let connection = 0;
  const result = await autocannon({
    url,
    connections,
    duration,
    setupClient: client => client.setHeaders({ Authorization: `Bearer ${keys[connection++ % keys.length]}` }),
  });
  return {
    requests: result.requests.total / result.duration,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

const names = Object.keys(urls);
const results: Record<string, Round[]> = Object.fromEntries(names.map(name => [name, []]));
for (const name of names) await round(urls[name]!, warmUpSeconds);
for (let n = 0; n < rounds; n++) {
  // Every other round runs in reverse order, so that no server always follows the same one.
  for (const name of n % 2 ? names.toReversed() : names)
    results[name]!.push(await round(urls[name]!, seconds));
}
process.stdout.write(JSON.stringify(results));
