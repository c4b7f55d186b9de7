import type { Db } from '../platform/db.ts';
import type { Values } from '../platform/named-parameters.ts';
import type { Mode } from './tiers.ts';

/** Maximum number of attempts. A period may end or change while a statement reads it. */
const MAX_TRIES = 3;

/** @returns false if the statement returns no row after all attempts, or charges nothing */
async function onPeriod(db: Db, accountId: string, name: string, values: Values): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await db.run('accounts/roll_period', { account_ids: [accountId] });
    const [row] = await db.run<{ charged?: number }>(name, values);
    if (row !== undefined) return row.charged !== 0;
  }
  return false;
}

/**
 * Holds tokens for a later charge, so that nothing else can use them. Run it in the transaction that starts
 * the work. @returns whether the account has enough tokens
 */
export const holdTokens = (db: Db, accountId: string, tokens: number): Promise<boolean> =>
  onPeriod(db, accountId, 'accounts/hold_tokens', { account_id: accountId, tokens });

export async function releaseTokens(db: Db, accountId: string, tokens: number): Promise<void> {
  if (tokens > 0) await db.run('accounts/release_tokens', { account_id: accountId, tokens });
}

export type HeldCharge = { held: number; tokens: number; endpoint: string; mode: Mode };

/**
 * Releases the held tokens and charges `tokens` in the current period. @returns whether the account has
 * enough tokens
 */
export async function chargeHeld(
  db: Db,
  accountId: string,
  { held, tokens, endpoint, mode }: HeldCharge,
): Promise<boolean> {
  // Lock the account before its period, in the same order as everywhere else.
  await db.run('accounts/roll_period', { account_ids: [accountId] });
  await releaseTokens(db, accountId, held);
  if (tokens === 0) return holdTokens(db, accountId, 0);
  return onPeriod(db, accountId, 'accounts/charge_calls', {
    account_ids: [accountId],
    metering_keys: [endpoint],
    modes: [mode],
    tokens: [tokens],
    each: [1],
    calls: [1],
  });
}

export type Quota = { overageAllowed: boolean; paymentMethod: boolean; left: number };

/** The tokens that an account has left, excluding held tokens. */
export async function readQuota(db: Db, accountId: string): Promise<Quota> {
  return (await db.run<Quota>('accounts/read_quota', { account_id: accountId }))[0]!;
}
