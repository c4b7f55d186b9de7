import type { Command } from 'commander';
import { createPool } from '../../shared/db.ts';
import { createLogger } from '../../shared/log.ts';
import { migrate } from '../../shared/migrate.ts';
import type { RegionsLoaded } from '../regions/load.ts';
import { print, printJson, regionsLine } from './common/output.ts';
import { type ConnectedConfig, connectedConfig } from './common/session.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .option('--json', 'print JSON')
    .description('brings the database to the newest schema and loads the counties and ZIPs')
    .action(async ({ json }: { json?: boolean }) => {
      const config = connectedConfig();
      const applied = await migrate(config.DATABASE_URL, { queue: config.REDIS_URL === undefined });
      const regions = await loadInto(config);
      if (json) printJson({ applied, regions });
      else
        print(
          `${applied.length === 0 ? 'The schema is current.' : `Applied ${applied.join(', ')}.`}\n${regionsLine(regions)}`,
        );
    });
}

async function loadInto(config: ConnectedConfig): Promise<RegionsLoaded> {
  const { loadRegions } = await import('../regions/load.ts');
  const pool = createPool(config, createLogger({ LOG_LEVEL: 'warn' }, 'plat'), {
    applicationName: 'plat migrate',
    max: 2,
  });
  try {
    return await loadRegions(pool);
  } finally {
    await pool.end();
  }
}
