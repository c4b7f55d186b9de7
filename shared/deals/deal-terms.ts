/** Names, amounts, and limits for deals. */

/** The board's columns, in order. A deal can also have no stage. */
export const DEAL_STAGES = [
  'under_contract',
  'listed',
  'offer_received',
  'offer_accepted',
  'in_title',
  'sold',
  'on_hold',
  'canceled',
] as const;
export type DealStage = (typeof DEAL_STAGES)[number] | '';

export const DEAL_TYPES = ['cash_close', 'double_close'] as const;
export type DealType = (typeof DEAL_TYPES)[number];

/** How the search for a deal's live listing ended. */
export const FETCH_STATUSES = {
  waiting: 'the search is about to start',
  found: 'the listing is on the market',
  ended: 'the listing is sold or off the market',
  not_found: 'no listing feed has it yet, and Plat checks again daily',
  no_provider: 'no listing feed has this URL, and no listing provider is configured',
  provider_failed: 'the listing provider is unavailable, and Plat retries daily',
} as const;
export type FetchStatus = keyof typeof FETCH_STATUSES;

export const DEAL_COSTS = ['purchase_price', 'agent_fee', 'misc_costs', 'closing_costs'] as const;
/** Amounts that people enter, as decimal strings in US dollars. */
export const DEAL_MONEY = [...DEAL_COSTS, 'expected_sell_price'] as const;

/** 10 digits before the decimal point and 2 after it, in cents. */
export const MAX_CENTS = 999_999_999_999n;

/** Limited per board, because the list of deals is not paged. */
export const MAX_DEALS = 10_000;

const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,2}))?$/;

/**
 * Converts a decimal string such as 18400 or 18400.50 to cents. PostgreSQL's format is also accepted.
 * @throws RangeError for anything else
 */
export function toCents(decimal: string): bigint {
  const [, minus, whole, fraction = ''] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined) throw new RangeError(`${decimal} is not an amount in dollars and cents`);
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  return minus === '' ? cents : -cents;
}

/** Converts cents to a decimal string: 1840050 becomes 18400.50. */
export function fromCents(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const WRITTEN = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?\s*([km]?)$/i;
const ZEROS: Record<string, number> = { '': 2, k: 5, m: 8 };

/**
 * Converts an amount as people write it ($18,400, 18.4k, 1.2m, 18400.50) to a decimal string.
 * Undefined for anything else.
 */
export function parseMoney(written: string): string | undefined {
  const [, whole = '', fraction = '', unit = ''] = WRITTEN.exec(written.trim()) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = fraction.replace(/0+$/, '');
  const zeros = ZEROS[unit.toLowerCase()]! - digits.length;
  // Reject fractions of a cent, which are typos.
  if (zeros < 0) return undefined;
  const cents = BigInt(whole.replaceAll(',', '') + digits + '0'.repeat(zeros));
  return cents > MAX_CENTS ? undefined : fromCents(cents);
}

const PERCENT = /^(\d{1,3})(?:\.(\d{1,3}))?\s*%$/;

/** Whether an amount is written as a percentage, such as 6%. */
export const isPercent = (written: string): boolean => written.trim().endsWith('%');

/**
 * The share of `cents` that a percentage such as 6% or 2.5% means, as a decimal string, rounded to a cent.
 * Undefined for anything else, and for more than 100%.
 */
export function parsePercent(written: string, cents: bigint): string | undefined {
  const [, whole, fraction = ''] = PERCENT.exec(written.trim()) ?? [];
  if (whole === undefined) return undefined;
  const thousandths = BigInt(whole + fraction.padEnd(3, '0'));
  return thousandths > 100_000n ? undefined : fromCents((cents * thousandths + 50_000n) / 100_000n);
}

/** Formats cents: $18,400, or −$18,400.50. */
export function dollars(cents: bigint): string {
  const size = cents < 0n ? -cents : cents;
  const whole = (size / 100n).toLocaleString('en-US');
  const rest = size % 100n;
  return `${cents < 0n ? '−' : ''}$${whole}${rest === 0n ? '' : `.${String(rest).padStart(2, '0')}`}`;
}

/** Describes a profit change, such as "profit falls from $23,600 to $20,600". */
export const profitChange = (now: bigint, then: bigint): string =>
  now === then
    ? `profit stays ${dollars(now)}`
    : `profit ${then < now ? 'falls' : 'rises'} from ${dollars(now)} to ${dollars(then)}`;

/** The last sentence of the advice. */
export const profitSentence = (now: bigint, then: bigint): string =>
  `${profitChange(now, then).replace('profit', 'Profit')}.`;
