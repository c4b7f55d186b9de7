import { acres, count, percent, usd } from '../../../shared/model/figures.ts';
import type { MetricKey } from '../../../shared/model/market-stats.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';

const WINDOWS: Readonly<Record<string, string>> = {
  '1mo': '1 month',
  '3mo': '3 months',
  '6mo': '6 months',
  '1yr': '1 year',
};

/** Statistics by their names without a window. */
const WORDS: Readonly<Record<string, string>> = {
  Active: 'For sale',
  Pending: 'Pending',
  Sold: 'Sold',
  STR: 'Sell-through',
  'Pending STR': 'Sell-through, pending',
  'Avg DOM': 'Days on market',
  'Median Price': 'Median price',
  'Median Pending Price': 'Median price, pending',
  'Median Active Price': 'Median price, for sale',
  'Median Active Acreage': 'Median acres, for sale',
  'Median Pending Acreage': 'Median acres, pending',
  'Median Sold Acreage': 'Median acres, sold',
  'Median Pending PPA': 'Pending $ / acre',
  'Median Active PPA': 'Asking $ / acre',
  'Median Sold PPA': 'Sold $ / acre',
  'Active PPA Min': 'Lowest asking $ / acre',
  'Active PPA Max': 'Highest asking $ / acre',
  'Pending PPA Min': 'Lowest pending $ / acre',
  'Pending PPA Max': 'Highest pending $ / acre',
  'PPA Range Min': 'Lowest $ / acre',
  'PPA Range Max': 'Highest $ / acre',
  Gini: 'Price spread',
  months_of_supply: 'Months of supply',
  sale_to_list: 'Sale to list price',
  median_ppa_change_12mo: 'Change of $ / acre in a year',
};

const WINDOW = /:? ?\b(1mo|3mo|6mo|1yr)\b ?/;

/** A statistic in words: `Avg DOM 1yr` is "Days on market, 1 year". */
export function metricWords(key: string): string {
  const window = WINDOW.exec(key)?.[1];
  const words = WORDS[key.replace(WINDOW, ' ').trim()] ?? key;
  return window === undefined ? words : `${words}, ${WINDOWS[window]}`;
}

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A statistic's figure where there is little room: $2.5k, 34%. */
export function axisFigure(key: string, value: number): string {
  const short = COMPACT.format(value).replace('K', 'k');
  if (/STR|sale_to_list|change/.test(key)) return `${short}%`;
  return /Price|PPA/.test(key) ? `$${short}` : short;
}

/** A statistic as people read it, by what its name says it is. */
export function shown(metric: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (/STR|sale_to_list|change/.test(metric)) return percent(value);
  if (/Gini|months/.test(metric)) return value.toFixed(1);
  if (/Price|PPA/.test(metric)) return usd(value);
  if (/Acreage/.test(metric)) return acres(value);
  return count(value);
}

type Region = Pick<RegionStats, 'type' | 'name' | 'state' | 'county_name' | 'fips'>;
export const titleOf = ({ type, name, state, county_name }: Region) =>
  type === 'zip' ? `${name} (${county_name}, ${state})` : `${name}, ${state}`;
/** Beside a line. */
export const lineNameOf = ({ type, name, state }: Region) => (type === 'zip' ? name : `${name}, ${state}`);
export const pathOf = ({ type, name, fips }: Region) =>
  type === 'zip' ? `/markets/zip/${name}` : `/markets/${fips}`;

/** The statistics that tell most of a market. */
export const COLUMNS: readonly MetricKey[] = [
  'Active',
  'Pending',
  'Sold: 1yr',
  '1yr STR',
  'Avg DOM 1yr',
  'Median Price 1yr',
  'Median Sold PPA',
  'Median Active PPA',
  'Gini 1yr',
];
