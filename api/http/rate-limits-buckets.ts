/**
 * Levels of buckets are in 60 millionths of a call: what a limit of one call a minute gains in a microsecond, the clock's step. So
 * refilling is exact.
 */
export const CALL = 60_000_000;

/** What is asked for of one account's buckets at once. The bucket of skip traces holds a minute's worth. */
export type Asked = {
  accountId: string;
  /** Calls that are no skip traces. */
  plain: number;
  skipTraces: number;
  perMinute: number;
  burst: number;
  skipTracePerMinute: number;
};

/** How many calls were let through, plain ones first, and the levels after that. */
export type Admitted = { plain: number; skipTraces: number; level: number; skipTraceLevel: number };

/** Asks buckets that every process shares, an account once at most; answers in the order of what is asked. */
export type Buckets = (asked: Asked[]) => Promise<Admitted[]>;
