/** Formats figures for US readers. */
const digits = (most: number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: most }).format;

export const count = digits(0);
export const oneDigit = digits(1);
export const acres = digits(2);
export const usd = (value: number): string => `$${count(value)}`;
export const cents = (value: number): string => `$${(value / 100).toFixed(2)}`;
export const percent = (value: number): string => `${oneDigit(value)}%`;

const isoText = (value: string | Date): string => (typeof value === 'string' ? value : value.toISOString());

/** Formats a date or time as an ISO date in UTC: 2025-09-28. */
export const isoDate = (value: string | Date): string => isoText(value).slice(0, 10);

const DAY = new Intl.DateTimeFormat('en-US', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
});

/** Formats a date or time as a date in UTC: Sep 28, 2025. */
export const day = (value: string | Date): string => DAY.format(new Date(`${isoDate(value)}T00:00:00Z`));

/** A time as Sep 28, 2025, 14:05 UTC. */
export const moment = (value: string | Date): string => `${day(value)}, ${isoText(value).slice(11, 16)} UTC`;
