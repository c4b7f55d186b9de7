import type { Db } from '../platform/db.ts';
import { errorCode, PlatError } from '../platform/errors.ts';
import { SQLSTATE } from '../platform/sqlstates.ts';
import { requireKnownOrNewName } from './account-names.ts';
import {
  type AccountSummary,
  type AccountTerms,
  findAccount,
  invalidValuesError,
  listAccounts,
  operator,
  termsWithoutContractError,
  unknownTierError,
} from './accounts.ts';
import {
  changePeriod,
  closingNote,
  overageNote,
  type PeriodDates,
  type PeriodOwner,
  requireNoNewOverage,
  type Terms,
} from './period-change.ts';
import type { Tier } from './tiers.ts';
import { changeMembership, type Membership } from './users.ts';

/** Changes to an account. Omitted values stay the same. */
export type AccountChange = AccountTerms & {
  /**
   * null ends the contract now. A tier starts a contract if there is none, and sets any terms not set here.
   */
  tier?: Tier | null;
  /** null for no limit. */
  backstopTokens?: number | null;
  /** An email address, or null for no owner. */
  user?: string | null;
  /**
   * Corrects the start of the current period without changing its usage. Later periods start on the same day
   * of the month.
   */
  periodStart?: Date;
  /** Moves the end of the current period. Later periods start on that day of the month. */
  periodEnd?: Date;
  /** Rejects the account's keys. */
  disabled?: boolean;
  /** Allows lowering the included tokens below the number already used, and closing a period with usage. */
  force?: boolean;
};

export type TierTerms = {
  name: Tier;
  tokens_included: number;
  overage_cents_per_1000: number;
  direct: boolean;
  /** US cents per period. Null if accounts don't see a price. */
  price_cents: number | null;
};

export type Change = {
  at: Date;
  actor: string;
  /** A row operation (insert, update, delete), or an event that no row records, such as `password`. */
  action: string;
  entity: string;
  entity_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

type Locked = Membership & PeriodOwner & Terms & { tier: Tier | null; period_end: Date | null };

export type ChangedAccount = { details: AccountSummary; notes: string[] };

/**
 * Changes an account in one transaction. The change takes effect in every process within 5 seconds. The audit
 * table keeps the old values. @throws PlatError `account_unknown`, `tier_unknown`, `account_change` if values
 * conflict, `user_email`, `user_company`, `name`
 */
export async function changeAccount(db: Db, account: string, change: AccountChange): Promise<ChangedAccount> {
  const id = await findAccount(db, account);
  let notes: string[];
  try {
    notes = await db.transaction(tx => apply(tx, id, change));
  } catch (cause) {
    if (errorCode(cause) === SQLSTATE.foreignKeyViolation) throw unknownTierError(change.tier ?? '');
    if (errorCode(cause) === SQLSTATE.uniqueViolation)
      throw new PlatError(
        'account_change',
        'The account already has a period that starts then. Choose another start.',
        { cause },
      );
    if (errorCode(cause) === SQLSTATE.checkViolation) throw invalidValuesError(cause);
    throw cause;
  }
  return { details: await showAccount(db, id), notes };
}

async function apply(db: Db, id: string, change: AccountChange): Promise<string[]> {
  await lock(db, id);
  // The account lock keeps other transactions from starting a new period. The period lock keeps them from
  // charging.
  await db.run('accounts/roll_period', { account_ids: [id] });
  await db.run('accounts/lock_period', { account_id: id });
  const before = await lock(db, id);
  const startsContract = before.tier === null && typeof change.tier === 'string';
  const terms = { ...columnsOf(change), ...(await termsOf(db, change, before)) };
  const dated = startsContract || change.periodStart !== undefined || change.periodEnd !== undefined;
  const period = dated ? await changePeriod(db, before, change) : undefined;
  const patch: Patch = {
    ...terms,
    ...(change.tier === null ? { period_anchor: null, period_start: null, period_end: null } : period?.dates),
    ...(await changeMembership(db, before, change)),
  };
  if (change.tier === null) await db.run('accounts/close_period', { account_id: id });
  if (patch.period_start) {
    const move = before.tier === null ? 'accounts/open_period' : 'accounts/move_period';
    await db.run(move, { account_id: id, start: patch.period_start });
  }
  const [updated] = await db.run<{ tokens_allowed: number | null }>('accounts/update_account', {
    id,
    patch: JSON.stringify(patch),
  });
  // The previous owner authorized these OAuth clients, and may still have their tokens.
  if (patch.user_id !== undefined && before.user_id !== null)
    await db.run('accounts/end_account_grants', { account_id: id });
  if (patch.user_id) await db.run('deals/give_board', { account_id: id, user_id: patch.user_id });
  const allowed = updated!.tokens_allowed;
  const notes = [period?.note, repricingNote(change, before, { ...before, ...terms }, allowed)];
  await db.run('accounts/roll_period', { account_ids: [id] });
  const starts = patch.period_start ?? before.period_start;
  if (starts && patch.period_end) notes.push(await closingNote(db, before, starts, patch.period_end));
  return notes.filter(note => note !== undefined);
}

/** @throws PlatError `account_change` if the new terms create overage that the account doesn't allow */
function repricingNote(
  change: AccountChange,
  account: Locked,
  terms: Terms,
  allowed: number | null,
): string | undefined {
  const { period_start, period_end, tokens_used } = account;
  if (change.tier === null || period_start === null || period_end === null) return undefined;
  const period = { period_start, period_end, tokens_used };
  if (!change.force) requireNoNewOverage(period, account, terms, allowed);
  return overageNote(period, account, terms);
}

async function lock(db: Db, id: string): Promise<Locked> {
  return (await db.run<Locked>('accounts/lock_account', { id, by: operator() }))[0]!;
}

type Patch = Record<string, unknown> &
  Partial<Terms> & { [Date in keyof PeriodDates]?: PeriodDates[Date] | null };

function columnsOf(change: AccountChange): Patch {
  const columns: Patch = {
    overage_allowed: change.overageAllowed,
    payment_method: change.paymentMethod,
    invoice_paid: change.invoicePaid,
    backstop_tokens: change.backstopTokens,
    pro: change.pro,
    rate_per_minute: change.ratePerMinute,
    rate_burst: change.rateBurst,
    skip_trace_per_minute: change.skipTracePerMinute,
    skip_trace: change.skipTrace,
    disabled_at: change.disabled ? new Date() : change.disabled === false ? null : undefined,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** The tier and its terms. A new tier sets every term that the change doesn't set. */
async function termsOf(db: Db, change: AccountChange, account: Locked): Promise<Patch> {
  if (change.tier === null && givesTerms(change)) throw termsWithoutContractError();
  if (change.tier === null) return { tier: null, tokens_included: 0, overage_cents_per_1000: 0 };
  if (change.tier === undefined && account.tier === null && givesTerms(change))
    throw new PlatError(
      'account_change',
      'The account has no contract. Set a tier (--tier) to start one with these terms.',
    );
  const terms = change.tier && (await listTiers(db)).find(({ name }) => name === change.tier);
  if (change.tier !== undefined && !terms) throw unknownTierError(change.tier);
  const columns: Patch = {
    tier: change.tier,
    tokens_included: change.tokensIncluded ?? terms?.tokens_included,
    overage_cents_per_1000: change.overageCentsPer1000 ?? terms?.overage_cents_per_1000,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function givesTerms(change: AccountChange): boolean {
  const terms = [change.tokensIncluded, change.overageCentsPer1000, change.periodStart, change.periodEnd];
  return terms.some(value => value !== undefined);
}

export async function showAccount(db: Db, account: string): Promise<AccountSummary> {
  const id = await findAccount(db, account);
  await db.run('accounts/roll_period', { account_ids: [id] });
  return (await listAccounts(db, id))[0]!;
}

/**
 * Changes to the account, its keys, and the people in its company, oldest first. @throws PlatError
 * `account_unknown`
 */
export async function listChanges(db: Db, account: string): Promise<Change[]> {
  const id = await findAccount(db, account);
  return db.run<Change>('accounts/list_changes', { account_id: id });
}

export async function listTiers(db: Db): Promise<TierTerms[]> {
  return db.run<TierTerms>('accounts/list_tiers');
}

/**
 * Changes a tier, or creates one with `isNew`. Existing contracts keep their tokens and overage price, but
 * `direct` and the price per period apply to all accounts in the tier.
 * @throws PlatError `tier_unknown`, `tier_terms`, `name`
 */
export async function saveTier(
  db: Db,
  name: Tier,
  terms: { tokensIncluded?: number; overageCentsPer1000?: number; direct?: boolean; priceCents?: number },
  isNew = false,
): Promise<TierTerms> {
  const { tokensIncluded, overageCentsPer1000, direct, priceCents } = terms;
  const tier = await requireKnownOrNewName(db, 'tier', name);
  const exists = (await listTiers(db)).some(each => each.name === tier);
  if (!exists && !isNew)
    throw new PlatError(
      'tier_unknown',
      `There is no tier "${tier}". \`plat tier list\` lists all tiers. Use --new to create one.`,
    );
  if (exists && isNew)
    throw new PlatError('tier_terms', `The tier "${tier}" already exists. Omit --new to change it.`);
  if (isNew && (tokensIncluded === undefined || overageCentsPer1000 === undefined))
    throw new PlatError('tier_terms', 'A new tier needs --tokens and --overage-price.');
  const rows = await db.run<TierTerms>('accounts/save_tier', {
    name: tier,
    tokens_included: tokensIncluded ?? null,
    overage_price: overageCentsPer1000 ?? null,
    direct: direct ?? null,
    price: priceCents ?? null,
    by: operator(),
  });
  return rows[0]!;
}

/** Changes to a tier, oldest first. @throws PlatError `tier_unknown` if the tier never existed */
export async function listTierChanges(db: Db, name: Tier): Promise<Change[]> {
  const rows = await db.run<Change>('accounts/list_tier_changes', { name });
  if (rows.length === 0 && !(await listTiers(db)).some(each => each.name === name))
    throw unknownTierError(name);
  return rows;
}
