import { PRICES } from '../../shared/model/prices.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { batch } from './batch.ts';
import type { Account } from './callers.ts';

/** Default limits: 60 calls per minute, in bursts of up to 120. */
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_BURST = 120;

/** Bucket levels are in 60-millionths of a call. A limit of 1 per minute gains exactly 1 unit per µs. */
const CALL = 60_000_000;

/** A limit shared by some endpoints, in addition to the account's bucket. Counts calls in any 60 seconds. */
export type ExtraLimit = 'skip_trace';

export type Limit = {
  /** The policy's name in the IETF draft's headers. */
  name: 'account' | 'skip-trace' | 'tiles';
  perMinute: number;
  /** Number of calls allowed at once. */
  burst: number;
  remaining: number;
  /** Seconds until one call is available, and until all calls are. */
  nextIn: number;
  fullIn: number;
};

/**
 * A call's limits. The call is admitted if each limit has a call left. A refused call doesn't count against
 * any of them.
 */
export type RateState = { admitted: boolean; limits: readonly Limit[] };

export type RateLimitedAccount = Pick<
  Account,
  'id' | 'ratePerMinute' | 'rateBurst' | 'skipTracePerMinute'
> & {
  /** Default: `account`. */
  limit?: Limit['name'];
};

export type RateLimits = {
  admit(account: RateLimitedAccount, extra?: ExtraLimit | 'tiles'): Promise<RateState>;
};

/** A map shows about this many tiles, and they cost one token. */
const TILES_PER_CALL = PRICES.tiles.each;

/**
 * An account's limit for tiles, in a bucket of its own. Account ids have version 4, and version 8 is free to
 * use (RFC 9562), so no account has the bucket's id.
 */
const tileLimitOf = (account: RateLimitedAccount): RateLimitedAccount => ({
  ...account,
  id: `${account.id.slice(0, 14)}8${account.id.slice(15)}`,
  ratePerMinute: TILES_PER_CALL * account.ratePerMinute,
  rateBurst: TILES_PER_CALL * account.rateBurst,
  limit: 'tiles',
});

type Call = { account: RateLimitedAccount; extra: ExtraLimit | undefined };

/** Account limits, shared by all processes. Concurrent calls share a round trip. */
export function openRateLimits(db: Db): RateLimits {
  const take = batch<Call, RateState>(calls => admit(db, calls));
  return {
    admit: (account, extra) =>
      extra === 'tiles'
        ? take({ account: tileLimitOf(account), extra: undefined })
        : take({ account, extra }),
  };
}

type AccountCalls = { account: RateLimitedAccount; plain: number; skipTraces: number };

type AdmittedRow = {
  account_id: string;
  level: number;
  plain_admitted: number;
  skip_traces_admitted: number;
  /** Number of skip traces in the last minute. */
  skip_traces: number;
  /** Seconds until one skip trace is available, and until all of them are. */
  skip_trace_in: number;
  skip_traces_in: number;
};

async function admit(db: Db, calls: Call[]): Promise<RateState[]> {
  const demands = new Map<string, AccountCalls>();
  for (const { account, extra } of calls) {
    const demand = demands.get(account.id) ?? { account, plain: 0, skipTraces: 0 };
    if (extra === 'skip_trace') demand.skipTraces++;
    else demand.plain++;
    demands.set(account.id, demand);
  }
  // Sorted, so that two processes can't deadlock on each other's rows.
  const ordered = [...demands.values()].sort((a, b) => (a.account.id < b.account.id ? -1 : 1));
  const rows = await db.run<AdmittedRow>('accounts/admit_calls', {
    account_ids: ordered.map(({ account }) => account.id),
    calls: ordered.map(({ plain }) => plain),
    skip_traces: ordered.map(({ skipTraces }) => skipTraces),
    calls_per_minute: ordered.map(({ account }) => account.ratePerMinute),
    bursts: ordered.map(({ account }) => account.rateBurst),
    skip_traces_per_minute: ordered.map(({ account }) => account.skipTracePerMinute),
  });
  const shares = new Map(
    rows.map(row => [
      row.account_id,
      { after: row, plain: row.plain_admitted, skipTraces: row.skip_traces_admitted },
    ]),
  );
  return calls.map(({ account, extra }) => allot(account, shares.get(account.id)!, extra));
}

/** An account's admitted calls that have not been allotted yet, and its limits after all of them. */
type Share = { after: AdmittedRow; plain: number; skipTraces: number };

/** Allots one call. The limits that it returns don't yet subtract the calls allotted later. */
function allot(account: RateLimitedAccount, share: Share, extra: ExtraLimit | undefined): RateState {
  const { skipTracePerMinute: burst } = account;
  const kind = extra === 'skip_trace' ? 'skipTraces' : 'plain';
  const admitted = share[kind] > 0;
  if (admitted) share[kind]--;
  const { after } = share;
  // All plain calls count as earlier than any skip trace.
  const later = kind === 'plain' ? share.plain + after.skip_traces_admitted : share.skipTraces;
  const all = bucketOf(account, after.level + CALL * later);
  if (kind === 'plain') return { admitted, limits: [all] };
  const traces: Limit = {
    name: 'skip-trace',
    perMinute: burst,
    burst,
    remaining: Math.max(0, burst - after.skip_traces + later),
    nextIn: Math.ceil(after.skip_trace_in),
    fullIn: Math.ceil(after.skip_traces_in),
  };
  return { admitted, limits: [all, traces] };
}

/** The bucket for all calls. @param level in units of one 60-millionth of a call */
function bucketOf(
  {
    ratePerMinute: perMinute,
    rateBurst: burst,
    limit: name = 'account',
  }: Pick<RateLimitedAccount, 'ratePerMinute' | 'rateBurst' | 'limit'>,
  level: number,
): Limit {
  const secondsUntil = (calls: number) =>
    Math.max(0, Math.ceil((calls * CALL - level) / (perMinute * 1_000_000)));
  const remaining = Math.max(0, Math.floor(level / CALL));
  return {
    name,
    perMinute,
    burst,
    remaining,
    nextIn: secondsUntil(1),
    fullIn: secondsUntil(burst),
  };
}

/** @throws PlatError `rate_limited`, with the number of seconds until every limit has a call left */
export function requireAdmitted({ admitted, limits }: RateState): void {
  if (admitted) return;
  const [{ name, perMinute, burst, nextIn }] = limits.toSorted((a, b) => b.nextIn - a.nextIn) as [Limit];
  const seconds = Math.max(1, nextIn);
  const allowed =
    name === 'skip-trace'
      ? `skip traces. The limit is ${perMinute} in any minute`
      : `${name === 'tiles' ? 'tiles' : 'calls'}. The limit is ${perMinute} per minute, in bursts of up to ${burst}`;
  throw new PlatError('rate_limited', `Too many ${allowed}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** The limit with the fewest calls left. If several are tied, the one that takes longest to refill. */
function tightest(limits: readonly Limit[]): Limit {
  return limits.reduce((a, b) => {
    const fewer = b.remaining - a.remaining || a.fullIn - b.fullIn;
    return fewer < 0 ? b : a;
  });
}

/**
 * The limits as headers. RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers) list all of
 * them, and X-RateLimit-… shows the tightest.
 */
export function rateHeaders({ limits }: RateState, now = Date.now()): string[] {
  const tight = limits.length === 1 ? limits[0]! : tightest(limits);
  return [
    'X-RateLimit-Limit',
    String(tight.burst),
    'X-RateLimit-Remaining',
    String(tight.remaining),
    'X-RateLimit-Reset',
    String(Math.ceil(now / 1_000) + tight.fullIn),
    'RateLimit-Policy',
    limits
      .map(({ name, burst, perMinute }) => `"${name}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`)
      .join(', '),
    'RateLimit',
    limits.map(({ name, remaining, fullIn }) => `"${name}";r=${remaining};t=${fullIn}`).join(', '),
  ];
}

/** For responses without a known account: the default limits, with nothing used. */
export const UNUSED_LIMITS = unusedLimits({ ratePerMinute: DEFAULT_PER_MINUTE, rateBurst: DEFAULT_BURST });

/** A full bucket, for calls that are refused before they are counted. */
export function unusedLimits(account: Pick<Account, 'ratePerMinute' | 'rateBurst'>): RateState {
  return { admitted: true, limits: [bucketOf(account, account.rateBurst * CALL)] };
}
