import { type Command, CommanderError } from 'commander';
import { type Config, loadConfig } from '../../shared/platform/config.ts';
import { createPool, IDLE_IN_TRANSACTION } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { errorCode, messageOf, PlatError, READ_ONLY } from '../../shared/platform/errors.ts';
import { createLogger, type Logger } from '../../shared/platform/log.ts';
import { assertSchemaVersion } from '../../shared/platform/migrate.ts';
import { deliver } from '../../shared/platform/queue/jobs.ts';
import { SQLSTATE } from '../../shared/platform/sqlstates.ts';
import { print } from './cli-output.ts';
import { readState } from './cli-state.ts';

export type ConnectedConfig = Config & { DATABASE_URL: string };
export type Session = { config: ConnectedConfig; db: Db; log: Logger };

/**
 * The configuration, including its database. Without DATABASE_URL, uses the running `plat up`'s database.
 * @throws PlatError `no_database`
 */
export function connectedConfig(): ConnectedConfig {
  const config = loadConfig();
  const running = config.DATABASE_URL === undefined ? readState(config) : undefined;
  const url = config.DATABASE_URL ?? running?.databaseUrl;
  if (url) return { ...config, DATABASE_URL: url };
  throw new PlatError(
    'no_database',
    running
      ? 'Plat is still starting. Try again in a moment.'
      : 'Plat is not running here, and DATABASE_URL is not set. Start it with `npm start` in another terminal, or set DATABASE_URL.',
  );
}

/** @throws PlatError `no_database`, `schema_version`, or errors from pg if the database can't be reached */
export async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = connectedConfig();
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'plat');
  const pool = createPool(config, log, {
    applicationName: 'plat cli',
    max: 4,
    // If the machine is busy, waiting is better than failing.
    connectTimeoutMs: 30_000,
    settings: IDLE_IN_TRANSACTION,
  });
  const db = new Db(pool);
  try {
    await assertSchemaVersion(db);
    return await work({ config, db, log });
  } finally {
    await pool.end();
  }
}

export const EXIT = {
  ok: 0,
  /** The work failed. The message says why. */
  failed: 1,
  /** A usage error, or a name that does not exist. */
  usage: 2,
  /** The gate blocked a run. Nothing changed, and `plat runs show` says why. */
  blocked: 3,
} as const;

/** Errors about arguments, such as names that don't exist or that already exist. */
const USAGE_CODES = new Set([
  'name',
  'not_found',
  'feed_unknown',
  'feed_missing',
  'validation_error',
  'contact_request',
  'account_unknown',
  'account_exists',
  'account_change',
  'job_ended',
  'job_open',
  'company_exists',
  'user_email',
  'user_company',
  'user_exists',
  'user_owner',
  'user_deals',
  'user_unknown',
  'tier_unknown',
  'tier_terms',
  'period_unknown',
  'key_unknown',
  'key_scopes',
]);

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof PlatError && USAGE_CODES.has(error.code)) return EXIT.usage;
  return EXIT.failed;
}

/** A command's result for scripts and for people, and its exit code if it is not 0. */
export type CommandResult = readonly [document: unknown, text: string, exitCode?: number];

/** Adds an action and --json to a command. @param work receives the command's arguments, then its flags */
export function actionWithoutDatabase<Args extends unknown[]>(
  command: Command,
  work: (...args: Args) => Promise<CommandResult>,
): void {
  command.option('--json', 'print JSON').action(async (...args: unknown[]) => {
    const [document, text, exitCode] = await work(...(args as Args));
    print(command.optsWithGlobals().json ? JSON.stringify(document, null, 2) : text);
    if (exitCode) process.exitCode = exitCode;
  });
}

/** Like `actionWithoutDatabase`, but for commands that need the database. */
export function action<Args extends unknown[]>(
  command: Command,
  work: (session: Session, ...args: Args) => Promise<CommandResult>,
): void {
  actionWithoutDatabase(command, (...args: Args) => withSession(session => work(session, ...args)));
}

export async function deliverJobs({ config, db, log }: Session, ids: string[]): Promise<void> {
  // Loaded here because loading takes a quarter of a second, and commands that only read don't need it.
  const [{ openQueueBackend, openQueues }, { allJobs }] = await Promise.all([
    import('../../shared/platform/queue/queue.ts'),
    import('../../workers/all-jobs.ts'),
  ]);
  const backend = openQueueBackend(config, log);
  try {
    await deliver(db, { queues: openQueues(backend), jobs: allJobs }, ids);
  } finally {
    await backend.close();
  }
}

const CANNOT_CONNECT =
  "Can't connect to the database. Check that it is running and that DATABASE_URL is correct.";
const LOST = 'Lost the connection to the database. Run the command again.';

/** How to fix an error, by SQLSTATE or system error code. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: CANNOT_CONNECT,
  EHOSTUNREACH: CANNOT_CONNECT,
  ENOTFOUND: CANNOT_CONNECT,
  EAI_AGAIN: CANNOT_CONNECT,
  ETIMEDOUT: CANNOT_CONNECT,
  [SQLSTATE.invalidAuthorization]: CANNOT_CONNECT,
  [SQLSTATE.invalidPassword]: CANNOT_CONNECT,
  [SQLSTATE.noDatabase]: CANNOT_CONNECT,
  ECONNRESET: LOST,
  [SQLSTATE.adminShutdown]: LOST,
  [SQLSTATE.cannotConnectNow]: 'The database is starting or stopping. Run the command again in a moment.',
  [SQLSTATE.readOnly]: `The database is read-only. ${READ_ONLY}`,
  [SQLSTATE.insufficientPrivilege]:
    'The database role in DATABASE_URL lacks a permission. Use the role that owns the tables, or grant the permission.',
  [SQLSTATE.diskFull]: "The database's disk is full. Free some space and run the command again.",
  [SQLSTATE.tooManyConnections]:
    'The database has no free connections. Stop a process, or raise max_connections in PostgreSQL.',
  ENOSPC: 'The disk is full. Free some space and run the command again.',
  EACCES: "This user doesn't have permission to read or write the file.",
};

/** The text that a command prints for an error. Includes the stack only with LOG_LEVEL=debug. */
export function errorText(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  if (error instanceof PlatError) return error.message;
  if (/^(debug|trace)$/.test(env.LOG_LEVEL ?? '') && error instanceof Error)
    return error.stack ?? error.message;
  const message = messageOf(error) || (errorCode(error) ?? 'unknown');
  const remedy = REMEDIES[errorCode(error) ?? ''];
  return remedy === undefined
    ? `Unexpected error: ${message}. Run the command again with LOG_LEVEL=debug to see where it happened.`
    : `${remedy} (${message})`;
}
