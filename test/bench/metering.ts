import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { alternate, type Round, withServers } from './load.ts';
import { prepareStats, STATS_PATH } from './stats-endpoint.ts';

const CONNECTIONS = 50;
const ACCOUNTS = 64;
/**
 * A server's rate varies by a tenth from second to second, as the host's speed changes. Two processes of the
 * same server differ by about 5 % for as long as they run, because V8 optimizes them differently. So
 * comparisons within a tenth are measured over several starts.
 */
const STARTS = 5;
const HOT_ROUNDS = 10;
const ROUNDS = 20;
const SECONDS = 1;
const WARM_UP_SECONDS = 2;
const MIN_OF_BARE = 0.5;
const MAX_P99_OF_BARE = 3;
const MIN_OF_UNMETERED = 0.9;

const BARE = 'node:http and pg sending the same stored bytes by primary key';
const UNMETERED = 'the same endpoint with everything but its charges';

/**
 * Measures the cost of metering: requests per second at the market-stats endpoint with everything on and a
 * durable charge per call, from one account and from many at once. Compared with a bare server that sends the
 * same bytes, and with the same service without its meter. Each ratio compares two adjacent rounds. The
 * result is the median ratio.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async (url, pool) => {
    const { keys } = await prepareStats(pool, ACCOUNTS);
    const run = { path: STATS_PATH, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS };
    const starts: Results[] = [];
    for (let n = 0; n < (options.quick ? 1 : STARTS); n++)
      starts.push(
        await withServers(url, SERVERS, servers =>
          alternate(servers, {
            ...run,
            rounds: options.quick ? 1 : HOT_ROUNDS,
            keys: keys.slice(0, 1),
            connections: CONNECTIONS,
          }),
        ),
      );
    const hot = together(starts);
    const many = await withServers(url, SERVERS, servers =>
      alternate(servers, { ...run, rounds: options.quick ? 1 : ROUNDS, keys, connections: ACCOUNTS }),
    );
    await checkCharged(pool);
    const oneAccount = `market-stats at ${CONNECTIONS} connections, one hot account, metered: requests a second`;
    const manyAccounts = `market-stats from ${ACCOUNTS} accounts at once, metered: requests a second`;
    return [
      compare(oneAccount, hot.plat, hot.bare, BARE, MIN_OF_BARE),
      judged(
        {
          name: `market-stats at ${CONNECTIONS} connections, one hot account, metered: p99`,
          reference: BARE,
          value: p99(hot.plat) / p99(hot.bare),
          unit: 'x',
          details: { 'p99 ms': p99(hot.plat), 'reference p99 ms': p99(hot.bare) },
        },
        { most: MAX_P99_OF_BARE },
      ),
      compare(oneAccount, hot.plat, hot.unmetered, UNMETERED, MIN_OF_UNMETERED, {
        'starts of the servers': starts
          .map(({ plat, unmetered }) => ratio(plat, unmetered).toFixed(2))
          .join(', '),
      }),
      compare(manyAccounts, many.plat, many.bare, BARE, MIN_OF_BARE, {
        'of the unmetered': ratio(many.plat, many.unmetered).toFixed(2),
      }),
    ];
  });
}

const SERVERS = ['bare', 'plat', 'unmetered'] as const;
type Results = Record<(typeof SERVERS)[number], Round[]>;

function together(starts: Results[]): Results {
  const all = (name: keyof Results) => starts.flatMap(results => results[name]);
  return { bare: all('bare'), plat: all('plat'), unmetered: all('unmetered') };
}

const p99 = (rounds: Round[]) => median(rounds.map(round => round.p99));
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
  return judged(
    {
      name,
      reference,
      value: ratio(plat, other),
      unit: 'x',
      details: {
        'requests/s': rate(plat),
        'reference requests/s': rate(other),
        'p99 ms': p99(plat),
        'reference p99 ms': p99(other),
        lowest: Math.min(...ratios).toFixed(2),
        highest: Math.max(...ratios).toFixed(2),
        ...more,
        rounds: `${plat.length} of ${SECONDS} s each, alternating; median of their ratios`,
      },
    },
    { least },
  );
}

/** The figures would be meaningless if the calls had not been charged. */
async function checkCharged(pool: TestDb): Promise<void> {
  const { rows } = await pool.query<{ uncharged: number; tokens: number; daily: number }>(
    `select count(*) filter (where tokens_used = 0)::int as uncharged, sum(tokens_used)::float8 as tokens,
         (select sum(tokens)::float8 from usage_daily) as daily from usage_periods`,
  );
  const { uncharged, tokens, daily } = rows[0]!;
  if (uncharged > 0 || tokens !== daily) throw new Error('Not every call of the bench was charged.');
}
