import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Database } from './database.ts';

/** What /metrics needs of a BullMQ queue. */
export type MeasuredQueue = {
  name: string;
  getJobCounts(...states: 'waiting'[]): Promise<Record<string, number>>;
};

export type Metrics = {
  observe(method: string, route: string, status: string, seconds: number): void;
  /** The exposition format, and its content type. */
  render(): Promise<{ text: string; type: string }>;
};

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE']);
/** Completed jobs are counted in table job_totals; counting them in the queue would read all of them. */
const QUEUE_STATES = ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'paused', 'failed'];
/** The upper bounds of job_totals.le, in seconds. */
const JOB_BOUNDS = [0.1, 1, 10, 60, 600, '+Inf'];

type JobTotals = {
  name: string;
  outcome: string;
  jobs: number;
  seconds: number;
  rows: number /** pg leaves the elements of a bigint[] as text. */;
  le: string[];
};

/**
 * Requests of this process, jobs and queues of the whole installation; what cannot be asked now is left out.
 */
export function createMetrics(database: Database, queues: readonly MeasuredQueue[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'plat_http_request_duration_seconds',
    help: 'Requests by method, route template and status; "aborted" when the client left before the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('plat_database_up', '1 when the database answered.');
  const registryAge = gauge(
    'plat_dnc_edition_age_days',
    'Days since the oldest edition of the Do Not Call registry that is in use; missing without one. Over 31 it may not be relied on.',
  );
  const webhooks = gauge(
    'plat_webhooks',
    'Deliveries to webhooks that are pending or have failed, webhooks that fail or were switched off for it, and seconds that deliveries to others are overdue and changes behind.',
    'what',
  );
  const searches = gauge(
    'plat_searches',
    'Saved searches that have not looked at all changes, and seconds since the oldest of these.',
    'what',
  );
  const depth = gauge('plat_queue_jobs', 'Jobs in a queue by state.', 'queue', 'state');
  const rows = new Counter({
    name: 'plat_job_rows_total',
    help: 'Rows that jobs have processed.',
    labelNames: ['name', 'outcome'],
    registers: [registry],
  });
  let totals: JobTotals[] = [];
  registry.registerMetric(jobDurations(() => totals));

  async function tell(told: Gauge<'what'>, name: string): Promise<void> {
    told.reset();
    const [row] = await database.run<Record<string, number>>(name).catch(() => []);
    for (const [what, value] of Object.entries(row ?? {})) told.set({ what }, value);
  }

  async function refresh(): Promise<void> {
    const read = await database.run<JobTotals>('accounts/read_job_totals').catch(() => undefined);
    up.set(read === undefined ? 0 : 1);
    const dnc = await database
      .run<{ age_days: number | null }>('contacts/summarise_registry')
      .catch(() => []);
    if (dnc[0]?.age_days != null) registryAge.set(dnc[0].age_days);
    else registryAge.remove();
    await tell(webhooks, 'webhooks/summarise_deliveries');
    await tell(searches, 'searches/summarise_lag');
    totals = read ?? [];
    rows.reset();
    for (const total of totals) rows.inc({ name: total.name, outcome: total.outcome }, total.rows);
    depth.reset();
    await Promise.all(queues.map(queue => measure(queue, depth).catch(() => undefined)));
  }

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

/** With Redis away the counts would come when it is back, but Prometheus waits for ten seconds by default. */
const MEASURE_MS = 5_000;

async function measure(queue: MeasuredQueue, depth: Gauge<'queue' | 'state'>): Promise<void> {
  const jobCounts = queue.getJobCounts(...(QUEUE_STATES as 'waiting'[]));
  const counts = await Promise.race([jobCounts, sleep(MEASURE_MS, {}, { ref: false })]);
  for (const [state, count] of Object.entries(counts)) depth.set({ queue: queue.name, state }, count);
}

/**
 * A histogram whose counts are kept in the database: prom-client can only observe, so its rows are
 * given as they are.
 */
function jobDurations(totals: () => JobTotals[]): Metric {
  const name = 'plat_job_duration_seconds';
  const metric = {
    name,
    get: async () => ({
      name,
      help: 'Attempts of jobs by name and outcome.',
      type: 'histogram',
      aggregator: 'sum',
      values: totals().flatMap(({ name: job, outcome, jobs, seconds, le }) => [
        ...JOB_BOUNDS.map((bound, index) => ({
          metricName: `${name}_bucket`,
          labels: { name: job, outcome, le: bound },
          value: Number(le[index] ?? 0),
        })),
        { metricName: `${name}_sum`, labels: { name: job, outcome }, value: seconds },
        { metricName: `${name}_count`, labels: { name: job, outcome }, value: jobs },
      ]),
    }),
  };
  return metric as unknown as Metric;
}
