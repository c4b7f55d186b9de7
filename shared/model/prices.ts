import { count } from './figures.ts';

/** What calls cost, each price declared once: charges, quotes, and every sentence about prices follow. */
export type Price = {
  tokens: number;
  /** What it pays for; absent: the call. */
  per?: 'page' | 'row' | 'comp' | 'change' | 'date' | 'region' | 'market' | 'match' | 'quote';
  /** How many of these one price covers. Default: 1. */
  each?: number;
  /** The most for each 12 months of the range asked for. */
  maxPerYear?: number;
  /** How many of these an account has free in a day (UTC). */
  freePerDay?: number;
};

export const PRICES = {
  /** A page of the filter that has something in it, whatever its size. */
  filterPage: { tokens: 30, per: 'page' },
  /** Of a filter, a saved search, or an export. */
  quote: { tokens: 1, per: 'quote', freePerDay: 500 },
  searchPage: { tokens: 10, per: 'page' },
  parcel: { tokens: 10 },
  picture: { tokens: 30 },
  portfolio: { tokens: 30 },
  value: { tokens: 10 },
  phones: { tokens: 20, per: 'match' },
  marketStats: { tokens: 10 },
  marketHistory: { tokens: 1, per: 'date', maxPerYear: 10 },
  comparison: { tokens: 2, per: 'region' },
  ranking: { tokens: 2, per: 'row' },
  comps: { tokens: 1, per: 'comp' },
  changes: { tokens: 1, per: 'change', each: 10 },
  listRows: { tokens: 1, per: 'row' },
  exportRows: { tokens: 1, per: 'row' },
  exportMarkets: { tokens: 10, per: 'market' },
} as const satisfies Record<string, Price>;

/** What `units` of what a price is for cost. */
export const costOf = ({ tokens, each = 1 }: Price, units: number): number =>
  tokens * Math.ceil(units / each);

export const tokensText = (tokens: number): string => `${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Prices in words: "1 token per 10 changes or part of 10". */
export const priceText = (price: Price | readonly Price[]): string => [price].flat().map(textOf).join(', ');

function textOf({ tokens, per, each = 1, maxPerYear, freePerDay }: Price): string {
  const unit =
    per === undefined ? '' : each === 1 ? ` per ${per}` : ` per ${each} ${per}s or part of ${each}`;
  const most = maxPerYear === undefined ? '' : `, capped at ${maxPerYear} per 12 months or part of 12 months`;
  const free = freePerDay === undefined ? '' : ` after ${freePerDay} free ones per day (UTC)`;
  return `${tokensText(tokens)}${unit}${most}${free}`;
}
