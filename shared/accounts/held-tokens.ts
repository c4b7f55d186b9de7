import type { Db } from '../platform/db.ts';
import type { Mode } from './tiers.ts';

/** A period may end or change while it is read, so it is tried this many times. */
const MAX_TRIES = 3;

/** @returns false if the statement returns no row after all tries */
async function onPeriod(db: Db, accountId: string, name: string, values: object): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await db.run('accounts/roll_period', { account_ids: [accountId] });
    if ((await db.run(name, { account_id: accountId, ...values })).length > 0) return true;
  }
  return false;
}

/**
 * Holds tokens for a later charge, so that nothing else can use them. Run it in the transaction that starts
 * the work. @returns whether the account has enough tokens
 */
export const holdTokens = (db: Db, accountId: string, tokens: number): Promise<boolean> =>
  onPeriod(db, accountId, 'accounts/hold_tokens', { tokens });

export async function releaseTokens(db: Db, accountId: string, tokens: number): Promise<void> {
  if (tokens > 0) await db.run('accounts/release_tokens', { account_id: accountId, tokens });
}

export type HeldCharge = { held: number; tokens: number; endpoint: string; mode: Mode };

/** Charges the current period and releases the hold. @returns whether the account has enough tokens */
export const chargeHeld = (
  db: Db,
  accountId: string,
  { held, tokens, endpoint, mode }: HeldCharge,
): Promise<boolean> =>
  onPeriod(db, accountId, 'accounts/charge_held', { held, tokens, metering_key: endpoint, mode });

export type Quota = { overageAllowed: boolean; paymentMethod: boolean; left: number };

/** Tokens that an account has left, excluding held ones. */
export async function readQuota(db: Db, accountId: string): Promise<Quota> {
  return (await db.run<Quota>('accounts/read_quota', { account_id: accountId }))[0]!;
}
