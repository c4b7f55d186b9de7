import pg from 'pg';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { alternate, type Round, withServers } from './load.ts';
import { prepareStats, STATS_PATH } from './stats-endpoint.ts';

const CONNECTIONS = 50;
const ACCOUNTS = 64;
/**
 * The rate of one server differs by a tenth from second to second with the host's speed, whichever server it is: the median of 20 ratios
 * is only sure to 0.03. So there are more of what is judged within a tenth.
 */
const HOT_ROUNDS = 40;
const ROUNDS = 20;
const SECONDS = 1;
const WARM_UP_SECONDS = 2;
const MIN_OF_BARE = 0.5;
const MIN_OF_UNMETERED = 0.9;

const BARE = 'node:http and pg sending the same stored bytes by primary key';
const UNMETERED = 'the same endpoint with everything but its charges';

/**
 * What metering costs: requests a second of the market-stats endpoint with everything on, each call a durable charge, from one account and
 * from many at once, against a bare server that sends the same bytes and against the same service without its meter. The ratios are of the
 * rounds that were run next to each other; their median counts.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async url => {
    const { keys } = await prepareStats(url, ACCOUNTS);
    return withServers(url, ['bare', 'plat', 'unmetered'], async servers => {
      const run = { path: STATS_PATH, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS };
      const hot = await alternate(servers, {
        ...run,
        rounds: options.quick ? 1 : HOT_ROUNDS,
        keys: keys.slice(0, 1),
        connections: CONNECTIONS,
      });
      const many = await alternate(servers, {
        ...run,
        rounds: options.quick ? 1 : ROUNDS,
        keys,
        connections: ACCOUNTS,
      });
      await checkCharged(url);
      const oneAccount = `market-stats at ${CONNECTIONS} connections, one hot account, metered: requests a second`;
      const manyAccounts = `market-stats from ${ACCOUNTS} accounts at once, metered: requests a second`;
      return [
        compare(oneAccount, hot.plat, hot.bare, BARE, MIN_OF_BARE),
        compare(oneAccount, hot.plat, hot.unmetered, UNMETERED, MIN_OF_UNMETERED),
        compare(manyAccounts, many.plat, many.bare, BARE, MIN_OF_BARE, {
          'of the unmetered': ratio(many.plat, many.unmetered).toFixed(2),
        }),
      ];
    });
  });
}

const ratiosOf = (plat: Round[], other: Round[]) =>
  plat.map((round, n) => round.requests / other[n]!.requests);
const ratio = (plat: Round[], other: Round[]) => median(ratiosOf(plat, other));

function compare(
  name: string,
  plat: Round[],
  other: Round[],
  reference: string,
  least: number,
  more: Record<string, string> = {},
): BenchResult {
  const ratios = ratiosOf(plat, other);
  const rate = (rounds: Round[]) => Math.round(median(rounds.map(round => round.requests)));
  const p99 = (rounds: Round[]) => median(rounds.map(round => round.p99));
  return judged(
    {
      ...{ name, reference, value: ratio(plat, other), unit: 'x' },
      details: {
        ...{ 'requests/s': rate(plat), 'reference requests/s': rate(other) },
        ...{ 'p99 ms': p99(plat), 'reference p99 ms': p99(other) },
        ...{ lowest: Math.min(...ratios).toFixed(2), highest: Math.max(...ratios).toFixed(2) },
        ...more,
        rounds: `${plat.length} of ${SECONDS} s each, alternating; median of their ratios`,
      },
    },
    { least },
  );
}

/** The figures would mean nothing if the calls had not been charged. */
async function checkCharged(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ uncharged: number; tokens: number; daily: number }>(
      `select count(*) filter (where tokens_used = 0)::int as uncharged, sum(tokens_used)::float8 as tokens,
         (select sum(tokens)::float8 from usage_daily) as daily from usage_periods`,
    );
    const { uncharged, tokens, daily } = rows[0]!;
    if (uncharged > 0 || tokens !== daily) throw new Error('Not every call of the bench was charged.');
  } finally {
    await client.end();
  }
}
