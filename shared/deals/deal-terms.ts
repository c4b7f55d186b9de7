/** The vocabulary of deal flow. */

/** The columns of the board in their order; a deal without a stage stands after them. */
export const DEAL_STAGES = [
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
  waiting: 'it is about to be looked for',
  found: 'it is on the market',
  ended: 'it is sold or off the market',
  not_found: 'no listing feed has it; it is looked for daily',
  no_provider: 'no listing feed has its page, and no provider is configured that could read it',
  provider_failed: 'the provider could not be asked; it is tried again daily',
} as const;
export type FetchStatus = keyof typeof FETCH_STATUSES;

export const DEAL_COSTS = ['purchase_price', 'agent_fee', 'misc_costs', 'closing_costs'] as const;
/** What people enter, as decimal strings of US dollars. */
export const DEAL_MONEY = [...DEAL_COSTS, 'expected_sell_price'] as const;

/** 10 digits before the point and 2 after it, in cents. */
export const MAX_CENTS = 999_999_999_999n;

/** Far above any board that people look at; it bounds the list, which is not paged. */
export const MAX_DEALS = 10_000;

const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,2}))?$/;

/**
 * Cents of a decimal text such as 18400 or 18400.50, which PostgreSQL writes too. @throws
 * RangeError for anything else
 */
export function toCents(decimal: string): bigint {
  const [, minus, whole, fraction = ''] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined) throw new RangeError(`${decimal} is no amount in dollars and cents`);
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  return minus === '' ? cents : -cents;
}

/** 1840050 as 18400.50. */
export function fromCents(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const WRITTEN = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?\s*([km]?)$/i;
const ZEROS: Record<string, number> = { '': 2, k: 5, m: 8 };

/**
 * An amount as people write it ($18,400, 18.4k, 1.2m, 18400.50) as a decimal text;
 * undefined for what is none.
 */
export function parseMoney(written: string): string | undefined {
  const [, whole = '', fraction = '', unit = ''] = WRITTEN.exec(written.trim()) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = fraction.replace(/0+$/, '');
  const zeros = ZEROS[unit.toLowerCase()]! - digits.length;
  // A part of a cent is a slip.
  if (zeros < 0) return undefined;
  const cents = BigInt(whole.replaceAll(',', '') + digits + '0'.repeat(zeros));
  return cents > MAX_CENTS ? undefined : fromCents(cents);
}

/** Cents as people read them: $18,400, or -$18,400.50. */
export function dollars(cents: bigint): string {
  const size = cents < 0n ? -cents : cents;
  const whole = (size / 100n).toLocaleString('en-US');
  const rest = size % 100n;
  return `${cents < 0n ? '−' : ''}$${whole}${rest === 0n ? '' : `.${String(rest).padStart(2, '0')}`}`;
}

/** "profit falls from $23,600 to $20,600". */
export const profitChange = (now: bigint, then: bigint): string =>
  now === then ? `profit stays ${dollars(now)}` : `profit falls from ${dollars(now)} to ${dollars(then)}`;

/** With it ends what is said of an advice. */
export const profitSentence = (now: bigint, then: bigint): string =>
  `${profitChange(now, then).replace('profit', 'Profit')}.`;
