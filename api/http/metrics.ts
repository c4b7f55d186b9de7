import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Pool } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { METRICS } from '../../shared/platform/declared-metrics.ts';
import { publishProcess } from '../../shared/platform/process-metrics.ts';
import { type MeasuredQueue, publishInstallation } from './installation-metrics.ts';

export type Metrics = {
  observe(method: string, route: string, status: string, seconds: number): void;
  /** The metrics in the exposition format, and the content type. */
  render(): Promise<{ text: string; type: string }>;
};

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE']);

/**
 * Metrics for this process's requests and connections, and for the whole installation.
 * @param pools this process's pools, by name
 * @param metricsPool the pool that reads the state of the installation
 */
export function createMetrics(
  pools: Readonly<Record<string, Pool>>,
  metricsPool: Pool,
  queues: readonly MeasuredQueue[],
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { help, labels } = METRICS.plat_http_request_duration_seconds;
  const requests = new Histogram({
    name: 'plat_http_request_duration_seconds',
    help,
    labelNames: labels,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  publishProcess(registry, pools);
  const refresh = publishInstallation(registry, new Db(metricsPool), queues);

  return {
    observe(method, route, status, seconds) {
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds);
    },
    async render() {
      await refresh();
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}
