import type { Metric, Registry } from 'prom-client';

type Declaration = {
  type: 'gauge' | 'counter' | 'histogram';
  /** `process`: each API and worker has its own value. `installation`: every API returns the same value. */
  of: 'process' | 'api' | 'installation';
  labels: readonly string[];
  help: string;
};

/**
 * Every Plat metric, apart from the runtime's own. docs/operating.md lists them, and a test compares the
 * names in `ops/` with these.
 */
export const METRICS = {
  plat_build_info: {
    type: 'gauge',
    of: 'process',
    labels: ['version', 'schema'],
    help: 'Always 1. Its labels are the version of the running program and the number of the newest migration that it knows.',
  },
  plat_database_pool_connections: {
    type: 'gauge',
    of: 'process',
    labels: ['pool', 'state'],
    help: 'Open database connections of the process, by pool and state (used or idle).',
  },
  plat_database_pool_max_connections: {
    type: 'gauge',
    of: 'process',
    labels: ['pool'],
    help: 'Largest number of connections in the pool.',
  },
  plat_database_pool_waiting: {
    type: 'gauge',
    of: 'process',
    labels: ['pool'],
    help: 'Requests that are waiting for a free connection from the pool.',
  },
  plat_tokens_charged_total: {
    type: 'counter',
    of: 'process',
    labels: [],
    help: 'Tokens charged by the process since it started. Workers charge exports.',
  },
  plat_mail_failures_total: {
    type: 'counter',
    of: 'process',
    labels: [],
    help: 'Emails that the process has failed to send since it started.',
  },
  plat_http_request_duration_seconds: {
    type: 'histogram',
    of: 'api',
    labels: ['method', 'route', 'status'],
    help: 'Requests by method, route template, and status. The status is "aborted" if the client left early.',
  },
  plat_database_up: {
    type: 'gauge',
    of: 'api',
    labels: [],
    help: '1 if the database responds, otherwise 0.',
  },
  plat_database_read_only: {
    type: 'gauge',
    of: 'api',
    labels: [],
    help: '1 if the database refuses writes, otherwise 0.',
  },
  plat_schema_migrations: {
    type: 'gauge',
    of: 'api',
    labels: ['state'],
    help: 'Migrations that the program and the database do not share. missing: the database needs them. newer_expanding: the program works with them. newer_breaking: it does not.',
  },
  plat_queue_jobs: {
    type: 'gauge',
    of: 'installation',
    labels: ['queue', 'state'],
    help: 'Jobs in each queue, by state.',
  },
  plat_job_oldest_waiting_seconds: {
    type: 'gauge',
    of: 'installation',
    labels: ['name'],
    help: 'Age of the oldest job of each kind that no worker has started. Missing for kinds that have no such job.',
  },
  plat_job_duration_seconds: {
    type: 'histogram',
    of: 'installation',
    labels: ['name', 'outcome'],
    help: 'Job attempts since the installation started, by kind and outcome (done, failed, or retried).',
  },
  plat_job_rows_total: {
    type: 'counter',
    of: 'installation',
    labels: ['name', 'outcome'],
    help: 'Rows that jobs have processed.',
  },
  plat_workers: {
    type: 'gauge',
    of: 'installation',
    labels: [],
    help: 'Worker processes that are alive.',
  },
  plat_worker_deaths_total: {
    type: 'counter',
    of: 'installation',
    labels: [],
    help: 'Worker processes that died or stopped responding.',
  },
  plat_feed_last_good_run_age_seconds: {
    type: 'gauge',
    of: 'installation',
    labels: ['feed'],
    help: 'Time since the last run of each feed that merged or found nothing new. If there is no such run, time since the first run. Up to 500 feeds, scheduled and oldest first.',
  },
  plat_feed_overdue_seconds: {
    type: 'gauge',
    of: 'installation',
    labels: ['feed'],
    help: 'Time since the first scheduled run that the last good run of each feed has missed. 0 if none. Up to 500 feeds.',
  },
  plat_statistics_age_seconds: {
    type: 'gauge',
    of: 'installation',
    labels: [],
    help: 'Time since the last daily update of all statistics, or since the oldest change not yet included. Up to 8 days.',
  },
  plat_dnc_edition_age_days: {
    type: 'gauge',
    of: 'installation',
    labels: [],
    help: 'Age of the oldest Do Not Call registry data in use. Missing if there is none. Do not rely on data older than 31 days.',
  },
  plat_webhooks: {
    type: 'gauge',
    of: 'installation',
    labels: ['what'],
    help: 'Deliveries that are pending or failed, webhooks that are failing or switched_off, overdue_seconds of the oldest due delivery, and behind_seconds of the oldest change without messages.',
  },
  plat_searches: {
    type: 'gauge',
    of: 'installation',
    labels: ['what'],
    help: 'Saved searches that are behind the newest change, and behind_seconds of the oldest change that any of them has not checked.',
  },
} as const satisfies Record<string, Declaration>;

export type MetricName = keyof typeof METRICS;
export type Sample = {
  labels?: Record<string, string>;
  value: number;
  /** The name of the series, for part of a histogram. */
  metricName?: string;
};

/**
 * Counters for this process. They don't use prom-client, which takes a tenth of a second to load, because
 * commands that send email don't need it otherwise.
 */
export const processCounts = { tokensCharged: 0, mailFailures: 0 };

/** Adds a metric whose samples are read on each scrape. It is omitted if it has no samples. */
export function publish(registry: Registry, name: MetricName, samples: () => readonly Sample[]): void {
  const { help, type } = METRICS[name];
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type,
      aggregator: 'sum',
      values: samples().map(({ labels = {}, ...sample }) => ({ labels, ...sample })),
    }),
  };
  registry.registerMetric(metric as unknown as Metric);
}
