import type { Command } from 'commander';
import { listTiers, saveTier } from '../../shared/contracts.ts';
import { wholeNumber } from './options.ts';
import { print, printJson, table } from './output.ts';
import { withSession } from './session.ts';

type TierFlags = { tokens?: number; overagePrice?: number; direct?: boolean; json?: boolean };

const COLUMNS = ['name', 'tokens_included', 'overage_cents_per_1000', 'direct'] as const;

export function addTierCommands(program: Command): void {
  const tier = program.command('tier').description('the terms of new contracts');

  tier
    .command('list')
    .option('--json', 'print JSON')
    .description('the tiers with their allotment and price of overage')
    .action(({ json }: { json?: boolean }) =>
      withSession(async ({ pool }) => {
        const tiers = await listTiers(pool);
        if (json) printJson(tiers);
        else print(table(tiers, [...COLUMNS]));
      }),
    );

  tier
    .command('set')
    .argument('<name>')
    .option('--tokens <n>', 'tokens a period includes', wholeNumber)
    .option('--overage-price <cents>', 'US cents for 1,000 tokens of overage', wholeNumber)
    .option('--direct', 'with the REST API')
    .option('--no-direct', 'with MCP alone')
    .option('--json', 'print JSON')
    .description('makes or changes a tier; contracts that were made keep their terms')
    .addHelpText('after', '\nExample:\n  plat tier set growth --tokens 60000 --overage-price 350')
    .action((name: string, flags: TierFlags) =>
      withSession(async ({ pool }) => {
        const saved = await saveTier(pool, name, {
          ...(flags.tokens === undefined ? {} : { tokensIncluded: flags.tokens }),
          ...(flags.overagePrice === undefined ? {} : { overageCentsPer1000: flags.overagePrice }),
          ...(flags.direct === undefined ? {} : { direct: flags.direct }),
        });
        if (flags.json) printJson(saved);
        else print(table([saved], [...COLUMNS]));
      }),
    );
}
