import { quotaError } from '../../shared/accounts/quota-error.ts';
import type { Mode } from '../../shared/accounts/tiers.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import type { Db } from '../../shared/platform/db.ts';
import { processCounts } from '../../shared/platform/declared-metrics.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { subscriptionRequired } from './authorize.ts';
import { batch } from './batch.ts';
import type { Caller } from './callers.ts';
import { isTransientError } from './database.ts';

export type Charge = {
  accountId: string;
  endpoint: string;
  mode: Mode;
  tokens: number;
  /** The number of calls that the tokens pay for. */
  each: number;
};

type ChargeResult = {
  charged: boolean;
  /** Tokens that this call cost. 0 if an earlier call paid for it. */
  tokens: number;
  /** How many more tiles are paid for. Undefined after other calls. */
  tilesPaid: number | undefined;
  overageAllowed: boolean;
  paymentMethod: boolean;
  /** Tokens used by the account, including by charges made at the same time. */
  tokensUsed: number;
  /** null if there is no limit. */
  tokensAllowed: number | null;
};

export type ChargeOptions = {
  /** The number of calls that the tokens pay for. Default: 1. */
  each?: number | undefined;
  /** Whether the client has disconnected. A call is free if it ends before its charge is sent. */
  isFinished?: () => boolean;
  /**
   * Statements in the charge's transaction, in the lock order that shared/platform/db.ts defines. Before the
   * charge: record the rows that the company has now paid for. After it: store the response for repeats.
   */
  before?: ((tx: Db) => Promise<void>) | undefined;
  after?: ((tx: Db) => Promise<void>) | undefined;
};

export type Meter = {
  /**
   * Waits until the charge is on disk or the call has ended without one. Returns what the call cost.
   * @throws PlatError from quotaError
   */
  charge(caller: Caller, endpoint: string, tokens: number, options?: ChargeOptions): Promise<number>;
};

/** Longest time that a batch waits for calls in progress. A batch takes 0.6 ms, regardless of its size. */
const PAUSE_MS = 1;

/**
 * Share of the calls in progress that a batch waits for. If it waited for all, none would run while it
 * commits.
 */
const WAIT_SHARE = 0.7;

/** Maximum number of attempts to charge when the account's period has ended or its terms are changing. */
const MAX_TRIES = 3;

/**
 * Concurrent charges share one statement and one durable commit. Charges that need their own statement don't.
 * @param underway the number of calls in progress. Without it, no charge waits for others.
 */
export function openMeter(db: Db, underway = () => 0): Meter {
  const charge = batch<PendingCharge, Outcome>(pending => chargeAll(db, pending), {
    ms: PAUSE_MS,
    enough: () => Math.ceil(underway() * WAIT_SHARE),
  });
  return {
    async charge(
      { account, mode },
      endpoint,
      tokens,
      { each = 1, isFinished = () => false, before, after } = {},
    ) {
      const pending = { accountId: account.id, endpoint, mode, tokens, each, isFinished };
      const verdict =
        before === undefined && after === undefined
          ? tokens > 0 && resultOf(await charge(pending), tokens)
          : await db
              .transaction(async tx => {
                await before?.(tx);
                const first = tokens > 0 && resultOf((await chargeAll(tx, [pending]))[0], tokens);
                await after?.(tx);
                if (isFinished()) throw ABANDONED;
                return first;
              })
              .catch(error => {
                if (error !== ABANDONED) throw error;
                return undefined;
              });
      if (!verdict) return 0;
      processCounts.tokensCharged += verdict.tokens;
      // Keeps the early quota check accurate between reads of the account.
      if (verdict.tokensUsed >= account.tokensUsed) {
        account.tokensUsed = verdict.tokensUsed;
        account.tilesPaid = verdict.tilesPaid ?? account.tilesPaid;
      }
      return verdict.tokens;
    },
  };
}

/** Rolls back the transaction of a call that has ended. */
const ABANDONED = new PlatError('abandoned', 'The client stopped waiting for the response.');

/** @returns undefined for a call that ended before its charge was sent */
function resultOf(outcome: Outcome, tokens: number): ChargeResult | undefined {
  if (outcome === undefined) return undefined;
  if ('error' in outcome) throw outcome.error;
  if (!outcome.charged) throw quotaError(outcome, tokens, (outcome.tokensAllowed ?? 0) - outcome.tokensUsed);
  return outcome;
}

type PendingCharge = Charge & { isFinished(): boolean };

/** The result of a charge. A failed charge doesn't affect the others in its batch. */
type Outcome = ChargeResult | { error: unknown } | undefined;

async function chargeAll(db: Db, charges: PendingCharge[]): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(charges.length);
  const groups = group(charges);
  try {
    await chargeGroups(db, groups, outcomes);
  } catch (error) {
    const accounts = new Map<string, ChargeGroup[]>();
    for (const own of groups) addToGroup(accounts, own.accountId, own);
    if (accounts.size === 1 || !isTransientError(error)) throw error;
    // One of the accounts is locked. Charge each account separately.
    const charged = [...accounts.values()].map(own =>
      chargeGroups(db, own, outcomes).catch(cause => fail(own, cause, outcomes)),
    );
    await Promise.all(charged);
  }
  return outcomes;
}

function fail(groups: ChargeGroup[], error: unknown, outcomes: Outcome[]): void {
  for (const index of groups.flatMap(({ indexes }) => indexes)) outcomes[index] = { error };
}

async function chargeGroups(db: Db, groups: ChargeGroup[], outcomes: Outcome[]): Promise<void> {
  let open = await attempt(db, groups, outcomes);
  for (let tries = 1; open.length > 0 && tries < MAX_TRIES; tries++) {
    try {
      await db.run('accounts/roll_period', {
        account_ids: [...new Set(open.map(({ accountId }) => accountId))],
      });
      open = await attempt(db, open, outcomes);
    } catch (error) {
      return fail(open, error, outcomes);
    }
  }
  // Rolling created no period, because the contract has ended since the account was read.
  if (open.length > 0) fail(open, subscriptionRequired(), outcomes);
}

type ChargeGroup = Charge & { indexes: number[] };

/** Charges for unfinished calls, grouped by account in the lock order for periods, cheapest first. */
function group(charges: PendingCharge[]): ChargeGroup[] {
  const groups = new Map<string, ChargeGroup>();
  for (const [index, { isFinished, ...charge }] of charges.entries()) {
    if (isFinished()) continue;
    const name = Object.values(charge).join(' ');
    const existing = groups.get(name);
    if (existing) existing.indexes.push(index);
    else groups.set(name, { ...charge, indexes: [index] });
  }
  return [...groups.values()].sort(compare);
}

function compare(a: Charge, b: Charge): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.tokens / a.each - b.tokens / b.each;
}

type ChargeRow = {
  n: number;
  /** Calls that were paid for before this charge. */
  paid: number;
  charged: number;
  overage_allowed: boolean;
  payment_method: boolean;
  tokens_used: number;
  tokens_allowed: number | null;
};

/** Records the outcome of the charges. Returns the charges of accounts whose period has ended. */
async function attempt(db: Db, groups: ChargeGroup[], outcomes: Outcome[]): Promise<ChargeGroup[]> {
  if (groups.length === 0) return [];
  const rows = await db.run<ChargeRow>('accounts/charge_calls', {
    account_ids: groups.map(group => group.accountId),
    metering_keys: groups.map(group => group.endpoint),
    modes: groups.map(group => group.mode),
    tokens: groups.map(group => group.tokens),
    each: groups.map(group => group.each),
    calls: groups.map(group => group.indexes.length),
  });
  const openGroups = new Set(groups);
  const used = usedByAccount(groups, rows);
  for (const row of rows) {
    const group = groups[row.n - 1]!;
    openGroups.delete(group);
    for (const [at, index] of group.indexes.entries())
      outcomes[index] = {
        charged: at < row.charged,
        tokens: remainderOf(group, at - row.paid) === 0 ? group.tokens : 0,
        tilesPaid: group.each === 1 ? undefined : remainderOf(group, row.paid - row.charged),
        overageAllowed: row.overage_allowed,
        paymentMethod: row.payment_method,
        tokensUsed: used.get(group.accountId)!,
        tokensAllowed: row.tokens_allowed,
      };
  }
  return [...openGroups];
}

/** Every `each`-th call pays, counting from the first one that isn't paid for. */
const remainderOf = ({ each }: Charge, calls: number): number => ((calls % each) + each) % each;

/** Tokens used by each account, from its last charged row, or from its first row if nothing was charged. */
function usedByAccount(groups: ChargeGroup[], rows: ChargeRow[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const { n, charged, tokens_used } of rows) {
    const { accountId } = groups[n - 1]!;
    if (charged > 0 || !used.has(accountId)) used.set(accountId, tokens_used);
  }
  return used;
}
