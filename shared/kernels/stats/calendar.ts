/** Calendar arithmetic on UTC days, counted from 1970-01-01 as day 0. */

const MS_PER_DAY = 86_400_000;

/** The UTC day that holds an instant; `at` in milliseconds since the epoch. */
export const utcDay = (at: number): number => Math.floor(at / MS_PER_DAY);

/** 'YYYY-MM-DD' of a day. */
export const isoDay = (day: number): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

/** The day of 'YYYY-MM-DD'. */
export const dayOf = (isoDate: string): number => utcDay(Date.parse(`${isoDate}T00:00:00Z`));

/**
 * The day of the month some months earlier, or that month's last day: as PostgreSQL's `date
 * - interval` clamps.
 */
export function minusMonths(day: number, months: number): number {
  const date = new Date(day * MS_PER_DAY);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() - months;
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return utcDay(Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)));
}
