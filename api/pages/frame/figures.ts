/** Figures as people in the US read them. */
const number = (digits: number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits });
const whole = number(0);
const oneDigit = number(1);
const twoDigits = number(2);

export const count = (value: number): string => whole.format(value);
export const usd = (value: number): string => `$${whole.format(value)}`;
export const cents = (value: number): string => `$${(value / 100).toFixed(2)}`;
export const acres = (value: number): string => twoDigits.format(value);
export const percent = (value: number): string => `${oneDigit.format(value)}%`;

/** A day or a moment as 2025-09-28. */
export const day = (value: string | Date): string =>
  (typeof value === 'string' ? value : value.toISOString()).slice(0, 10);

/** A moment as 2025-09-28 14:05 UTC. */
export const moment = (value: string | Date): string =>
  `${(typeof value === 'string' ? value : value.toISOString()).slice(0, 16).replace('T', ' ')} UTC`;
