import { type Command, Option } from 'commander';
import { createAccount, createKey, listAccounts, listKeys, revokeKey } from '../../shared/accounts.ts';
import { SCOPES, type Scope, TIERS, type Tier } from '../../shared/domain/tiers.ts';
import { endOfDay, wholeNumber } from './options.ts';
import { print, printJson, table } from './output.ts';
import { withSession } from './session.ts';

type AccountFlags = {
  tier: Tier;
  pro: boolean;
  tokens?: number;
  overage?: boolean;
  paymentMethod?: boolean;
  backstop?: number;
  rate?: number;
  burst?: number;
  company?: string;
  json?: boolean;
};

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('who may call the API');

  account
    .command('create')
    .argument('<name>')
    .addOption(new Option('--tier <tier>', 'API tier').choices(Object.keys(TIERS)).default('starter'))
    .option('--no-pro', 'without an active Pro subscription')
    .option('--tokens <n>', "tokens a period includes; default: the tier's", wholeNumber)
    .option('--overage', 'allow tokens beyond those that are included')
    .option('--payment-method', 'a payment method is on file')
    .option('--backstop <n>', 'most tokens of overage in a period', wholeNumber)
    .option('--rate <n>', 'calls a minute', wholeNumber)
    .option('--burst <n>', 'calls at once', wholeNumber)
    .option('--company <name>', 'whose saved markets it shares; default: a new company of its own name')
    .option('--json', 'print JSON')
    .description('a new account, its first billing period beginning now')
    .addHelpText('after', '\nExample:\n  plat account create acme --tier growth --overage --payment-method')
    .action((name: string, flags: AccountFlags) =>
      withSession(async ({ pool }) => {
        const created = await createAccount(pool, {
          ...{
            name,
            tier: flags.tier,
            pro: flags.pro,
            tokensIncluded: flags.tokens,
            overageAllowed: flags.overage,
          },
          ...{
            paymentMethod: flags.paymentMethod,
            backstopTokens: flags.backstop,
            ratePerMinute: flags.rate,
            rateBurst: flags.burst,
            company: flags.company,
          },
        });
        if (flags.json) printJson(created);
        else
          print(
            `Account ${created.name} (${created.tier}, ${created.tokens_included} tokens a period). Next: plat key create ${created.name}`,
          );
      }),
    );

  account
    .command('list')
    .option('--json', 'print JSON')
    .description('the accounts with what they used in this period')
    .action(({ json }: { json?: boolean }) =>
      withSession(async ({ pool }) => {
        const accounts = await listAccounts(pool);
        if (json) printJson(accounts);
        else
          print(
            table(accounts, [
              'name',
              'company',
              'tier',
              'pro',
              'tokens_used',
              'tokens_included',
              'keys',
              'period_end',
            ]),
          );
      }),
    );

  addKeyCommands(program);
}

type KeyFlags = { name: string; scope: Scope[]; expires?: Date; json?: boolean };

function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');

  key
    .command('create')
    .argument('<account>', 'its name or id')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(
      new Option('--scope <scope...>', 'what it may be used for').choices(SCOPES).default(['api:direct']),
    )
    .option('--expires <date>', 'last day of validity in UTC (YYYY-MM-DD)', endOfDay)
    .option('--json', 'print JSON')
    .description('a new key; it is shown this once and stored only as a hash')
    .addHelpText('after', '\nExample:\n  plat key create acme --name website --expires 2027-12-31')
    .action((account: string, flags: KeyFlags) =>
      withSession(async ({ pool }) => {
        const created = await createKey(pool, account, {
          name: flags.name,
          scopes: flags.scope,
          ...(flags.expires ? { expiresAt: flags.expires } : {}),
        });
        if (flags.json) printJson(created);
        else print(created.key);
      }),
    );

  key
    .command('list')
    .option('--account <account>', 'of one account')
    .option('--json', 'print JSON')
    .description('the keys, without their secrets')
    .action(({ account, json }: { account?: string; json?: boolean }) =>
      withSession(async ({ pool }) => {
        const keys = await listKeys(pool, account);
        if (json) printJson(keys);
        else
          print(
            table(keys, [
              'id',
              'account',
              'name',
              'prefix',
              'scopes',
              'expires_at',
              'revoked_at',
              'last_used_at',
            ]),
          );
      }),
    );

  key
    .command('revoke')
    .argument('<key>', 'its id, its prefix or the key itself')
    .option('--json', 'print JSON')
    .description('ends a key for good, in every process within 5 seconds')
    .addHelpText('after', '\nExample:\n  plat key revoke plat_HR3tpD')
    .action((text: string, { json }: { json?: boolean }) =>
      withSession(async ({ pool }) => {
        const revoked = await revokeKey(pool, text);
        if (json) printJson(revoked);
        else print(`Key ${revoked.name} (${revoked.id}) is revoked.`);
      }),
    );
}
