import { count } from './figures.ts';

/** The price of a call. Charges, quotes, and all text about prices use these declarations. */
export type Price = {
  tokens: number;
  /** The unit that is charged. Default: the call. */
  per?:
    | 'page'
    | 'row'
    | 'comp'
    | 'change'
    | 'date'
    | 'region'
    | 'market'
    | 'match'
    | 'quote'
    | 'feature'
    | 'tile';
  /** Units covered by one price. Default: 1. */
  each?: number;
  /** Maximum charge for each 12 months of the requested range. */
  maxPerYear?: number;
  /** Free units per account and day (UTC). */
  freePerDay?: number;
};

export const PRICES = {
  /** A page of filter results, whatever its size. Free if nothing matches. */
  filterPage: { tokens: 30, per: 'page' },
  /** A quote for a filter, a saved search, or an export. */
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
  ogcItems: { tokens: 1, per: 'feature', each: 10 },
  /** Tiles are counted in a billing period, because each one is a call. */
  tiles: { tokens: 1, per: 'tile', each: 20 },
  changes: { tokens: 1, per: 'change', each: 10 },
  listRows: { tokens: 1, per: 'row' },
  exportRows: { tokens: 1, per: 'row' },
  exportMarkets: { tokens: 10, per: 'market' },
} as const satisfies Record<string, Price>;

/** The cost of `units` in tokens. */
export const costOf = ({ tokens, each = 1 }: Price, units: number): number =>
  tokens * Math.ceil(units / each);

export const tokensText = (tokens: number): string => `${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Prices in words: "1 token per 10 changes or part of 10". */
export const priceText = (price: Price | readonly Price[]): string => [price].flat().map(textOf).join(', ');

function textOf({ tokens, per, each = 1, maxPerYear, freePerDay }: Price): string {
  const unit =
    per === undefined ? '' : each === 1 ? ` per ${per}` : ` per ${each} ${per}s or part of ${each}`;
  const most = maxPerYear === undefined ? '' : `, capped at ${maxPerYear} per 12 months or part of 12 months`;
  const free = freePerDay === undefined ? '' : ` after the first ${freePerDay} per day (UTC)`;
  return `${tokensText(tokens)}${unit}${most}${free}`;
}
