import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { alternate, type Round, withServers } from './load.ts';
import { prepareStats, STATS_PATH } from './stats-endpoint.ts';

const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MIN_RATIO = 0.5;
const MAX_P99_RATIO = 3;

/**
 * Requests a second and p99 of the market-stats endpoint with everything on (authentication, rate limit, metering with a
 * durable commit) against a bare server that sends the same bytes. Rounds alternate, so that a slow minute of the machine
 * hits both; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async url => {
    const { keys, bytes } = await prepareStats(url, 1);
    return withServers(url, ['bare', 'plat'], async servers => {
      const { plat, bare } = await alternate(servers, {
        ...{ path: STATS_PATH, keys, connections: CONNECTIONS, seconds: SECONDS },
        ...{ rounds: options.quick ? 1 : ROUNDS, warmUpSeconds: WARM_UP_SECONDS },
      });
      return compare(plat, bare, bytes);
    });
  });
}

function compare(plat: Round[], bare: Round[], bytes: number): BenchResult[] {
  const requests = {
    plat: median(plat.map(round => round.requests)),
    bare: median(bare.map(round => round.requests)),
  };
  const p99 = { plat: median(plat.map(round => round.p99)), bare: median(bare.map(round => round.p99)) };
  const name = `market-stats endpoint at ${CONNECTIONS} connections, authenticated, limited, metered`;
  const reference = 'node:http and pg sending the same stored bytes by primary key';
  return [
    judged(
      {
        name: `${name}: requests a second`,
        reference,
        value: requests.plat / requests.bare,
        unit: 'x',
        details: {
          'requests/s': Math.round(requests.plat),
          'reference requests/s': Math.round(requests.bare),
          'response bytes': bytes,
          rounds: `${plat.length} of ${SECONDS} s each, alternating; medians`,
        },
      },
      { least: MIN_RATIO },
    ),
    judged(
      {
        name: `${name}: p99`,
        reference,
        value: p99.plat / p99.bare,
        unit: 'x',
        details: { 'p99 ms': p99.plat, 'reference p99 ms': p99.bare },
      },
      { most: MAX_P99_RATIO },
    ),
  ];
}
