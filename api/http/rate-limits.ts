import type { Redis } from 'ioredis';
import { PlatError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { batch } from './batch.ts';
import type { Account } from './callers.ts';
import type { Database } from './database.ts';
import { type Admitted, type Asked, type Buckets, CALL } from './rate-limits-buckets.ts';
import { openPostgresBuckets } from './rate-limits-postgres.ts';
import { openRedisBuckets, redisElse } from './rate-limits-redis.ts';

/** What an account without settings of its own may do: 60 calls a minute in bursts of up to 120. */
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_BURST = 120;

/** The limit of some endpoints' calls together, which count besides as every account's calls do. */
export type ExtraLimit = 'skip_trace';

export type Bucket = {
  /** The policy's name in the IETF draft's headers. */
  name: 'account' | 'skip-trace';
  perMinute: number;
  burst: number;
  /** After this call, in 60 millionths of a call. */
  level: number;
};

/** A call's bucket or buckets. It is admitted when each of them has a call; refused, it takes nothing from any. */
export type RateState = { admitted: boolean; buckets: readonly Bucket[] };

export type RateLimits = { take(account: Account, extra?: ExtraLimit): Promise<RateState> };

/**
 * The accounts' token buckets: in Redis when there is one, else in the database. Calls that are in flight together share
 * a round trip.
 * @param prefix before the names of keys in Redis.
 */
export function openRateLimits(
  database: Database,
  redis: Redis | undefined,
  prefix: string,
  log: Logger,
): RateLimits {
  const postgres = openPostgresBuckets(database);
  const buckets = redis ? redisElse(openRedisBuckets(redis, prefix), postgres, log) : postgres;
  const take = batch<Call, RateState>(calls => admit(buckets, calls));
  return { take: (account, extra) => take({ account, extra }) };
}

type Call = { account: Account; extra: ExtraLimit | undefined };

/** Asks for all calls of an account together, then deals out what its buckets let through in the order of the calls. */
async function admit(buckets: Buckets, calls: Call[]): Promise<RateState[]> {
  const asked = new Map<string, Asked>();
  for (const { account, extra } of calls) {
    const { id: accountId, ratePerMinute: perMinute, rateBurst: burst, skipTracePerMinute } = account;
    const limits = { accountId, plain: 0, skipTraces: 0, perMinute, burst, skipTracePerMinute };
    const sum = asked.get(accountId) ?? limits;
    if (extra === 'skip_trace') sum.skipTraces++;
    else sum.plain++;
    asked.set(accountId, sum);
  }
  const list = [...asked.values()];
  const answers = await buckets(list);
  const shares = new Map(
    list.map((limits, at) => [limits.accountId, { limits, after: answers[at]!, left: { ...answers[at]! } }]),
  );
  return calls.map(({ account, extra }) => deal(shares.get(account.id)!, extra));
}

type Share = { limits: Asked; after: Admitted; left: Pick<Admitted, 'plain' | 'skipTraces'> };

/** One call's share of what was let through. For this call a bucket still holds what the later ones take. */
function deal({ limits, after, left }: Share, extra: ExtraLimit | undefined): RateState {
  const { perMinute, burst, skipTracePerMinute } = limits;
  const kind = extra === 'skip_trace' ? 'skipTraces' : 'plain';
  const admitted = left[kind] > 0;
  if (admitted) left[kind]--;
  // All plain calls come before all skip traces.
  const later = kind === 'plain' ? left.plain + after.skipTraces : left.skipTraces;
  const all: Bucket = { name: 'account', perMinute, burst, level: after.level + CALL * later };
  if (kind === 'plain') return { admitted, buckets: [all] };
  const level = after.skipTraceLevel + CALL * later;
  const traces: Bucket = {
    name: 'skip-trace',
    perMinute: skipTracePerMinute,
    burst: skipTracePerMinute,
    level,
  };
  return { admitted, buckets: [all, traces] };
}

const callsIn = (bucket: Bucket): number => Math.max(0, Math.floor(bucket.level / CALL));

/** Seconds until the bucket holds so many calls, rounded up. */
const secondsUntil = ({ level, perMinute }: Bucket, calls: number): number =>
  Math.max(0, Math.ceil((calls * CALL - level) / (perMinute * 1_000_000)));

/** @throws PlatError `rate_limited` with the seconds until every bucket holds a call again. */
export function requireAdmitted(rate: RateState): void {
  if (rate.admitted) return;
  const [longest] = rate.buckets.toSorted((a, b) => secondsUntil(b, 1) - secondsUntil(a, 1));
  const { name, perMinute, burst } = longest!;
  const seconds = Math.max(1, secondsUntil(longest!, 1));
  throw new PlatError(
    'rate_limited',
    `Too many ${name === 'account' ? 'calls' : 'skip traces'}: ${perMinute} a minute, in bursts of up to ${burst}. Try again in ${seconds} s.`,
    {
      status: 429,
      headers: { 'Retry-After': String(seconds) },
    },
  );
}

/** Of a call's buckets the one that holds the fewest calls; of equals the one that is full again later. */
function tightest(buckets: readonly Bucket[]): Bucket {
  return buckets.reduce((a, b) => {
    const fewer = callsIn(b) - callsIn(a) || secondsUntil(a, a.burst) - secondsUntil(b, b.burst);
    return fewer < 0 ? b : a;
  });
}

/**
 * The buckets as headers: RateLimit-Policy and RateLimit name them all, X-RateLimit-… tell the tightest. X-RateLimit-Reset is the
 * epoch second at which it is full again, RateLimit's `t` the seconds until then (draft-ietf-httpapi-ratelimit-headers: a bucket
 * of q calls that fills in w seconds).
 */
export function rateHeaders({ buckets }: RateState, now = Date.now()): string[] {
  const tight = buckets.length === 1 ? buckets[0]! : tightest(buckets);
  return [
    'X-RateLimit-Limit',
    String(tight.burst),
    'X-RateLimit-Remaining',
    String(callsIn(tight)),
    'X-RateLimit-Reset',
    String(Math.ceil(now / 1_000) + secondsUntil(tight, tight.burst)),
    'RateLimit-Policy',
    buckets
      .map(({ name, burst, perMinute }) => `"${name}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`)
      .join(', '),
    'RateLimit',
    buckets
      .map(bucket => `"${bucket.name}";r=${callsIn(bucket)};t=${secondsUntil(bucket, bucket.burst)}`)
      .join(', '),
  ];
}

/** For the headers of a response whose account is not known (yet): the default limits, nothing taken. */
export const UNTOUCHED = untouched({ ratePerMinute: DEFAULT_PER_MINUTE, rateBurst: DEFAULT_BURST });

/** For the headers of a call that is refused before it is counted: a full bucket. */
export function untouched({
  ratePerMinute: perMinute,
  rateBurst: burst,
}: Pick<Account, 'ratePerMinute' | 'rateBurst'>): RateState {
  return { admitted: true, buckets: [{ name: 'account', perMinute, burst, level: burst * CALL }] };
}
