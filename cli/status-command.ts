import type { Command } from 'commander';
import { describeDisk } from '../shared/platform/disk.ts';
import { listDisks, localDataDirectory, type NamedDisk } from '../shared/platform/disks.ts';
import { READ_ONLY } from '../shared/platform/errors.ts';
import type { JobState } from '../shared/platform/queue/jobs.ts';
import { listPreparedTransactions, listSharded, type ShardedTable } from '../shared/platform/shards.ts';
import { wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import { action, type ConnectedConfig } from './common/cli-session.ts';
import { readState } from './common/cli-state.ts';
import { jobsTable } from './jobs-command.ts';

type Registry = { areas: number; numbers: number; edition: string | null; age_days: number | null };

type Server = { read_only: boolean; connections: number; max_connections: number };

/** With fewer free connections, the next process may not get one. */
const FEW_CONNECTIONS = 5;

/** The maximum age of a copy of the Do Not Call registry: 16 CFR 310.4(b)(3)(iv). */
const MAX_DNC_DAYS = 31;

/** Citus resolves transactions left by a crash within a minute (citus.recover_2pc_interval). */
const STUCK_MINUTES = 5;

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description('show what is loaded, what the workers are doing, and what needs attention')
    .option('--jobs <n>', 'number of jobs to show', wholeNumber, 10)
    .addHelpText('after', '\nExamples:\n  plat status\n  plat status --jobs 50 --json');
  action(status, async ({ db, config }, { jobs: limit }: { jobs: number }) => {
    const [overview] = await db.run<Record<string, number | string>>('queue/get_overview');
    const jobs = await db.run<JobState>('queue/list_jobs', { limit, status: null });
    const api = readState(config)?.apiUrl ?? null;
    const redis = await stateOfRedis(config);
    const disks = await listDisks(config, await localDataDirectory(db, config)).catch(() => []);
    const server = (await db.run<Server>('platform/summarise_server'))[0]!;
    const { workers } = (await db.run<{ workers: number }>('queue/summarise_workers'))[0]!;
    const [dnc] = await db.run<Registry>('contacts/summarise_registry');
    const shards = await listSharded(db);
    const prepared = await listPreparedTransactions(db, STUCK_MINUTES);
    const { areas, numbers, edition, age_days } = dnc!;
    const figures: Record<string, number | string> = {
      api: api ?? 'not started with `npm start`',
      redis: redis ?? 'not used (REDIS_URL is not set)',
      database: `${server.read_only ? 'read-only' : 'writable'}, ${server.connections} of ${server.max_connections} connections`,
      workers,
      ...overview,
      ...(areas > 0 && {
        do_not_call: `${numbers.toLocaleString('en-US')} numbers in ${areas} area codes as of ${edition}`,
      }),
    };
    const lines = Object.entries(figures).map(
      ([name, value]) => `${name.replaceAll('_', ' ').padEnd(24)} ${value.toLocaleString('en-US')}`,
    );
    for (const disk of disks) lines.push(`${'disk'.padEnd(24)} ${describeNamed(disk)}`);
    if (shards.length > 0) lines.push('', shardsTable(shards));
    lines.push('', jobsTable(jobs));
    if (age_days !== null && age_days > MAX_DNC_DAYS)
      printNote(
        `the copy of the Do Not Call Registry is ${age_days} days old. It must be at most ${MAX_DNC_DAYS} days old when you call (16 CFR 310.4(b)(3)(iv)). Load a newer copy.`,
      );
    for (const { node, gid, minutes } of prepared)
      printNote(
        `the transaction ${gid} has been prepared on ${node} for ${minutes} minutes, and its rows are locked. On the coordinator, run: select recover_prepared_transactions(). If it remains, see docs/scale.md.`,
      );
    noteServer(server);
    for (const disk of disks)
      if (disk.low)
        printNote(
          `the disk is ${disk.full ? 'full' : 'nearly full'}: ${describeNamed(disk)}. Jobs pause while it is full. Free some space.`,
        );
    const document = { api, redis, workers, ...overview, dnc, server, disks, shards, prepared, jobs };
    return [document, lines.join('\n')];
  });
}

const describeNamed = (disk: NamedDisk): string => `${describeDisk(disk)} (${disk.holds.join(', ')})`;

function noteServer({ read_only, connections, max_connections }: Server): void {
  if (read_only) printNote(`the database is read-only, so Plat can't charge calls or run jobs. ${READ_ONLY}`);
  const free = Math.max(0, max_connections - connections);
  if (free < FEW_CONNECTIONS)
    printNote(
      `only ${free} of ${max_connections} database connections are free. Raise max_connections in PostgreSQL, or lower DB_POOL_SIZE or the number of workers.`,
    );
}

const shardsTable = (tables: ShardedTable[]) =>
  table(
    tables.map(({ bytes, largest, ...rest }) => ({
      ...rest,
      size: megabytes(bytes),
      largest_shard: megabytes(largest),
    })),
    ['table', 'key', 'shards', 'nodes', 'size', 'largest_shard'],
  );

const megabytes = (bytes: number) =>
  `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;

/** Returns null if REDIS_URL is not set. */
async function stateOfRedis({ REDIS_URL }: ConnectedConfig): Promise<'reachable' | 'unreachable' | null> {
  if (REDIS_URL === undefined) return null;
  // Loaded only when needed, because loading takes a tenth of a second.
  const { Redis } = await import('ioredis');
  const redis = new Redis(REDIS_URL, { lazyConnect: true, connectTimeout: 2_000, retryStrategy: () => null });
  // An unhandled error would end the process. An unreachable server is a valid result here.
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.ping();
    return 'reachable';
  } catch {
    return 'unreachable';
  } finally {
    redis.disconnect();
  }
}
