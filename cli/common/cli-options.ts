import { type Command, InvalidArgumentError } from 'commander';
import { isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** Parsers of what people type, for commander; each refuses with the form that is wanted. */

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  // 9 digits stay within PostgreSQL's int.
  if (Number(text) > 999_999_999) throw new InvalidArgumentError('It must be at most 999,999,999.');
  return Number(text);
}

export function fips(text: string): number {
  if (!/^\d{4,5}$/.test(text)) throw new InvalidArgumentError('A county FIPS has 5 digits, such as 33019.');
  return Number(text);
}

export const fipsList = (text: string, before: number[] = []): number[] => [...before, fips(text)];

export function zip(text: string): string {
  if (!/^\d{5}$/.test(text)) throw new InvalidArgumentError('A ZIP has 5 digits, such as 03280.');
  return text;
}

export function propertyId(text: string): number {
  if (!/^\d{12,13}$/.test(text))
    throw new InvalidArgumentError('A property_id has 12 or 13 digits, such as 3301900000001.');
  return Number(text);
}

export function day(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  if (
    !/^\d{4}-\d{2}-\d{2}$/.test(text) ||
    Number.isNaN(date.getTime()) ||
    !date.toISOString().startsWith(text)
  ) {
    throw new InvalidArgumentError('A day is written YYYY-MM-DD, such as 2025-09-28.');
  }
  return text;
}

export function pastDay(text: string): string {
  const today = isoDay(utcDay(Date.now()));
  if (day(text) > today)
    throw new InvalidArgumentError(`That day is still to come: today is ${today} in UTC.`);
  return text;
}

/** The last moment of a day in UTC that is not over. */
export function endOfFutureDay(text: string): Date {
  const end = new Date(`${day(text)}T23:59:59Z`);
  if (end.getTime() < Date.now()) throw new InvalidArgumentError('That day is over.');
  return end;
}

/** Of `--name` and `--no-name`, commander takes the last: whoever gives both is asked which. */
export function requireNotBoth(command: Command, ...names: string[]): void {
  for (const name of names) {
    const given = new Set<string>();
    for (const flag of [`--${name}`, `--no-${name}`])
      command.on(`option:${flag.slice(2)}`, () => {
        if (given.add(flag).size > 1) command.error(`error: --${name} and --no-${name} exclude each other.`);
      });
  }
}

/** The person who runs a command, as jobs and runs record it. */
export const requestedByOperator = (): string => `operator ${process.env.USER ?? ''}`.trim();

/** A day (its beginning in UTC) or a moment in ISO 8601. */
export function moment(text: string): Date {
  if (!text.includes('T')) return new Date(`${day(text)}T00:00:00Z`);
  const date = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError(
      'A moment is written 2026-01-31 or 2026-01-31T10:00:00Z, with its offset from UTC.',
    );
  return date;
}

/** @throws PlatError `not_found` when a scope names a county or a ZIP that does not exist */
export async function requireRegion(db: Db, scope: object): Promise<void> {
  const { fips, zip } = scope as { fips?: number; zip?: string };
  const code = fips === undefined ? zip : fiveDigits(fips);
  if (code === undefined) return;
  const type = fips === undefined ? 'zip' : 'county';
  const rowCount = await db.rowCount('regions/find_region', { type, code });
  if (rowCount) return;
  const message = type === 'county' ? `No county has the FIPS code ${code}.` : `There is no ZIP ${code}.`;
  throw new PlatError('not_found', message);
}
