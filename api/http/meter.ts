import type { Mode } from '../../shared/domain/tiers.ts';
import { batch } from './batch.ts';
import type { Account, Caller } from './callers.ts';
import type { Database } from './database.ts';
import { noContract, quotaError } from './standing.ts';

/** What one call costs, and under which metering key. */
export type Charge = { accountId: string; endpoint: string; mode: Mode; tokens: number };

type Verdict = { charged: boolean; overageAllowed: boolean; paymentMethod: boolean; tokensUsed: number };

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

/** Charges that are in flight together share one statement and one durable commit; those with something alongside have their own. */
export function openMeter(database: Database): Meter {
  const charge = batch<Charge, Verdict>(charges => chargeAll(database.run, charges));
  return {
    async charge({ account, mode }, endpoint, tokens, alongside) {
      const asked = { accountId: account.id, endpoint, mode, tokens };
      const verdict =
        alongside === undefined
          ? tokens > 0 && settled(await charge(asked))
          : await database.transaction(async run => {
              const first = tokens > 0 && settled((await chargeAll(run, [asked]))[0]!);
              await alongside(run);
              return first;
            });
      if (verdict) noteUsage(account, verdict.tokensUsed);
    },
  };
}

function settled(verdict: Verdict): Verdict {
  if (!verdict.charged) throw quotaError(verdict);
  return verdict;
}

/** Keeps the early quota check close to the truth between two readings of the account. */
function noteUsage(account: Account, tokensUsed: number): void {
  account.tokensUsed = Math.max(account.tokensUsed, tokensUsed);
}

async function chargeAll(run: Database['run'], charges: Charge[]): Promise<Verdict[]> {
  const verdicts = await attempt(run, charges);
  const over = charges.filter((_, index) => verdicts[index] === undefined);
  if (over.length === 0) return verdicts as Verdict[];
  await run('accounts/roll_period', [[...new Set(over.map(charge => charge.accountId))]]);
  const again = await attempt(run, over);
  return verdicts.map(verdict => {
    const settled = verdict ?? again.shift();
    // Its period is rolled, so it has none: the contract has ended since the account was read.
    if (settled === undefined) throw noContract();
    return settled;
  });
}

type ChargeRow = {
  n: number;
  charged: boolean;
  overage_allowed: boolean;
  payment_method: boolean;
  tokens_used: number | null;
};

/** One statement; undefined for charges of accounts whose period is over. */
async function attempt(run: Database['run'], charges: Charge[]): Promise<(Verdict | undefined)[]> {
  const order = charges.map((_, index) => index).sort((a, b) => compare(charges[a]!, charges[b]!));
  const ordered = order.map(index => charges[index]!);
  const rows = await run<ChargeRow>('api/charge_calls', [
    ordered.map(charge => charge.accountId),
    ordered.map(charge => charge.endpoint),
    ordered.map(charge => charge.mode),
    ordered.map(charge => charge.tokens),
  ]);
  const verdicts = new Array<Verdict | undefined>(charges.length).fill(undefined);
  for (const row of rows) {
    verdicts[order[row.n - 1]!] = {
      charged: row.charged,
      overageAllowed: row.overage_allowed,
      paymentMethod: row.payment_method,
      tokensUsed: row.tokens_used ?? 0,
    };
  }
  return verdicts;
}

function compare(a: Charge, b: Charge): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.tokens - b.tokens;
}
