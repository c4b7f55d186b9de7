import type { Command } from 'commander';
import { listTierChanges, listTiers, saveTier } from '../shared/accounts/contracts.ts';
import { requireNotBoth, wholeNumber } from './common/cli-options.ts';
import { changesTable, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type TierFlags = { new?: boolean; tokens?: number; overagePrice?: number; price?: number; direct?: boolean };

const EFFECT =
  'Existing contracts keep their tokens and overage price. --price, --direct, and --no-direct apply to all accounts of the tier within 5 seconds.';

const COLUMNS = ['name', 'price_cents', 'tokens_included', 'overage_cents_per_1000', 'direct'];

export function addTierCommands(program: Command): void {
  const tier = program.command('tier').description('manage tiers, the terms of new contracts');

  const list = tier
    .command('list')
    .description('list tiers with their price, included tokens, and overage price');
  action(list, async ({ db }) => {
    const tiers = await listTiers(db);
    return [tiers, table(tiers, COLUMNS)];
  });

  const set = tier.command('set');
  requireNotBoth(set, 'direct');
  set
    .argument('<name>')
    .option('--new', 'create a tier; needs --tokens and --overage-price')
    .option('--tokens <n>', 'tokens included per period', wholeNumber)
    .option('--overage-price <cents>', 'US cents per 1,000 tokens of overage', wholeNumber)
    .option('--price <cents>', 'US cents per period, which accounts see on /account', wholeNumber)
    .option('--direct', 'include the REST API')
    .option('--no-direct', 'MCP only')
    .description('change the terms of a tier for new contracts, or create a tier')
    .addHelpText(
      'after',
      `\n${EFFECT}\n\nExamples:\n  plat tier set growth --tokens 60000 --overage-price 350 --price 19900\n  plat tier set agents --new --tokens 10000 --overage-price 300 --no-direct`,
    );
  action(set, async ({ db }, name: string, flags: TierFlags) => {
    const terms = {
      ...(flags.tokens !== undefined && { tokensIncluded: flags.tokens }),
      ...(flags.overagePrice !== undefined && { overageCentsPer1000: flags.overagePrice }),
      ...(flags.price !== undefined && { priceCents: flags.price }),
      ...(flags.direct !== undefined && { direct: flags.direct }),
    };
    const saved = await saveTier(db, name, terms, flags.new);
    return [saved, `${table([saved], COLUMNS)}${flags.new ? '' : `\n${EFFECT}`}`];
  });

  const history = tier.command('history').argument('<name>');
  history.description('list every change to a tier: when, by whom, and the values before and after');
  action(history, async ({ db }, name: string) => {
    const changes = await listTierChanges(db, name);
    return [changes, changesTable(changes)];
  });
}
