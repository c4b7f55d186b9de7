import { type Command, InvalidArgumentError } from 'commander';
import { FEED_NAME } from '../../shared/feeds/file-feeds.ts';
import { isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { feedName } from '../../workers/setup/feed-name.ts';

/** Option parsers for Commander. Each error shows the expected format. */

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Enter a whole number.');
  // Nine digits fit in a PostgreSQL int.
  if (Number(text) > 999_999_999) throw new InvalidArgumentError('Enter a number up to 999,999,999.');
  return Number(text);
}

export function fips(text: string): number {
  if (!/^\d{4,5}$/.test(text)) throw new InvalidArgumentError('Enter a 5-digit FIPS code, such as 33019.');
  return Number(text);
}

export const fipsList = (text: string, before: number[] = []): number[] => [...before, fips(text)];

export function zip(text: string): string {
  if (!/^\d{5}$/.test(text)) throw new InvalidArgumentError('Enter a 5-digit ZIP code, such as 03280.');
  return text;
}

export function propertyId(text: string): number {
  if (!/^\d{12,13}$/.test(text))
    throw new InvalidArgumentError('Enter a property_id of 12 or 13 digits, such as 3301900000001.');
  return Number(text);
}

export function nameOfFeed(text: string): string {
  if (!FEED_NAME.test(text))
    throw new InvalidArgumentError(
      `Enter up to 63 lowercase letters, digits, and hyphens, such as ${feedName(text)}.`,
    );
  return text;
}

export function day(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  if (
    !/^\d{4}-\d{2}-\d{2}$/.test(text) ||
    Number.isNaN(date.getTime()) ||
    !date.toISOString().startsWith(text)
  ) {
    throw new InvalidArgumentError('Enter a date as YYYY-MM-DD, such as 2025-09-28.');
  }
  return text;
}

export function pastDay(text: string): string {
  const today = isoDay(utcDay(Date.now()));
  if (day(text) > today)
    throw new InvalidArgumentError(`The date is in the future. Today is ${today} in UTC.`);
  return text;
}

/** The end of today or of a future day, in UTC. */
export function endOfFutureDay(text: string): Date {
  const end = new Date(`${day(text)}T23:59:59Z`);
  if (end.getTime() < Date.now()) throw new InvalidArgumentError('The date must be in the future.');
  return end;
}

/** Rejects `--name` together with `--no-name`. Commander would use the last one. */
export function requireNotBoth(command: Command, ...names: string[]): void {
  for (const name of names) {
    const given = new Set<string>();
    for (const flag of [`--${name}`, `--no-${name}`])
      command.on(`option:${flag.slice(2)}`, () => {
        if (given.add(flag).size > 1) command.error(`error: use either --${name} or --no-${name}, not both.`);
      });
  }
}

/** The person running a command, as recorded in jobs and runs. */
export const requestedByOperator = (): string => `operator ${process.env.USER ?? ''}`.trim();

/** A date (meaning its start in UTC) or a time in ISO 8601 format. */
export function moment(text: string): Date {
  if (!text.includes('T')) return new Date(`${day(text)}T00:00:00Z`);
  const date = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError(
      'Enter a date or a time with its UTC offset, such as 2026-01-31 or 2026-01-31T10:00:00Z.',
    );
  return date;
}

/** @throws PlatError `not_found` for a county or ZIP code that does not exist */
export async function requireRegion(db: Db, scope: object): Promise<void> {
  const { fips, zip } = scope as { fips?: number; zip?: string };
  const code = fips === undefined ? zip : fiveDigits(fips);
  if (code === undefined) return;
  const type = fips === undefined ? 'zip' : 'county';
  const rowCount = await db.rowCount('regions/find_region', { type, code });
  if (rowCount) return;
  const message =
    type === 'county' ? `No county has the FIPS code ${code}.` : `There is no ZIP code ${code}.`;
  throw new PlatError('not_found', message);
}
