import { type Command, Option } from 'commander';
import { type AccountSummary, createAccount, listAccounts } from '../shared/accounts/accounts.ts';
import { type AccountChange, changeAccount, listChanges, showAccount } from '../shared/accounts/contracts.ts';
import { TIERS, type Tier } from '../shared/accounts/tiers.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { moment, requireNotBoth, wholeNumber } from './common/cli-options.ts';
import { changesTable, printNote, shellWord, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

/** In Commander's format: `--no-contract` makes `contract` false. */
type AccountFlags = Pick<AccountChange, 'pro' | 'skipTrace' | 'company' | 'userName' | 'force'> &
  Pick<AccountChange, 'periodStart' | 'periodEnd'> & {
    contract: boolean;
    tier?: Tier;
    tokens?: number;
    overagePrice?: number;
    overage?: boolean;
    paymentMethod?: boolean;
    invoice?: 'paid' | 'unpaid';
    backstop?: number | 'none';
    rate?: number;
    burst?: number;
    skipTraceRate?: number;
    user?: string;
  };

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage the accounts that call the API');
  addCreate(account);
  addSet(account);
  addNamed(account);

  const list = account.command('list').description('list accounts with their usage in the current period');
  action(list, async ({ db }) => {
    const accounts = await listAccounts(db);
    const columns = 'name company user_email tier pro tokens_used tokens_included keys period_end'.split(' ');
    return [accounts, table(accounts, columns)];
  });
}

function addCreate(account: Command): void {
  const create = withTerms(account.command('create').argument('<name>'))
    .description('create an account; its first billing period starts now')
    .addHelpText(
      'after',
      '\nDefaults: tier starter with its tokens and price, an active Pro subscription, a paid invoice, no overage, no payment method,' +
        '\nno overage limit, 60 calls per minute with bursts of 120, 20 skip traces per minute, a new company with the same name, no user.' +
        '\n\nExample:\n  plat account create acme --tier growth --overage --payment-method',
    );
  action(create, async ({ db }, name: string, flags: AccountFlags) => {
    const { tier = 'starter', user, backstopTokens, ...terms } = changeOf(flags);
    const created = await createAccount(db, {
      ...terms,
      name,
      tier,
      ...(user && { user }),
      ...(backstopTokens != null && { backstopTokens }),
    });
    const what = `${created.tier ?? 'no contract'}, ${created.tokens_included} tokens per period`;
    return [
      created,
      `Created account ${created.name} (${what}). Next: plat key create ${shellWord(created.name)}`,
    ];
  });
}

function addSet(account: Command): void {
  const set = withTerms(account.command('set').argument('<account>', 'name or id of the account'))
    .option(
      '--period-start <moment>',
      'correct the start of the current period; it ends a month later and keeps its usage',
      moment,
    )
    .option(
      '--period-end <moment>',
      'set the end of the current period; later periods start on that day of the month',
      moment,
    )
    .option(
      '--force',
      "allow changes that create overage the account isn't allowed, or that close a period with usage",
    )
    .description('change the specified terms; takes effect everywhere within 5 seconds')
    .addHelpText(
      'after',
      '\nA period is priced by the terms in effect when it ends, so --tokens, --tier, and --overage-price also reprice usage so far.' +
        '\nThe command reports the effect on overage. To keep the price of the current period, change the terms after it ends.' +
        '\nA period must include every day on which it was used. Periods that ended before the account was created are not added.' +
        '\n\nExamples:\n  plat account set acme --tier scale --overage-price 250\n  plat account set acme --invoice unpaid' +
        '\n  plat account set acme --period-start "$(date -u +%Y-%m-01)"  # the current period started on the 1st of this month',
    );
  action(set, async ({ db }, name: string, flags: AccountFlags) => {
    const { details, notes } = await changeAccount(db, name, changeOf(flags));
    for (const note of notes) printNote(note);
    return [details, describe(details)];
  });
}

function addNamed(account: Command): void {
  const named = (verb: string, description: string) =>
    account.command(verb).argument('<account>', 'name or id of the account').description(description);
  for (const [verb, disabled, description] of [
    [
      'disable',
      true,
      'reject all keys of an account, everywhere within 5 seconds; its billing periods continue',
    ],
    ['enable', false, 'accept the keys of a disabled account again'],
  ] as const) {
    action(named(verb, description), async ({ db }, name: string) => {
      const { details } = await changeAccount(db, name, { disabled });
      return [details, `Account ${details.name} is ${verb}d.`];
    });
  }

  action(named('show', 'show everything about an account'), async ({ db }, name: string) => {
    const details = await showAccount(db, name);
    return [details, describe(details)];
  });

  const history =
    'list every change to an account and its keys: when, by whom, and the values before and after';
  action(named('history', history), async ({ db }, name: string) => {
    const changes = await listChanges(db, name);
    return [changes, changesTable(changes)];
  });
}

function withTerms(command: Command): Command {
  requireNotBoth(command, 'pro', 'overage', 'payment-method', 'skip-trace');
  return command
    .option('--tier <tier>', `API tier: ${TIERS.join(', ')}, or one created with \`plat tier set\``)
    .option('--no-contract', 'no API contract')
    .option('--pro', 'an active Pro subscription')
    .option('--no-pro', 'no Pro subscription')
    .option('--tokens <n>', "tokens included per period; default: the tier's", wholeNumber)
    .option(
      '--overage-price <cents>',
      "US cents per 1,000 tokens of overage; default: the tier's",
      wholeNumber,
    )
    .option('--overage', 'allow usage beyond the included tokens')
    .option('--no-overage', 'refuse usage beyond the included tokens')
    .option('--payment-method', 'a payment method is on file')
    .option('--no-payment-method', 'no payment method is on file')
    .addOption(
      new Option('--invoice <state>', 'whether the invoice for the API add-on is paid').choices([
        'paid',
        'unpaid',
      ]),
    )
    .option('--backstop <n>', 'maximum tokens of overage per period, or none for no limit', tokensOrNone)
    .option('--rate <n>', 'calls per minute', wholeNumber)
    .option('--burst <n>', 'maximum burst of calls', wholeNumber)
    .option('--skip-trace-rate <n>', 'skip traces per minute, also the burst size', wholeNumber)
    .option('--skip-trace', 'allow skip tracing')
    .option('--no-skip-trace', 'refuse skip traces')
    .option('--company <name>', "the company that owns the account; created if it doesn't exist")
    .option('--user <email>', 'the owner, existing or new; an empty string removes the owner')
    .option('--user-name <name>', "the owner's name");
}

const tokensOrNone = (text: string): number | 'none' => (text === 'none' ? text : wholeNumber(text));

function changeOf(flags: AccountFlags): AccountChange {
  if (!flags.contract && flags.tier !== undefined)
    throw new PlatError('account_change', 'Use either --tier or --no-contract, not both.');
  const change: { [Key in keyof AccountChange]: AccountChange[Key] | undefined } = {
    tier: flags.contract ? flags.tier : null,
    pro: flags.pro,
    tokensIncluded: flags.tokens,
    overageCentsPer1000: flags.overagePrice,
    overageAllowed: flags.overage,
    paymentMethod: flags.paymentMethod,
    invoicePaid: flags.invoice === undefined ? undefined : flags.invoice === 'paid',
    backstopTokens: flags.backstop === 'none' ? null : flags.backstop,
    ratePerMinute: flags.rate,
    rateBurst: flags.burst,
    skipTracePerMinute: flags.skipTraceRate,
    skipTrace: flags.skipTrace,
    company: flags.company,
    user: flags.user === '' ? null : flags.user,
    userName: flags.userName,
    periodStart: flags.periodStart,
    periodEnd: flags.periodEnd,
    force: flags.force,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function describe(account: AccountSummary): string {
  const rows = Object.entries(account).map(([what, value]) => ({ what, value }));
  return table(rows);
}
