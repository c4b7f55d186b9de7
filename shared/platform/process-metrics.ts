import type { Registry } from 'prom-client';
import type { Pool } from './connection-pool.ts';
import { processCounts, publish } from './declared-metrics.ts';
import { newestMigration } from './migrate.ts';
import { version } from './root.ts';

/** The metrics that every API and worker publishes about itself. `pools` has its connection pools by name. */
export function publishProcess(registry: Registry, pools: Readonly<Record<string, Pool>>): void {
  const ofPools = (values: (pool: Pool) => { value: number; state?: string }[]) => () =>
    Object.entries(pools).flatMap(([name, pool]) =>
      values(pool).map(({ value, ...labels }) => ({ labels: { pool: name, ...labels }, value })),
    );
  const build = { version, schema: newestMigration() };
  publish(registry, 'plat_build_info', () => [{ labels: build, value: 1 }]);
  publish(
    registry,
    'plat_database_pool_connections',
    ofPools(({ totalCount, idleCount }) => [
      { state: 'used', value: totalCount - idleCount },
      { state: 'idle', value: idleCount },
    ]),
  );
  publish(
    registry,
    'plat_database_pool_max_connections',
    ofPools(({ options }) => [{ value: options.max }]),
  );
  publish(
    registry,
    'plat_database_pool_waiting',
    ofPools(({ waitingCount }) => [{ value: waitingCount }]),
  );
  publish(registry, 'plat_tokens_charged_total', () => [{ value: processCounts.tokensCharged }]);
  publish(registry, 'plat_mail_failures_total', () => [{ value: processCounts.mailFailures }]);
}
