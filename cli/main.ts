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
  npm start                                 everything on this machine, sample data included
  plat county add 55025 --run --wait        a county's feeds, written and ingested
  plat feed check feeds/my-county.yaml      what a roll would map to
  plat feed run my-county --wait            ingest it
  plat runs                                 what the ingestions did
  plat recompute stats --fips 33019 --wait
  plat backtest valuations --from 2012-01-01
  plat account create acme && plat key create acme

Exit codes: 0 done, 1 failed, 2 called wrongly or unknown name, 3 blocked by the gate.
Settings: .env.example`;

export function createProgram(): Command {
  const program = new Command('plat')
    .description('US land-parcel data: ingestion, precomputed answers and a read API')
    .version(version)
    .addHelpText('after', HELP)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .on('beforeAllHelp', ({ command }: { command: Command }) => refuseUnknown(command));

  program
    .command('up')
    .description(
      'starts PostgreSQL (unless DATABASE_URL is set), migrates, loads the sample on the first run, and runs workers and API',
    )
    .action(async () => (await import('./up/up-command.ts')).up(loadConfig()));
  const migration = program
    .command('migrate')
    .option('--distribute', 'on Citus: spread the tables that grow with the nation over its nodes')
    .option('--dry-run', 'list the migrations that would run; a breaking one needs a stop')
    .option('--shards <n>', 'with --distribute: how many shards each table has (32)', wholeNumber)
    .description('brings the database to the newest schema and loads the counties and ZIPs')
    .addHelpText(
      'after',
      '\nExample, on a Citus cluster, with data or without:\n  plat migrate --distribute --shards 64',
    );
  actionWithoutDatabase(migration, migrateCommand);
  program
    .command('api')
    .description('the API alone, on PORT')
    .action(() => runService('api', connectedConfig()));
  program
    .command('worker')
    .description('one worker process, with /healthz and /metrics on WORKER_PORT when that is set')
    .addHelpText('after', '\nExample, a second worker beside `npm start`:\n  plat worker')
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
    return [{ pending }, lines.join('\n') || 'The schema is current.'];
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
    const done = applied.length === 0 ? 'The schema is current.' : `Applied ${applied.join(', ')}.`;
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
    : [`The database also has ${newer.join(', ')} from a newer release. This release works with them.`];

const dearLine = ({ node, cost }: { node: string; cost: number }): string =>
  `random_page_cost is ${cost} on ${node}: "alter database NAME set random_page_cost = ${RANDOM_PAGE_COST}" there, with the database's name, has it read by indexes.`;

function distributedLine({ table, key, colocated_with, shards, rows }: Distributed): string {
  const beside = colocated_with === table ? '' : `, beside ${colocated_with}`;
  const moved = rows === null ? 'distributed before' : `${rows.toLocaleString('en-US')} rows moved`;
  return `${table.padEnd(18)} by ${key}, ${shards} shards${beside}: ${moved}.`;
}

/** For an unknown command, commander would show its parent's help as if that were right. */
function refuseUnknown(command: Command): void {
  const name = command.args[0];
  if (name === undefined || name === 'help' || name.startsWith('-')) return;
  if (command.commands.length === 0 || command.registeredArguments.length > 0) return;
  if (command.commands.every(known => known.name() !== name))
    command.error(`error: unknown command '${name}'`);
}

/** Runs one command line. @returns the exit code, see EXIT */
export async function main(argv: string[]): Promise<number> {
  // Whoever reads may stop reading (`plat runs | head`, a closed terminal): the command still does
  // what it was asked to.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosed);
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    // Commander has said what is wrong.
    if (!(error instanceof CommanderError)) process.stderr.write(`plat: ${errorText(error)}\n`);
    return exitCodeOf(error);
  }
}

function ignoreClosed(error: Error): void {
  if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error;
}
