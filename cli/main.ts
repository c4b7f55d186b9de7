import { Command, CommanderError } from 'commander';
import { loadConfig } from '../shared/platform/config.ts';
import { createPool, RANDOM_PAGE_COST } from '../shared/platform/connection-pool.ts';
import { Db } from '../shared/platform/db.ts';
import { errorCode } from '../shared/platform/errors.ts';
import { createLogger } from '../shared/platform/log.ts';
import { assertSchemaVersion, listPending, migrate } from '../shared/platform/migrate.ts';
import { version } from '../shared/platform/root.ts';
import { type Distributed, distribute, listNodePageCosts } from '../shared/platform/shards.ts';
import { addAccountCommands } from './account-command.ts';
import { addBacktestCommands } from './backtest-command.ts';
import { addChangesCommand } from './changes-command.ts';
import { wholeNumber } from './common/cli-options.ts';
import { printNote, regionsLine } from './common/cli-output.ts';
import {
  actionWithoutDatabase,
  type CommandResult,
  connectedConfig,
  EXIT,
  errorText,
  exitCodeOf,
} from './common/cli-session.ts';
import { addContactCommands } from './contact-command.ts';
import { addCountyCommands } from './county-command.ts';
import { addDealCommands } from './deal-command.ts';
import { addExportCommands } from './export-command.ts';
import { addFeedCommands } from './feed-command.ts';
import { addJobCommands } from './jobs-command.ts';
import { addKeyCommands } from './key-command.ts';
import { addMcpCommand } from './mcp-command.ts';
import { addParcelCommands } from './parcel-command.ts';
import { addRecomputeCommands } from './recompute-command.ts';
import { addRunCommands } from './runs-command.ts';
import { addStatusCommand } from './status-command.ts';
import { addTierCommands } from './tier-command.ts';
import { runService } from './up/supervisor.ts';
import { addUsageCommand } from './usage-command.ts';
import { addUserCommands } from './user-command.ts';
import { addWebhookCommands } from './webhooks-command.ts';

const HELP = `
Examples:
  npm start                                 run everything on this machine, with sample data
  plat county add 55025 --run --wait        write a county's feeds and load them
  plat feed check feeds/my-county.yaml      show what a roll would map to
  plat feed run my-county --wait            load it
  plat runs                                 list what each run did
  plat recompute stats --fips 33019 --wait
  plat backtest valuations --from 2012-01-01
  plat account create acme && plat key create acme

Exit codes: 0 done, 1 failed, 2 usage error or unknown name, 3 blocked by the gate.
Settings: see .env.example`;

export function createProgram(): Command {
  const program = new Command('plat')
    .description('load US land-parcel data, and serve it over an API and a web app')
    .version(version)
    .addHelpText('after', HELP)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .on('beforeAllHelp', ({ command }: { command: Command }) => refuseUnknown(command));

  program
    .command('up')
    .description(
      'run everything: PostgreSQL (unless DATABASE_URL is set), migrations, the sample on the first start, workers, and the API',
    )
    .action(async () => (await import('./up/up-command.ts')).up(loadConfig()));
  const migration = program
    .command('migrate')
    .option('--distribute', 'on Citus: distribute the large tables over the nodes')
    .option('--dry-run', 'list the migrations that would run; stop all processes before a breaking one')
    .option('--shards <n>', 'with --distribute: number of shards per table (default: 32)', wholeNumber)
    .description('update the database to the latest schema, and load counties and ZIP codes')
    .addHelpText(
      'after',
      '\nExample for a Citus cluster, empty or with data:\n  plat migrate --distribute --shards 64',
    );
  actionWithoutDatabase(migration, migrateCommand);
  program
    .command('api')
    .description('run only the API, on PORT')
    .action(() => runService('api', connectedConfig()));
  program
    .command('worker')
    .description('run one worker process, with /healthz and /metrics on WORKER_PORT if it is set')
    .addHelpText('after', '\nExample, to add a worker to `npm start`:\n  plat worker')
    .action(() => runService('worker', connectedConfig()));
  addCountyCommands(program);
  addFeedCommands(program);
  addRunCommands(program);
  addChangesCommand(program);
  addRecomputeCommands(program);
  addBacktestCommands(program);
  addParcelCommands(program);
  addExportCommands(program);
  addStatusCommand(program);
  addJobCommands(program);
  addDealCommands(program);
  addAccountCommands(program);
  addKeyCommands(program);
  addUserCommands(program);
  addTierCommands(program);
  addContactCommands(program);
  addUsageCommand(program);
  addWebhookCommands(program);
  addMcpCommand(program);
  return program;
}

type MigrateFlags = { distribute?: boolean; shards?: number; dryRun?: boolean };

async function migrateCommand(flags: MigrateFlags): Promise<CommandResult> {
  const config = connectedConfig();
  if (flags.dryRun) {
    const pending = await listPending(config.DATABASE_URL);
    const lines = pending.map(({ name, kind }) => `${name}: ${kind}`);
    return [{ pending }, lines.join('\n') || 'The schema is up to date.'];
  }
  const applied = await migrate(config.DATABASE_URL, { say: printNote });
  const { loadRegions } = await import('../workers/regions/load-regions.ts');
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'plat');
  const pool = createPool(config, log, { applicationName: 'plat migrate', max: 2 });
  const db = new Db(pool);
  try {
    const regions = await loadRegions(db);
    const tables = flags.distribute ? await distribute(config.DATABASE_URL, flags.shards) : [];
    const dear = flags.distribute ? await listNodePageCosts(db) : [];
    const done = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
    const newer = await assertSchemaVersion(db);
    return [
      { applied, newer, regions, ...(flags.distribute && { tables, dear_nodes: dear }) },
      [
        done,
        ...newerLines(newer),
        regionsLine(regions),
        ...tables.map(distributedLine),
        ...dear.map(dearLine),
      ].join('\n'),
    ];
  } finally {
    await pool.end();
  }
}

const newerLines = (newer: string[]): string[] =>
  newer.length === 0
    ? []
    : [`The database also has ${newer.join(', ')} from a newer release. This release works with it.`];

const dearLine = ({ node, cost }: { node: string; cost: number }): string =>
  `On ${node}, random_page_cost is ${cost}, which makes PostgreSQL avoid indexes. Run this on ${node}, with the name of your database: alter database NAME set random_page_cost = ${RANDOM_PAGE_COST}`;

function distributedLine({ table, key, colocated_with, shards, rows }: Distributed): string {
  const together = colocated_with === table ? '' : `, colocated with ${colocated_with}`;
  const moved = rows === null ? 'already distributed' : `${rows.toLocaleString('en-US')} rows moved`;
  return `${table.padEnd(18)} by ${key}, ${shards} shards${together}: ${moved}.`;
}

/** For an unknown command, Commander would show the parent command's help without an error. */
function refuseUnknown(command: Command): void {
  const name = command.args[0];
  if (name === undefined || name === 'help' || name.startsWith('-')) return;
  if (command.commands.length === 0 || command.registeredArguments.length > 0) return;
  if (command.commands.every(known => known.name() !== name))
    command.error(`error: unknown command '${name}'`);
}

/** Runs one command line. @returns the exit code (see EXIT) */
export async function main(argv: string[]): Promise<number> {
  // The output may be closed early (`plat runs | head`, a closed terminal). The command still finishes.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosed);
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    // Commander has already printed its own errors.
    if (!(error instanceof CommanderError)) process.stderr.write(`plat: ${errorText(error)}\n`);
    return exitCodeOf(error);
  }
}

function ignoreClosed(error: Error): void {
  if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error;
}
