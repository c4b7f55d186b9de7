import type { Mode } from '../../shared/domain/tiers.ts';
import { batch } from './batch.ts';
import type { Account, Caller } from './callers.ts';
import type { Database } from './database.ts';
import { noContract, quotaError } from './standing.ts';

/** What one call costs, and under which metering key. */
export type Charge = { accountId: string; endpoint: string; mode: Mode; tokens: number };

type Verdict = {
  charged: boolean;
  overageAllowed: boolean;
  paymentMethod: boolean;
  /** By the account, with all that was charged together. */
  tokensUsed: number;
  /** null: as many as it likes. */
  tokensAllowed: number | null;
};

export type Meter = {
  /**
   * Returns when the charge is on disk.
   * @param alongside statements that are committed with the charge, or not at all.
   * @throws PlatError one of the three quota errors when the account may not use as much.
   */
  charge(
    caller: Caller,
    endpoint: string,
    tokens: number,
    alongside?: (run: Database['run']) => Promise<void>,
  ): Promise<void>;
};

/**
 * How long a batch of charges may be held up for calls that are under way: a batch costs this process and the database some 0.6 ms
 * of processor time together, however many charges share it.
 */
const PAUSE_MS = 1;

/**
 * Charges that are in flight together share one statement and one durable commit; those with something alongside have their own.
 * @param underway how many calls the process is answering, those that wait for their charge included; without it no charge waits for others.
 */
export function openMeter(database: Database, underway = () => 0): Meter {
  const charge = batch<Charge, Outcome>(charges => chargeAll(database.run, charges), {
    ms: PAUSE_MS,
    expected: underway,
  });
  return {
    async charge({ account, mode }, endpoint, tokens, alongside) {
      const asked = { accountId: account.id, endpoint, mode, tokens };
      const verdict =
        alongside === undefined
          ? tokens > 0 && settled(await charge(asked), tokens)
          : await database.transaction(async run => {
              const first = tokens > 0 && settled((await chargeAll(run, [asked]))[0]!, tokens);
              await alongside(run);
              return first;
            });
      if (verdict) noteUsage(account, verdict.tokensUsed);
    },
  };
}

function settled(outcome: Outcome, tokens: number): Verdict {
  if ('error' in outcome) throw outcome.error;
  if (!outcome.charged) throw quotaError(outcome, tokens, (outcome.tokensAllowed ?? 0) - outcome.tokensUsed);
  return outcome;
}

/** Keeps the early quota check close to the truth between two readings of the account. */
function noteUsage(account: Account, tokensUsed: number): void {
  account.tokensUsed = Math.max(account.tokensUsed, tokensUsed);
}

/** What became of a charge; one that fails leaves the others of its batch, which may be on disk already, as they are. */
type Outcome = Verdict | { error: unknown };

async function chargeAll(run: Database['run'], charges: Charge[]): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(charges.length);
  const over = await attempt(run, group(charges), outcomes);
  if (over.length > 0) await chargeRolled(run, over, outcomes);
  return outcomes;
}

/** Charges again what was asked for of accounts whose period was over. */
async function chargeRolled(run: Database['run'], groups: Alike[], outcomes: Outcome[]): Promise<void> {
  const refuse = (refused: Alike[], error: unknown) => {
    for (const index of refused.flatMap(({ indexes }) => indexes)) outcomes[index] = { error };
  };
  try {
    await run('accounts/roll_period', [[...new Set(groups.map(({ accountId }) => accountId))]]);
    // Whose period was rolled and still has none: the contract has ended since the account was read.
    refuse(await attempt(run, groups, outcomes), noContract());
  } catch (error) {
    refuse(groups, error);
  }
}

/** Charges that differ in nothing: one row of the statement. */
type Alike = Charge & { indexes: number[] };

/** By account, in the order in which their periods are locked everywhere; the cheapest first. */
function group(charges: Charge[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const [index, charge] of charges.entries()) {
    const name = `${charge.accountId} ${charge.endpoint} ${charge.mode} ${charge.tokens}`;
    const known = groups.get(name);
    if (known) known.indexes.push(index);
    else groups.set(name, { ...charge, indexes: [index] });
  }
  return [...groups.values()].sort(compare);
}

function compare(a: Charge, b: Charge): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.tokens - b.tokens;
}

type ChargeRow = {
  n: number;
  charged: number;
  overage_allowed: boolean;
  payment_method: boolean;
  tokens_used: number;
  tokens_allowed: number | null;
};

/** One statement. Notes what became of the charges; returns those of accounts whose period is over. */
async function attempt(run: Database['run'], groups: Alike[], outcomes: Outcome[]): Promise<Alike[]> {
  const rows = await run<ChargeRow>('api/charge_calls', [
    groups.map(group => group.accountId),
    groups.map(group => group.endpoint),
    groups.map(group => group.mode),
    groups.map(group => group.tokens),
    groups.map(group => group.indexes.length),
    tokensBefore(groups),
  ]);
  const over = new Set(groups);
  const used = usedByAccount(groups, rows);
  for (const row of rows) {
    const group = groups[row.n - 1]!;
    over.delete(group);
    for (const [at, index] of group.indexes.entries())
      outcomes[index] = {
        charged: at < row.charged,
        overageAllowed: row.overage_allowed,
        paymentMethod: row.payment_method,
        tokensUsed: used.get(group.accountId)!,
        tokensAllowed: row.tokens_allowed,
      };
  }
  return [...over];
}

/** What each account has used in the end: a row tells it where something was charged, and an account's first row in any case. */
function usedByAccount(groups: Alike[], rows: ChargeRow[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const { n, charged, tokens_used } of rows) {
    const { accountId } = groups[n - 1]!;
    if (charged > 0 || !used.has(accountId)) used.set(accountId, tokens_used);
  }
  return used;
}

/** Of each group, the tokens of its account's groups before it. */
function tokensBefore(groups: Alike[]): number[] {
  let sum = 0;
  return groups.map(({ accountId }, at) => {
    const previous = groups[at - 1];
    sum = previous?.accountId === accountId ? sum + previous.tokens * previous.indexes.length : 0;
    return sum;
  });
}
