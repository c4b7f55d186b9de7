import { findAccount, tierUnknown, valuesUnfit } from './accounts.ts';
import { type Client, type Pool, type Queryable, sql, transaction } from './db.ts';
import type { Tier } from './domain/tiers.ts';
import { errorCode, PlatError } from './errors.ts';
import { requireName } from './names.ts';
import { operator } from './operator.ts';
import {
  closingNote,
  overageNote,
  requireNoInventedOverage,
  requirePossiblePeriod,
  type Terms,
} from './period-change.ts';
import { changeMembership, type Membership, type MembershipChange } from './users.ts';

/** What to change of an account; what is left out stays. */
export type AccountChange = MembershipChange & {
  /** null ends the contract now. A tier's terms come with it, unless they are given. A first tier begins a contract. */
  tier?: Tier | null;
  tokensIncluded?: number;
  overageCentsPer1000?: number;
  overageAllowed?: boolean;
  paymentMethod?: boolean;
  invoicePaid?: boolean;
  /** null: no ceiling. */
  backstopTokens?: number | null;
  pro?: boolean;
  ratePerMinute?: number;
  rateBurst?: number;
  skipTracePerMinute?: number;
  /** Corrects the current period, whose usage stays with it; later ones begin on its day of the month. */
  periodStart?: Date;
  /** Ends the current period at another time; later ones begin on that day of the month. */
  periodEnd?: Date;
  /** Lower the allotment below what the period has used, although overage is not allowed. */
  force?: boolean;
};

export type TierTerms = {
  name: Tier;
  tokens_included: number;
  overage_cents_per_1000: number;
  direct: boolean;
};

export type AccountDetails = {
  id: string;
  name: string;
  company: string;
  user_email: string | null;
  user_name: string | null;
  pro: boolean;
  tier: Tier | null;
  tokens_included: number;
  overage_cents_per_1000: number;
  overage_allowed: boolean;
  payment_method: boolean;
  invoice_paid: boolean;
  backstop_tokens: number | null;
  tokens_used: number;
  period_start: Date | null;
  period_end: Date | null;
  rate_per_minute: number;
  rate_burst: number;
  skip_trace_per_minute: number;
  keys: number;
  created_at: Date;
};

export type Change = {
  at: Date;
  actor: string;
  action: 'insert' | 'update' | 'delete';
  entity: string;
  entity_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

type Locked = Membership &
  Terms & {
    tier: Tier | null;
    period_start: Date | null;
    period_end: Date | null;
    tokens_used: number;
    /** When the last period that is over ended. */
    closed_until: Date | null;
    now: Date;
    starts: Date;
    ends: Date;
  };

/** The account as it has become, and what the operator should know of the change. */
export type ChangedAccount = { details: AccountDetails; notes: string[] };

/**
 * Changes an account in one transaction; the audit table keeps what it was and who changed it. Effective in every process
 * within 5 seconds.
 * @param account name or id.
 * @throws PlatError `account_unknown`, `tier_unknown`, `account_change` when the values do not fit together, `user_email`,
 * `user_company`, `name`.
 */
export async function changeAccount(
  pool: Pool,
  account: string,
  change: AccountChange,
): Promise<ChangedAccount> {
  const id = await findAccount(pool, account);
  let notes: string[];
  try {
    notes = await transaction(pool, client => apply(client, id, change));
  } catch (cause) {
    if (errorCode(cause) === '23503') throw tierUnknown(change.tier ?? '');
    if (errorCode(cause) === '23505')
      throw new PlatError('account_change', 'The account has another period that starts then.', { cause });
    if (errorCode(cause) === '23514') throw valuesUnfit(cause);
    throw cause;
  }
  return { details: await showAccount(pool, id), notes };
}

async function apply(client: Client, id: string, change: AccountChange): Promise<string[]> {
  const before = await lock(client, id, change.periodStart);
  if (before.starts > before.now)
    throw new PlatError(
      'account_change',
      'The current period cannot start in the future: give --period-end.',
    );
  // Once it is locked nothing else rolls it.
  await client.query(sql('accounts/roll_period'), [[id]]);
  const now = await lock(client, id, change.periodStart);
  const patch: Patch = {
    ...columnsOf(change),
    ...(await termsOf(client, change, now)),
    ...periodOf(change, now),
    ...(await changeMembership(client, now, change)),
  };
  const notes = notesOf(change, now, patch);
  if (change.tier === null) await client.query(sql('accounts/close_period'), [now.id]);
  if (patch.period_start) {
    const period = now.tier === null ? 'accounts/open_period' : 'accounts/move_period';
    await client.query(sql(period), [now.id, patch.period_start]);
  }
  await client.query(sql('accounts/update_account'), [now.id, JSON.stringify(patch)]);
  await client.query(sql('accounts/roll_period'), [[now.id]]);
  return notes;
}

/** @throws PlatError `account_change` when the new terms make overage of what was used as included, or the new dates cannot be. */
function notesOf(change: AccountChange, account: Locked, patch: Patch): string[] {
  if (change.tier === null) return [];
  const { period_start, period_end, tokens_used, now } = account;
  const notes: (string | undefined)[] = [];
  if (period_start !== null && period_end !== null) {
    const period = { period_start, period_end, tokens_used };
    const terms = { ...account, ...patch };
    if (!change.force) requireNoInventedOverage(period, account, terms);
    notes.push(overageNote(period, account, terms));
  }
  const starts = patch.period_start ?? period_start;
  if (starts !== null && patch.period_end) {
    requirePossiblePeriod(starts, patch.period_end, patch.period_start ? account.closed_until : null);
    notes.push(closingNote(starts, patch.period_end, tokens_used, now));
  }
  return notes.filter(note => note !== undefined);
}

async function lock(client: Client, id: string, periodStart: Date | undefined): Promise<Locked> {
  const values = [id, periodStart ?? null, operator()];
  return (await client.query<Locked>(sql('accounts/lock_account'), values)).rows[0]!;
}

type Patch = Record<string, unknown> &
  Partial<Terms> & { period_start?: Date | null; period_end?: Date | null };

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
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** The tier and what it costs: of a new tier its terms, where they are not given. */
async function termsOf(client: Client, change: AccountChange, account: Locked): Promise<Patch> {
  if (change.tier === null) return { tier: null, tokens_included: 0, overage_cents_per_1000: 0 };
  if (change.tier === undefined && account.tier === null && givesTerms(change))
    throw new PlatError(
      'account_change',
      'The account has no contract: name a tier (--tier) to begin one with these terms.',
    );
  const terms = change.tier === undefined ? undefined : await findTier(client, change.tier);
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

async function findTier(client: Client, name: Tier): Promise<TierTerms> {
  const tier = (await listTiers(client)).find(each => each.name === name);
  if (tier === undefined) throw tierUnknown(name);
  return tier;
}

/** The dates of the current period, where they change. */
function periodOf(change: AccountChange, account: Locked): Patch {
  if (change.tier === null) return { period_anchor: null, period_start: null, period_end: null };
  const begins = account.tier === null && change.tier !== undefined;
  const columns: Patch = {};
  if (begins || change.periodStart !== undefined) {
    columns.period_start = account.starts;
    columns.period_anchor = account.starts;
    columns.period_end = account.ends;
  }
  if (change.periodEnd !== undefined) {
    columns.period_anchor = change.periodEnd;
    columns.period_end = change.periodEnd;
  }
  return columns;
}

/** @throws PlatError `account_unknown`. */
export async function showAccount(pool: Pool, account: string): Promise<AccountDetails> {
  const id = await findAccount(pool, account);
  await pool.query(sql('accounts/roll_period'), [[id]]);
  return (await pool.query<AccountDetails>(sql('accounts/show_account'), [id])).rows[0]!;
}

/**
 * What was changed about an account and its keys, the oldest first.
 * @throws PlatError `account_unknown`.
 */
export async function listChanges(db: Queryable, account: string): Promise<Change[]> {
  const id = await findAccount(db, account);
  return (await db.query<Change>(sql('accounts/list_changes'), [id])).rows;
}

export async function listTiers(db: Queryable): Promise<TierTerms[]> {
  return (await db.query<TierTerms>(sql('accounts/list_tiers'))).rows;
}

/**
 * Changes a tier, or makes one. Contracts that were made keep their tokens and price; `direct` holds for all accounts of the tier,
 * within 5 seconds.
 * @param isNew whether it is to be made; whoever mistypes a name makes none.
 * @throws PlatError `tier_unknown`, `tier_terms`, `name`.
 */
export async function saveTier(
  db: Queryable,
  name: Tier,
  terms: { tokensIncluded?: number; overageCentsPer1000?: number; direct?: boolean },
  isNew = false,
): Promise<TierTerms> {
  const { tokensIncluded, overageCentsPer1000, direct } = terms;
  const tier = requireName('tier', name);
  const known = (await listTiers(db)).some(each => each.name === tier);
  if (!known && !isNew)
    throw new PlatError(
      'tier_unknown',
      `There is no tier "${tier}". \`plat tier list\` shows them, --new makes one.`,
    );
  if (known && isNew)
    throw new PlatError('tier_terms', `There is a tier "${tier}" already: change it without --new.`);
  if (isNew && (tokensIncluded === undefined || overageCentsPer1000 === undefined))
    throw new PlatError('tier_terms', 'A new tier needs --tokens and --overage-price.');
  const values = [tokensIncluded ?? null, overageCentsPer1000 ?? null, direct ?? null, operator()];
  const { rows } = await db.query<TierTerms>(sql('accounts/save_tier'), [tier, ...values]);
  return rows[0]!;
}

/**
 * What was changed about a tier, the oldest first.
 * @throws PlatError `tier_unknown` when there is none and was none.
 */
export async function listTierChanges(db: Queryable, name: Tier): Promise<Change[]> {
  const { rows } = await db.query<Change>(sql('accounts/list_tier_changes'), [name]);
  if (rows.length === 0 && !(await listTiers(db)).some(each => each.name === name)) throw tierUnknown(name);
  return rows;
}
