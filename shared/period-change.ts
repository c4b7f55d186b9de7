import { PlatError } from './errors.ts';

/** What the tokens of a period cost; the terms at its end price all of them. */
export type Terms = { tokens_included: number; overage_cents_per_1000: number; overage_allowed: boolean };

/** The current period of an account with a contract. */
export type UsedPeriod = { period_start: Date; period_end: Date; tokens_used: number };

/**
 * Tokens that were used as included ones must not become overage for a customer who has not allowed any.
 * @throws PlatError `account_change`.
 */
export function requireNoInventedOverage(period: UsedPeriod, before: Terms, after: Terms): void {
  const [was, becomes] = [overage(period, before), overage(period, after)];
  if (becomes <= was || (before.overage_allowed && after.overage_allowed)) return;
  throw new PlatError(
    'account_change',
    `The period has used ${period.tokens_used} tokens: with ${after.tokens_included} included, ${becomes} of them would become overage, ` +
      `which the account has not allowed. Wait for the period's end, ${period.period_end.toISOString()}, or insist (--force).`,
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
const MOST_DAYS = 400;
const YEARS = { first: 2000, last: 2100 };

/**
 * @param closedUntil when the last period that is closed ended; null without one.
 * @throws PlatError `account_change` for dates far from now, a period that overlaps a closed one, and one that is too long.
 */
export function requirePossiblePeriod(starts: Date, ends: Date, closedUntil: Date | null): void {
  for (const date of [starts, ends]) {
    const year = date.getUTCFullYear();
    if (year < YEARS.first || year > YEARS.last)
      throw impossible(`A period lies in the years ${YEARS.first} to ${YEARS.last}, not in ${year}.`);
  }
  if (closedUntil !== null && starts < closedUntil)
    throw impossible(
      `The period before it is closed and ended ${closedUntil.toISOString()}: this one cannot begin earlier.`,
    );
  const days = (ends.getTime() - starts.getTime()) / DAY_MS;
  if (days > MOST_DAYS)
    throw impossible(`The period would have ${Math.ceil(days)} days; at most ${MOST_DAYS} are possible.`);
}

/** What a change of dates does when the period is over by them; undefined: it runs on. */
export function closingNote(starts: Date, ends: Date, tokensUsed: number, now: Date): string | undefined {
  if (ends > now) return undefined;
  return (
    `The period from ${starts.toISOString()} to ${ends.toISOString()} is over by these dates: it is closed now, ` +
    `with ${tokensUsed} tokens used, and a new one has begun.`
  );
}

function impossible(message: string): PlatError {
  return new PlatError('account_change', message);
}

function overage({ tokens_used }: UsedPeriod, { tokens_included }: Terms): number {
  return Math.max(0, tokens_used - tokens_included);
}

/** The amount as invoices have it: to the cent, half a cent rounded up; in BigInt, as the product may pass 2^53. */
function describe(period: UsedPeriod, terms: Terms): string {
  const tokens = overage(period, terms);
  const cents = (BigInt(tokens) * BigInt(terms.overage_cents_per_1000) + 500n) / 1000n;
  return `${tokens} tokens for ${cents / 100n}.${String(cents % 100n).padStart(2, '0')} US dollars`;
}
