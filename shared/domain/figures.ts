/** Figures as people in the US read them. */
const digits = (most: number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: most }).format;

export const count = digits(0);
export const oneDigit = digits(1);
export const acres = digits(2);
export const usd = (value: number): string => `$${count(value)}`;
export const cents = (value: number): string => `$${(value / 100).toFixed(2)}`;
export const percent = (value: number): string => `${oneDigit(value)}%`;

/** A day or a moment as 2025-09-28. */
export const day = (value: string | Date): string =>
  (typeof value === 'string' ? value : value.toISOString()).slice(0, 10);

/** A moment as 2025-09-28 14:05 UTC. */
export const moment = (value: string | Date): string =>
  `${(typeof value === 'string' ? value : value.toISOString()).slice(0, 16).replace('T', ' ')} UTC`;
