import type { Command } from 'commander';
import { listTierChanges, listTiers, saveTier } from '../../shared/contracts.ts';
import { refuseBoth, wholeNumber } from './common/options.ts';
import { answer, changesTable, table } from './common/output.ts';
import { withSession } from './common/session.ts';

type TierFlags = { new?: boolean; tokens?: number; overagePrice?: number; direct?: boolean; json?: boolean };

const EFFECT =
  'Contracts made before keep their tokens and price; --direct and --no-direct hold for all accounts of the tier within 5 seconds.';

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
        answer(json, tiers, table(tiers, [...COLUMNS]));
      }),
    );

  const set = tier.command('set');
  refuseBoth(set, 'direct');
  set
    .argument('<name>')
    .option('--new', 'make a tier, with --tokens and --overage-price')
    .option('--tokens <n>', 'tokens a period includes', wholeNumber)
    .option('--overage-price <cents>', 'US cents for 1,000 tokens of overage', wholeNumber)
    .option('--direct', 'with the REST API')
    .option('--no-direct', 'with MCP alone')
    .option('--json', 'print JSON')
    .description('changes the terms of a tier for contracts to come, or makes a tier')
    .addHelpText(
      'after',
      `\n${EFFECT}\n\nExamples:\n  plat tier set growth --tokens 60000 --overage-price 350\n  plat tier set agents --new --tokens 10000 --overage-price 300 --no-direct`,
    )
    .action((name: string, flags: TierFlags) =>
      withSession(async ({ pool }) => {
        const terms = {
          ...(flags.tokens === undefined ? {} : { tokensIncluded: flags.tokens }),
          ...(flags.overagePrice === undefined ? {} : { overageCentsPer1000: flags.overagePrice }),
          ...(flags.direct === undefined ? {} : { direct: flags.direct }),
        };
        const saved = await saveTier(pool, name, terms, flags.new);
        answer(flags.json, saved, `${table([saved], [...COLUMNS])}${flags.new ? '' : `\n${EFFECT}`}`);
      }),
    );

  tier
    .command('history')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description('every change of a tier: when, by whom, from what to what')
    .action((name: string, { json }: { json?: boolean }) =>
      withSession(async ({ pool }) => {
        const changes = await listTierChanges(pool, name);
        answer(json, changes, changesTable(changes));
      }),
    );
}
