import { type Command, Option } from 'commander';
import { type AccountSummary, createAccount, listAccounts } from '../shared/accounts/accounts.ts';
import { type AccountChange, changeAccount, listChanges, showAccount } from '../shared/accounts/contracts.ts';
import { TIERS, type Tier } from '../shared/accounts/tiers.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { moment, requireNotBoth, wholeNumber } from './common/cli-options.ts';
import { changesTable, printNote, shellWord, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

/** As commander hands them over; `--no-contract` makes `contract` false. */
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
  const account = program.command('account').description('who may call the API');
  addCreate(account);
  addSet(account);
  addNamed(account);

  const list = account.command('list').description('the accounts with what they used in this period');
  action(list, async ({ db }) => {
    const accounts = await listAccounts(db);
    const columns = 'name company user_email tier pro tokens_used tokens_included keys period_end'.split(' ');
    return [accounts, table(accounts, columns)];
  });
}

function addCreate(account: Command): void {
  const create = withTerms(account.command('create').argument('<name>'))
    .description('a new account, its first billing period beginning now')
    .addHelpText(
      'after',
      '\nWithout options: tier starter with its tokens and price, an active Pro subscription, invoice paid, overage refused, no payment' +
        "\nmethod, no backstop, 60 calls a minute and 120 at once, 20 skip traces a minute, a new company of the account's name, no user." +
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
    const what = `${created.tier ?? 'no contract'}, ${created.tokens_included} tokens a period`;
    return [created, `Account ${created.name} (${what}). Next: plat key create ${shellWord(created.name)}`];
  });
}

function addSet(account: Command): void {
  const set = withTerms(account.command('set').argument('<account>', 'its name or id'))
    .option(
      '--period-start <moment>',
      'correct when the current period began; it ends a month later, its usage stays',
      moment,
    )
    .option('--period-end <moment>', 'when the current period ends; later ones begin on that day', moment)
    .option(
      '--force',
      'make overage that the account may not have, or close a period that has used tokens by dates that are over',
    )
    .description('changes what is named and keeps the rest; effective everywhere within 5 seconds')
    .addHelpText(
      'after',
      '\nA period is priced by the terms at its end: --tokens, --tier and --overage-price also reprice what it has used already.' +
        '\nThe command says what becomes of overage. To leave a running period as it is, change the terms after its end.' +
        '\nDates hold every day on which the period was used. Periods that ended before the account was made are not opened.' +
        '\n\nExamples:\n  plat account set acme --tier scale --overage-price 250\n  plat account set acme --invoice unpaid' +
        '\n  plat account set acme --period-start "$(date -u +%Y-%m-01)"  # the current period began on the 1st of this month',
    );
  action(set, async ({ db }, name: string, flags: AccountFlags) => {
    const { details, notes } = await changeAccount(db, name, changeOf(flags));
    for (const note of notes) printNote(note);
    return [details, describe(details)];
  });
}

function addNamed(account: Command): void {
  const named = (verb: string, description: string) =>
    account.command(verb).argument('<account>', 'its name or id').description(description);
  for (const [verb, disabled, description] of [
    ['disable', true, 'refuses all keys of an account, everywhere within 5 seconds; its periods go on'],
    ['enable', false, 'takes its keys again'],
  ] as const) {
    action(named(verb, description), async ({ db }, name: string) => {
      const { details } = await changeAccount(db, name, { disabled });
      return [details, `Account ${details.name} is ${verb}d.`];
    });
  }

  action(named('show', 'everything about an account'), async ({ db }, name: string) => {
    const details = await showAccount(db, name);
    return [details, describe(details)];
  });

  const history = 'every change of an account and its keys: when, by whom, from what to what';
  action(named('history', history), async ({ db }, name: string) => {
    const changes = await listChanges(db, name);
    return [changes, changesTable(changes)];
  });
}

function withTerms(command: Command): Command {
  requireNotBoth(command, 'pro', 'overage', 'payment-method', 'skip-trace');
  return command
    .option('--tier <tier>', `API tier: ${TIERS.join(', ')}, or one of \`plat tier set\``)
    .option('--no-contract', 'without an API contract')
    .option('--pro', 'an active Pro subscription')
    .option('--no-pro', 'without one')
    .option('--tokens <n>', "tokens a period includes; default: the tier's", wholeNumber)
    .option(
      '--overage-price <cents>',
      "US cents for 1,000 tokens of overage; default: the tier's",
      wholeNumber,
    )
    .option('--overage', 'allow tokens beyond those that are included')
    .option('--no-overage', 'refuse them')
    .option('--payment-method', 'a payment method is on file')
    .option('--no-payment-method', 'none is')
    .addOption(
      new Option('--invoice <state>', "the add-on's invoice is paid or unpaid").choices(['paid', 'unpaid']),
    )
    .option('--backstop <n>', 'most tokens of overage in a period, or none for no ceiling', tokensOrNone)
    .option('--rate <n>', 'calls a minute', wholeNumber)
    .option('--burst <n>', 'calls at once', wholeNumber)
    .option('--skip-trace-rate <n>', 'skip traces in any minute, and at once, besides', wholeNumber)
    .option('--skip-trace', 'may trace people')
    .option('--no-skip-trace', 'may not: its traces are refused')
    .option('--company <name>', 'whose saved markets it shares; a new company if there is none of that name')
    .option('--user <email>', 'the person whose account it is, known or new; an empty text for nobody')
    .option('--user-name <name>', 'how that person is called');
}

const tokensOrNone = (text: string): number | 'none' => (text === 'none' ? text : wholeNumber(text));

function changeOf(flags: AccountFlags): AccountChange {
  if (!flags.contract && flags.tier !== undefined)
    throw new PlatError('account_change', '--tier and --no-contract exclude each other.');
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
