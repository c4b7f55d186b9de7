import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../shared/platform/config.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { onServer, withDatabase } from '../support/server.ts';
import { openTestDb, type TestDb } from '../support/test-db.ts';

export type BenchOptions = {
  /** Uses small sizes, just to check that the benchmark runs. The figures are meaningless. */
  quick: boolean;
  /** The database server to measure on. `withBenchDatabase` creates databases on it. */
  serverUrl: string;
  /** A folder for large files, deleted after the run. */
  folder: string;
  /** Logs progress to standard error. */
  note(line: string): void;
};

export type BenchResult = {
  name: string;
  /** What the value is compared with, measured in the same run. Empty for a standalone figure. */
  reference: string;
  value: number;
  unit: 'x' | 'MB' | 'B' | 'ms' | '%' | 'million/s';
  /** The target as text: 'at most 3.0 x'. */
  reach: string;
  pass: boolean;
  /** The times and counts that the value is based on. */
  details: Record<string, number | string>;
};

export type Bench = (options: BenchOptions) => Promise<BenchResult | BenchResult[]>;

/**
 * Creates and migrates a database on the bench server and opens a pool to it. Closes the pool and drops the
 * database afterward.
 */
export async function withBenchDatabase<T>(
  options: BenchOptions,
  work: (url: string, pool: TestDb) => Promise<T>,
): Promise<T> {
  const name = `plat_bench_${randomBytes(4).toString('hex')}`;
  await onServer(options.serverUrl, client => client.query(`create database ${name}`));
  try {
    const url = withDatabase(options.serverUrl, name);
    await migrate(url);
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
    const pool = openTestDb(config, {
      applicationName: 'plat bench',
      max: 12,
    });
    try {
      return await work(url, pool);
    } finally {
      await pool.end();
    }
  } finally {
    await onServer(options.serverUrl, client => client.query(`drop database if exists ${name} with (force)`));
  }
}

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Runs `work` and returns how many milliseconds it took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A result whose value must be no more than `most`, or no less than `least`. */
export function judged(
  result: Omit<BenchResult, 'reach' | 'pass'>,
  limit: { most: number } | { least: number },
): BenchResult {
  const { value, unit } = result;
  const digits = unit === 'x' || unit === 'million/s' ? 1 : 0;
  return 'most' in limit
    ? { ...result, reach: `at most ${limit.most.toFixed(digits)} ${unit}`, pass: value <= limit.most }
    : { ...result, reach: `at least ${limit.least.toFixed(digits)} ${unit}`, pass: value >= limit.least };
}
