import { PlatError } from '../../shared/errors.ts';
import { batch } from './batch.ts';
import type { Account } from './callers.ts';
import type { Database } from './database.ts';

/** What an account without settings of its own may do: 60 calls a minute in bursts of up to 120. */
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_BURST = 120;

export type RateState = {
  perMinute: number;
  burst: number;
  admitted: boolean;
  /** Tokens in the bucket after this call. */
  tokens: number;
};

/** The bucket of every account's calls, free ones included. */
const ALL_CALLS = 'calls';

export type RateLimits = { take(account: Account): Promise<RateState> };

type Ask = { accountId: string; bucket: string; perMinute: number; burst: number };

/** Token buckets in the database, shared by every process; calls that are in flight together share a statement. */
export function openRateLimits(database: Database): RateLimits {
  const take = batch<Ask, RateState>(asks => admit(database, asks));
  return {
    take: account =>
      take({
        accountId: account.id,
        bucket: ALL_CALLS,
        perMinute: account.ratePerMinute,
        burst: account.rateBurst,
      }),
  };
}

type BucketRow = { account_id: string; bucket: string; tokens: number; admitted: number };

async function admit(database: Database, asks: Ask[]): Promise<RateState[]> {
  const groups = new Map<string, Ask & { calls: number }>();
  for (const ask of asks) {
    const group = groups.get(keyOf(ask.accountId, ask.bucket));
    if (group) group.calls++;
    else groups.set(keyOf(ask.accountId, ask.bucket), { ...ask, calls: 1 });
  }
  const ordered = [...groups.keys()].sort().map(key => groups.get(key)!);
  const rows = await database.run<BucketRow>('api/admit_calls', [
    ordered.map(group => group.accountId),
    ordered.map(group => group.bucket),
    ordered.map(group => group.calls),
    ordered.map(group => group.perMinute),
    ordered.map(group => group.burst),
  ]);
  // The first calls of a bucket get its tokens: each leaves those that the later ones take.
  const left = new Map(
    rows.map(row => [keyOf(row.account_id, row.bucket), { tokens: row.tokens, admitted: row.admitted }]),
  );
  return asks.map(({ accountId, bucket, perMinute, burst }) => {
    const state = left.get(keyOf(accountId, bucket))!;
    const admitted = state.admitted > 0;
    if (admitted) state.admitted--;
    return { perMinute, burst, admitted, tokens: state.tokens + state.admitted };
  });
}

function keyOf(accountId: string, bucket: string): string {
  return `${accountId} ${bucket}`;
}

/** @throws PlatError `rate_limited` with the seconds until the bucket holds a token again. */
export function requireAdmitted(rate: RateState): void {
  if (rate.admitted) return;
  const seconds = Math.max(1, Math.ceil(((1 - rate.tokens) * 60) / rate.perMinute));
  throw new PlatError(
    'rate_limited',
    `Too many calls: ${rate.perMinute} a minute, in bursts of up to ${rate.burst}. Try again in ${seconds} s.`,
    {
      status: 429,
      headers: { 'Retry-After': String(seconds) },
    },
  );
}

/**
 * The bucket as headers: X-RateLimit-Reset is the epoch second at which it is full again, RateLimit's `t` the seconds
 * until then (draft-ietf-httpapi-ratelimit-headers: a bucket of q calls that fills in w seconds).
 */
export function rateHeaders(rate: RateState, now = Date.now()): string[] {
  const { perMinute, burst } = rate;
  const remaining = Math.max(0, Math.floor(rate.tokens));
  const untilFull = Math.ceil(((burst - rate.tokens) * 60) / perMinute);
  return [
    'X-RateLimit-Limit',
    String(burst),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(Math.ceil(now / 1_000) + untilFull),
    'RateLimit-Policy',
    `"account";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`,
    'RateLimit',
    `"account";r=${remaining};t=${untilFull}`,
  ];
}

/** The headers of a response whose account is not known (yet): the default limits, nothing taken. */
export const UNTOUCHED: RateState = {
  perMinute: DEFAULT_PER_MINUTE,
  burst: DEFAULT_BURST,
  admitted: true,
  tokens: DEFAULT_BURST,
};
