import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { loadConfig, requireDatabaseUrl } from '../../shared/config.ts';
import { PlatError } from '../../shared/errors.ts';
import { migrate } from '../../shared/migrate.ts';
import { rootDir } from '../../shared/root.ts';
import { addAccountCommands } from './account.ts';
import { EXIT } from './exit.ts';
import { addFeedCommands } from './feed.ts';
import { print } from './output.ts';
import { addRecomputeCommands } from './recompute.ts';
import { addRunCommands } from './runs.ts';
import { cliConfig } from './session.ts';
import { addStatusCommand } from './status.ts';
import { runService } from './up/service.ts';
import { up } from './up/up.ts';

const HELP = `
Examples:
  npm start                                 everything on this machine, sample data included
  plat feed check feeds/my-county.yaml      what a roll would map to
  plat feed run my-county --wait            ingest it
  plat runs                                 what the ingestions did
  plat recompute stats --fips 33019 --wait
  plat account create acme && plat key create acme

Exit codes: 0 done, 1 failed, 2 called wrongly or unknown name, 3 blocked by the gate.
Settings: .env.example`;

function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')) as { version: string };
  const program = new Command('plat')
    .description('US land-parcel data: ingestion, precomputed answers and a read API')
    .version(version)
    .addHelpText('after', HELP)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false });

  program
    .command('up')
    .description('starts PostgreSQL (unless DATABASE_URL is set), migrates, loads the sample on the first run, and runs workers and API')
    .action(() => up(loadConfig()));
  program
    .command('migrate')
    .description('brings the database to the newest schema')
    .action(async () => {
      const config = cliConfig();
      const applied = await migrate(requireDatabaseUrl(config), { queue: config.REDIS_URL === undefined });
      print(applied.length === 0 ? 'The schema is current.' : `Applied ${applied.join(', ')}.`);
    });
  program.command('api').description('the API alone, on PORT').action(() => runService('api'));
  program.command('worker').description('one worker process').action(() => runService('worker'));
  addFeedCommands(program);
  addRunCommands(program);
  addRecomputeCommands(program);
  addStatusCommand(program);
  addAccountCommands(program);
  return program;
}

/** Runs one command line. @returns the exit code, see exit.ts */
export async function main(argv: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof PlatError) {
      process.stderr.write(`plat: ${error.message}\n`);
      return error.status === 404 ? EXIT.usage : EXIT.failed;
    }
    process.stderr.write(`plat: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
    return EXIT.failed;
  }
}
