import { PlatError } from '../../shared/errors.ts';
import { batch } from './batch.ts';
import type { Account } from './callers.ts';
import type { Database } from './database.ts';

/** What an account without settings of its own may do: 60 calls a minute in bursts of up to 120. */
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_BURST = 120;

/** Levels of buckets are in 60 millionths of a call, which one call a minute gains in a microsecond: refilling is exact. */
const CALL = 60_000_000;

/** A limit that the calls of some endpoints share, besides the account's limit of all calls. */
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

/** Whose buckets, and how large. */
export type Limited = Pick<Account, 'id' | 'ratePerMinute' | 'rateBurst' | 'skipTracePerMinute'>;

export type RateLimits = { take(account: Limited, extra?: ExtraLimit): Promise<RateState> };

type Call = { account: Limited; extra: ExtraLimit | undefined };

/** The accounts' token buckets, which every process shares. Calls that are in flight together share a round trip. */
export function openRateLimits(database: Database): RateLimits {
  const take = batch<Call, RateState>(calls => admit(database, calls));
  return { take: (account, extra) => take({ account, extra }) };
}

/** The calls of one account that are asked for together. */
type Demand = { account: Limited; plain: number; skipTraces: number };

type AdmittedRow = {
  account_id: string;
  level: number;
  skip_trace_level: number;
  plain_admitted: number;
  skip_traces_admitted: number;
};

/** Asks for all calls of an account together, then deals out what its buckets let through in the order of the calls. */
async function admit(database: Database, calls: Call[]): Promise<RateState[]> {
  const demands = new Map<string, Demand>();
  for (const { account, extra } of calls) {
    const demand = demands.get(account.id) ?? { account, plain: 0, skipTraces: 0 };
    if (extra === 'skip_trace') demand.skipTraces++;
    else demand.plain++;
    demands.set(account.id, demand);
  }
  // In one order everywhere, so that two processes never wait for each other's rows in turn.
  const ordered = [...demands.values()].sort((a, b) => (a.account.id < b.account.id ? -1 : 1));
  const rows = await database.run<AdmittedRow>('api/admit_calls', [
    ordered.map(({ account }) => account.id),
    ordered.map(({ plain }) => plain),
    ordered.map(({ skipTraces }) => skipTraces),
    ordered.map(({ account }) => account.ratePerMinute),
    ordered.map(({ account }) => account.rateBurst),
    ordered.map(({ account }) => account.skipTracePerMinute),
  ]);
  const shares = new Map(
    rows.map(row => [
      row.account_id,
      { after: row, plain: row.plain_admitted, skipTraces: row.skip_traces_admitted },
    ]),
  );
  return calls.map(({ account, extra }) => deal(account, shares.get(account.id)!, extra));
}

/** How many of an account's calls are still to be dealt, and the levels after all of them. */
type Share = { after: AdmittedRow; plain: number; skipTraces: number };

/** One call's share of what was let through. For this call a bucket still holds what the later ones take. */
function deal(account: Limited, share: Share, extra: ExtraLimit | undefined): RateState {
  const { ratePerMinute: perMinute, rateBurst: burst, skipTracePerMinute } = account;
  const kind = extra === 'skip_trace' ? 'skipTraces' : 'plain';
  const admitted = share[kind] > 0;
  if (admitted) share[kind]--;
  const { level, skip_trace_level, skip_traces_admitted } = share.after;
  // All plain calls come before all skip traces.
  const later = CALL * (kind === 'plain' ? share.plain + skip_traces_admitted : share.skipTraces);
  const all: Bucket = { name: 'account', perMinute, burst, level: level + later };
  if (kind === 'plain') return { admitted, buckets: [all] };
  const traces: Bucket = {
    name: 'skip-trace',
    perMinute: skipTracePerMinute,
    burst: skipTracePerMinute,
    level: skip_trace_level + later,
  };
  return { admitted, buckets: [all, traces] };
}

const callsIn = (bucket: Bucket): number => Math.max(0, Math.floor(bucket.level / CALL));

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

/** The buckets as headers: RateLimit-Policy and RateLimit name them all (draft-ietf-httpapi-ratelimit-headers), X-RateLimit-… tell the tightest. */
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
