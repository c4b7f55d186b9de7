import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

/** Contract terms. The terms in effect at the end of a period apply to all its tokens. */
export type Terms = {
  tokens_included: number;
  overage_cents_per_1000: number;
  overage_allowed: boolean;
  payment_method: boolean;
};

export type UsedPeriod = { period_start: Date; period_end: Date; tokens_used: number };

/**
 * Rejects a change that would turn used included tokens into overage that the account doesn't allow.
 * @param allowed maximum number of tokens that the period may use, null if there is no limit. @throws
 * PlatError `account_change`
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
      ? `but its backstop allows only ${allowed - after.tokens_included}`
      : 'but the account has no payment method'
    : 'but the account has overage turned off';
  throw impossible(
    `The current period has used ${period.tokens_used} tokens. With ${after.tokens_included} included, ${becomes} of them would become overage, ` +
      `${missing}. Wait until the period ends at ${period.period_end.toISOString()}, or use --force.`,
  );
}

/**
 * A note on how new terms change the overage already used in the period. Undefined if they don't change it.
 */
export function overageNote(period: UsedPeriod, before: Terms, after: Terms): string | undefined {
  const [was, becomes] = [describe(period, before), describe(period, after)];
  if (was === becomes) return undefined;
  return `The overage of the period that started ${period.period_start.toISOString()} changes from ${was} to ${becomes}.`;
}

const DAY_MS = 86_400_000;
/** Periods are months. No one bills for more than a year plus a few weeks at once. */
const MAX_DAYS = 400;
const YEARS = { first: 2000, last: 2100 };

/** A period identified by its dates (see accounts/find_period). */
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
  /** When the last closed period ended; null if no period has been closed. */
  closed_until: Date | null;
  now: Date;
};

/**
 * Calculates the dates of an account's period. If the input has no dates, the period starts now.
 * @returns the changed dates, and a note for the operator
 * @throws PlatError `account_change` for dates far from now, and for a period that overlaps a closed one, is
 * too long, has ended, or doesn't cover all of its usage
 */
export async function changePeriod(
  db: Db,
  account: PeriodOwner,
  given: PeriodDatesInput,
): Promise<{ dates: PeriodDates; note: string | undefined }> {
  const { periodStart, periodEnd } = given;
  if (periodStart && periodStart > account.now)
    throw impossible('The current period cannot start in the future. Set --period-end instead.');
  for (const date of [periodStart, periodEnd]) if (date) requireNearYear(date);
  const values = { account_id: account.id, start: periodStart ?? null, end: periodEnd ?? null };
  const rows = await db.run<PeriodRow>('accounts/find_period', values);
  const period = rows[0]!;
  const moves = account.period_start === null || periodStart !== undefined || period.skipped;
  requirePossiblePeriod(period, moves ? account.closed_until : null);
  requireUsedDays(period, moves);
  if (period.ends <= account.now && account.tokens_used > 0 && !given.force)
    throw impossible(
      `The current period has used ${account.tokens_used} tokens. A period from ${span(period)} has already ended, so Plat would close it with those tokens ` +
        'and start a new one with all included tokens. Set an end in the future (--period-end), or use --force.',
    );
  const { anchor, starts, ends } = period;
  return {
    dates: { ...(moves ? { period_start: starts } : {}), period_anchor: anchor, period_end: ends },
    note: period.skipped
      ? `Periods that ended before the account was created (${period.created_at.toISOString()}) are skipped. The first one is from ${span(period)}.`
      : undefined,
  };
}

function requireNearYear(date: Date): void {
  const year = date.getUTCFullYear();
  if (year < YEARS.first || year > YEARS.last)
    throw impossible(`A period must be in the years ${YEARS.first} to ${YEARS.last}, not in ${year}.`);
}

function requirePossiblePeriod({ starts, ends }: PeriodRow, closedUntil: Date | null): void {
  if (ends <= starts)
    throw impossible(`A period must end after it starts. These dates are from ${span({ starts, ends })}.`);
  if (closedUntil !== null && starts < closedUntil)
    throw impossible(
      `The previous period is closed and ended at ${closedUntil.toISOString()}. This one cannot start earlier.`,
    );
  const days = (ends.getTime() - starts.getTime()) / DAY_MS;
  if (days > MAX_DAYS)
    throw impossible(`The period would have ${Math.ceil(days)} days. It can have up to ${MAX_DAYS}.`);
}

function requireUsedDays(period: PeriodRow, moves: boolean): void {
  const { starts, ends, first_day, last_day } = period;
  if (first_day === null || last_day === null) return;
  const within = (!moves || first_day >= dayOf(starts)) && last_day <= dayOf(new Date(ends.getTime() - 1));
  if (within) return;
  const days = first_day === last_day ? `on ${first_day}` : `from ${first_day} to ${last_day}`;
  throw impossible(
    `The current period has usage ${days}, which is not within ${span(period)}. Plat doesn't move usage to a period of other days, ` +
      'even with --force. Set dates (--period-start, --period-end) that include these days.',
  );
}

/** A note about periods that the new dates close; undefined if the period stays open. */
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
  const later =
    closed > 1 ? ` The ${closed - 1} unused ones after it were closed too: ${closed} periods in total.` : '';
  return (
    `With these dates, the period from ${span({ starts, ends })} has ended. It was closed ` +
    `with ${account.tokens_used} tokens used, and a new one started at ${current.toISOString()}.${later}`
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
 * The amount as shown on invoices, rounded to the cent, with half a cent rounded up. The product can exceed
 * 2^53.
 */
function describe(period: UsedPeriod, terms: Terms): string {
  const tokens = overage(period, terms);
  const cents = (BigInt(tokens) * BigInt(terms.overage_cents_per_1000) + 500n) / 1000n;
  return `${tokens} tokens for ${cents / 100n}.${String(cents % 100n).padStart(2, '0')} US dollars`;
}
