import { InvalidArgumentError } from 'commander';

/** Parsers of what people type, for commander; each refuses with the form that is wanted. */

export function wholeNumber(text: string): number {
  // 9 digits stay within PostgreSQL's int.
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  return Number(text);
}

export function fips(text: string): number {
  if (!/^\d{4,5}$/.test(text)) throw new InvalidArgumentError('A county FIPS has 5 digits, such as 33019.');
  return Number(text);
}

export function zip(text: string): string {
  if (!/^\d{5}$/.test(text)) throw new InvalidArgumentError('A ZIP has 5 digits, such as 03280.');
  return text;
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

/** The last moment of a day in UTC. */
export function endOfDay(text: string): Date {
  return new Date(`${day(text)}T23:59:59Z`);
}

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
