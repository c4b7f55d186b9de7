import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

/** What the tokens of a period cost; the terms at its end price all of them. */
export type Terms = {
  tokens_included: number;
  overage_cents_per_1000: number;
  overage_allowed: boolean;
  payment_method: boolean;
};

export type UsedPeriod = { period_start: Date; period_end: Date; tokens_used: number };

/**
 * Tokens that were used as included ones must not become overage that the account, as it has
 * become, may not have.
 * @param allowed the most tokens that charges may bring its period to, null for no ceiling. @throws
 * PlatError `account_change`.
 */
export function requireNoNewOverage(
  period: UsedPeriod,
  before: Terms,
  after: Terms,
  allowed: number | null,
): void {
  const becomes = overage(period, after);
  if (becomes <= overage(period, before) || allowed === null || period.tokens_used <= allowed) return;
  const missing = after.overage_allowed
    ? after.payment_method
      ? `and its backstop allows ${allowed - after.tokens_included}`
      : 'which the account may not have without a payment method'
    : 'which the account has not allowed';
  throw impossible(
    `The period has used ${period.tokens_used} tokens: with ${after.tokens_included} included, ${becomes} of them would become overage, ` +
      `${missing}. Wait for the period's end, ${period.period_end.toISOString()}, or insist (--force).`,
  );
}

/** What new terms make of the overage that the period has used already; undefined: what it was. */
export function overageNote(period: UsedPeriod, before: Terms, after: Terms): string | undefined {
  const [was, becomes] = [describe(period, before), describe(period, after)];
  if (was === becomes) return undefined;
  return `The overage of the period that began ${period.period_start.toISOString()} was ${was} and becomes ${becomes}.`;
}

const DAY_MS = 86_400_000;
/** Periods are months; a year and some weeks of grace is the longest that anybody bills at once. */
const MAX_DAYS = 400;
const YEARS = { first: 2000, last: 2100 };

/** What given dates come to, see accounts/find_period. */
type PeriodRow = {
  starts: Date;
  ends: Date;
  anchor: Date;
  skipped: boolean;
  created_at: Date;
  first_day: string | null;
  last_day: string | null;
};

export type PeriodDatesInput = {
  periodStart?: Date | undefined;
  periodEnd?: Date | undefined;
  force?: boolean;
};

export type PeriodDates = { period_start?: Date; period_anchor: Date; period_end: Date };

export type PeriodOwner = {
  id: string;
  tokens_used: number;
  period_start: Date | null;
  /** When the last period that is closed ended; null without one. */
  closed_until: Date | null;
  now: Date;
};

/**
 * The dates of an account's period by those that are given; without any, of a contract that begins now.
 * @returns what changes, and what to tell of it.
 * @throws PlatError `account_change` for dates far from now, a period that overlaps a closed one, is too
 * long, over, or leaves out days of its usage.
 */
export async function changePeriod(
  db: Db,
  account: PeriodOwner,
  given: PeriodDatesInput,
): Promise<{ dates: PeriodDates; note: string | undefined }> {
  const { periodStart, periodEnd } = given;
  if (periodStart && periodStart > account.now)
    throw impossible('The current period cannot start in the future: give --period-end.');
  for (const date of [periodStart, periodEnd]) if (date) requireNearYear(date);
  const values = { account_id: account.id, start: periodStart ?? null, end: periodEnd ?? null };
  const rows = await db.run<PeriodRow>('accounts/find_period', values);
  const period = rows[0]!;
  const moves = account.period_start === null || periodStart !== undefined || period.skipped;
  requirePossiblePeriod(period, moves ? account.closed_until : null);
  requireUsedDays(period, moves);
  if (period.ends <= account.now && account.tokens_used > 0 && !given.force)
    throw impossible(
      `The current period has used ${account.tokens_used} tokens. From ${span(period)} it would be over: it would be closed with them, ` +
        'and a new one would begin with its whole allotment. Give dates that are not over (--period-end), or insist (--force).',
    );
  const { anchor, starts, ends } = period;
  return {
    dates: { ...(moves ? { period_start: starts } : {}), period_anchor: anchor, period_end: ends },
    note: period.skipped
      ? `Periods that ended before the account was made, ${period.created_at.toISOString()}, are not opened: the first one is from ${span(period)}.`
      : undefined,
  };
}

function requireNearYear(date: Date): void {
  const year = date.getUTCFullYear();
  if (year < YEARS.first || year > YEARS.last)
    throw impossible(`A period lies in the years ${YEARS.first} to ${YEARS.last}, not in ${year}.`);
}

function requirePossiblePeriod({ starts, ends }: PeriodRow, closedUntil: Date | null): void {
  if (ends <= starts)
    throw impossible(
      `These dates do not fit: a period ends after it starts, not from ${span({ starts, ends })}.`,
    );
  if (closedUntil !== null && starts < closedUntil)
    throw impossible(
      `The period before it is closed and ended ${closedUntil.toISOString()}: this one cannot begin earlier.`,
    );
  const days = (ends.getTime() - starts.getTime()) / DAY_MS;
  if (days > MAX_DAYS)
    throw impossible(`The period would have ${Math.ceil(days)} days; at most ${MAX_DAYS} are possible.`);
}

function requireUsedDays(period: PeriodRow, moves: boolean): void {
  const { starts, ends, first_day, last_day } = period;
  if (first_day === null || last_day === null) return;
  const within = (!moves || first_day >= dayOf(starts)) && last_day <= dayOf(new Date(ends.getTime() - 1));
  if (within) return;
  const days = first_day === last_day ? `on ${first_day}` : `from ${first_day} to ${last_day}`;
  throw impossible(
    `The current period was used ${days}, which does not lie within ${span(period)}: usage is not booked into a period of other days, ` +
      'and --force does not help. Give dates (--period-start, --period-end) that hold these days.',
  );
}

/**
 * What became of periods that were over by new dates, once they are rolled; undefined: the period runs on.
 */
export async function closingNote(
  db: Db,
  account: PeriodOwner,
  starts: Date,
  ends: Date,
): Promise<string | undefined> {
  if (ends > account.now) return undefined;
  const rows = await db.run<{ closed: number; current: Date }>('accounts/count_closed', {
    account_id: account.id,
    first_start: starts,
  });
  const { closed, current } = rows[0]!;
  const later = closed > 1 ? ` So are the ${closed - 1} after it, unused: ${closed} periods are closed.` : '';
  return (
    `The period from ${span({ starts, ends })} is over by these dates: it is closed now, ` +
    `with ${account.tokens_used} tokens used, and a new one has begun, ${current.toISOString()}.${later}`
  );
}

function span({ starts, ends }: { starts: Date; ends: Date }): string {
  return `${starts.toISOString()} to ${ends.toISOString()}`;
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const impossible = (message: string): PlatError => new PlatError('account_change', message);

function overage({ tokens_used }: UsedPeriod, { tokens_included }: Terms): number {
  return Math.max(0, tokens_used - tokens_included);
}

/**
 * The amount as invoices have it: to the cent, half a cent rounded up; in BigInt, as the
 * product may pass 2^53.
 */
function describe(period: UsedPeriod, terms: Terms): string {
  const tokens = overage(period, terms);
  const cents = (BigInt(tokens) * BigInt(terms.overage_cents_per_1000) + 500n) / 1000n;
  return `${tokens} tokens for ${cents / 100n}.${String(cents % 100n).padStart(2, '0')} US dollars`;
}
