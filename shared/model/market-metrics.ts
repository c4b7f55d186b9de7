import { addToGroup } from '../kernels/groups.ts';
import type { BucketSummary, Summary } from '../kernels/stats/region-stats.ts';
import { round2 } from '../kernels/stats/rounding.ts';
import { indexAt, type PriceIndex } from '../kernels/valuation/price-index.ts';

/**
 * A metric of market statistics. The API, pages, MCP text, and docs are generated from these declarations.
 */
export type Metric = {
  label: string;
  /** Determines how pages format a figure. */
  unit: MetricUnit;
  /** Without a period at the end. */
  meaning: string;
  /**
   * The metric that has the number of lots behind this one. Null for counts, rates, and figures in `more`.
   */
  carrier: CountKey | null;
  /** Calculates the figure. Null if there is nothing to divide by. */
  of(bucket: BucketSummary, context: MetricContext): number | null;
};

/** Unit of a figure. Empty for a count. */
export type MetricUnit =
  | ''
  | '%'
  | 'days'
  | 'months'
  | 'miles'
  | 'per 1,000'
  | 'USD'
  | 'USD per acre'
  | 'acres'
  | 'Gini, 0 to 100'
  | 'index';

type CountKey = 'Active' | 'Pending' | 'Sold: 1mo' | 'Sold: 3mo' | 'Sold: 6mo' | 'Sold: 1yr';

export type MetricContext = {
  /** Whether the listings on the market are known. */
  listed: boolean;
  index: IndexFigures;
};

type IndexFigures = Record<'price_index' | 'price_index_low' | 'price_index_high', number | null>;

/** The price index fields of `more`, or null before the county's sales start. */
export function indexFigures(index: PriceIndex | null, day: number): IndexFigures {
  const at = index && indexAt(index, day);
  return {
    price_index: at && round2(at.value),
    price_index_low: at && round2(at.low),
    price_index_high: at && round2(at.high),
  };
}

/** Minimum number of sales for a figure in `more`, and minimum number of lots for pages to show a figure. */
export const LEAST_SALES = 5;

/** The lots in a bucket that a figure is calculated from. */
type Lots = { count: CountKey; name: string; of(bucket: BucketSummary): Summary };

const ACTIVE: Lots = { count: 'Active', name: 'active listings', of: bucket => bucket.active };
const PENDING: Lots = { count: 'Pending', name: 'pending listings', of: bucket => bucket.pending };
const soldIn = (count: CountKey, window: 0 | 1 | 2 | 3): Lots => ({
  count,
  name: 'sales in the window',
  of: ({ sold }) => sold[window],
});
const MONTH = soldIn('Sold: 1mo', 0);
const QUARTER = soldIn('Sold: 3mo', 1);
const HALF = soldIn('Sold: 6mo', 2);
const YEAR = soldIn('Sold: 1yr', 3);

const count = (label: string, lots: Lots, meaning: string, isKnown = (_: MetricContext) => true): Metric => ({
  label,
  unit: '',
  meaning,
  carrier: null,
  of: (bucket, context) => (isKnown(context) ? lots.of(bucket).count : null),
});
const listed = (label: string, lots: Lots, meaning: string) =>
  count(label, lots, meaning, context => context.listed);
const sold = (label: string, lots: Lots) => count(label, lots, 'Closed sales in the window');

/** The sell-through rate: the number of `lots` per 100 active listings. */
const sellThrough = (label: string, lots: Lots): Metric => ({
  label,
  unit: '%',
  meaning: `Sell-through rate: 100 x ${lots.name} / active listings. Above 100, more lots sold than are for sale`,
  carrier: null,
  of(bucket) {
    const { active } = bucket;
    return active.count === 0 ? null : round2((100 * lots.of(bucket).count) / active.count);
  },
});

/** A metric whose value is a field of the lots' summary. */
const summarized =
  (field: keyof Summary, unit: MetricUnit, meaning: string) =>
  (label: string, lots: Lots): Metric => ({
    label,
    unit,
    meaning: `${meaning} for the ${lots.name}`,
    carrier: lots.count,
    of: bucket => rounded(lots.of(bucket)[field]),
  });

const daysOnMarket = summarized('daysOnMarket', 'days', 'Mean days on market');
const price = summarized('medianPrice', 'USD', 'Median price');
const acreage = summarized('medianAcres', 'acres', 'Median lot size');
const ppa = summarized('medianPpa', 'USD per acre', 'Median price per acre');
const ppaMin = summarized('minPpa', 'USD per acre', 'Lowest price per acre');
const ppaMax = summarized('maxPpa', 'USD per acre', 'Highest price per acre');
const gini = summarized('gini', 'Gini, 0 to 100', 'Gini coefficient of prices per acre');

/** The metrics in `data`, with the names and order of the API. */
export const BUCKET_METRICS = {
  Active: listed('For sale', ACTIVE, 'Listings on the market'),
  Pending: listed('Pending', PENDING, 'Listings under contract'),
  'Sold: 1mo': sold('Sold, 1 month', MONTH),
  'Sold: 3mo': sold('Sold, 3 months', QUARTER),
  'Sold: 6mo': sold('Sold, 6 months', HALF),
  'Sold: 1yr': sold('Sold, 1 year', YEAR),
  'Pending STR': sellThrough('Sell-through, pending', PENDING),
  '1mo STR': sellThrough('Sell-through, 1 month', MONTH),
  '3mo STR': sellThrough('Sell-through, 3 months', QUARTER),
  '6mo STR': sellThrough('Sell-through, 6 months', HALF),
  '1yr STR': sellThrough('Sell-through, 1 year', YEAR),
  'Avg DOM 1mo': daysOnMarket('Days on market, 1 month', MONTH),
  'Avg DOM 3mo': daysOnMarket('Days on market, 3 months', QUARTER),
  'Avg DOM 6mo': daysOnMarket('Days on market, 6 months', HALF),
  'Avg DOM 1yr': daysOnMarket('Days on market, 1 year', YEAR),
  'Median Price 1mo': price('Median price, 1 month', MONTH),
  'Median Price 3mo': price('Median price, 3 months', QUARTER),
  'Median Price 6mo': price('Median price, 6 months', HALF),
  'Median Price 1yr': price('Median price, 1 year', YEAR),
  'Median Pending Price': price('Median price, pending', PENDING),
  'Median Active Price': price('Median price, for sale', ACTIVE),
  'Median Active Acreage': acreage('Median acres, for sale', ACTIVE),
  'Median Pending Acreage': acreage('Median acres, pending', PENDING),
  'Median Sold Acreage': acreage('Median acres, sold', YEAR),
  'Median Pending PPA': ppa('Pending $/acre', PENDING),
  'Median Active PPA': ppa('Asking $/acre', ACTIVE),
  'Median Sold PPA': ppa('Sold $/acre', YEAR),
  'Active PPA Min': ppaMin('Lowest asking $/acre', ACTIVE),
  'Active PPA Max': ppaMax('Highest asking $/acre', ACTIVE),
  'Pending PPA Min': ppaMin('Lowest pending $/acre', PENDING),
  'Pending PPA Max': ppaMax('Highest pending $/acre', PENDING),
  'PPA Range 1mo Min': ppaMin('Lowest $/acre, 1 month', MONTH),
  'PPA Range 1mo Max': ppaMax('Highest $/acre, 1 month', MONTH),
  'PPA Range 3mo Min': ppaMin('Lowest $/acre, 3 months', QUARTER),
  'PPA Range 3mo Max': ppaMax('Highest $/acre, 3 months', QUARTER),
  'PPA Range 6mo Min': ppaMin('Lowest $/acre, 6 months', HALF),
  'PPA Range 6mo Max': ppaMax('Highest $/acre, 6 months', HALF),
  'PPA Range 1yr Min': ppaMin('Lowest $/acre, 1 year', YEAR),
  'PPA Range 1yr Max': ppaMax('Highest $/acre, 1 year', YEAR),
  'Gini 1mo': gini('Price variation, 1 month', MONTH),
  'Gini 3mo': gini('Price variation, 3 months', QUARTER),
  'Gini 6mo': gini('Price variation, 6 months', HALF),
  'Gini 1yr': gini('Price variation, 1 year', YEAR),
} as const satisfies Record<string, Metric>;

/** The metrics in `more`. Add new ones at the end, so that figures recorded for past months stay readable. */
export const MORE_METRICS = {
  months_of_supply: {
    label: 'Months of supply',
    unit: 'months',
    meaning: '12 x active listings / sales in the last 12 months',
    carrier: null,
    of({ active, sold }, { listed }) {
      const year = sold[3].count;
      return year >= LEAST_SALES && listed ? round2((12 * active.count) / year) : null;
    },
  },
  sale_to_list: {
    label: 'Sale to list price',
    unit: '%',
    meaning:
      'Median of 100 x sale price / last asking price, for sales in the last 12 months for which both prices are known',
    carrier: null,
    of: ({ toAsked }) => (toAsked.count >= LEAST_SALES ? round2(100 * toAsked.median!) : null),
  },
  median_ppa_change_12mo: {
    label: 'Change in $/acre, 1 year',
    unit: '%',
    meaning: 'Change in the median price per acre from the prior 12 months to the last 12 months',
    carrier: null,
    of({ sold, yearBefore }) {
      const { count, medianPpa } = sold[3];
      if (count < LEAST_SALES || yearBefore.count < LEAST_SALES) return null;
      return round2(100 * (medianPpa! / yearBefore.medianPpa! - 1));
    },
  },
  sales_prior_12mo: {
    label: 'Sold, prior year',
    unit: '',
    meaning: 'Sales in the 12 months before the last 12',
    carrier: null,
    of: ({ yearBefore }) => yearBefore.count,
  },
  price_index: indexed(
    'price_index',
    'Price index',
    'How the price of a comparable lot (equal size, same kind of land) in the county changes over time. January 1, 2020 = 100',
  ),
  price_index_low: indexed(
    'price_index_low',
    'Price index, low',
    'Low end of the 80% range of the price index',
  ),
  price_index_high: indexed(
    'price_index_high',
    'Price index, high',
    'High end of the 80% range of the price index',
  ),
} as const satisfies Record<string, Metric>;

function indexed(key: keyof IndexFigures, label: string, meaning: string): Metric {
  return {
    label,
    unit: 'index',
    meaning,
    carrier: null,
    of: (_bucket, { index }) => index[key],
  };
}

function rounded(figure: number | null): number | null {
  return figure === null ? null : round2(figure);
}

export type MetricKey = keyof typeof BUCKET_METRICS;
export type MoreKey = keyof typeof MORE_METRICS;
export type FigureKey = MetricKey | MoreKey;
export const METRICS: Readonly<Record<FigureKey, Metric>> = { ...BUCKET_METRICS, ...MORE_METRICS };
export const METRIC_KEYS = Object.keys(BUCKET_METRICS) as MetricKey[];
export const MORE_KEYS = Object.keys(MORE_METRICS) as MoreKey[];
export const FIGURE_KEYS: readonly FigureKey[] = [...METRIC_KEYS, ...MORE_KEYS];

/** Groups keys by meaning. Metrics that differ only in their time window have the same meaning. */
export function keysByMeaning(
  metrics: Readonly<Record<string, Metric>>,
): { keys: string[]; unit: MetricUnit; meaning: string }[] {
  const groups = new Map<string, string[]>();
  for (const [key, { meaning }] of Object.entries(metrics)) addToGroup(groups, meaning, key);
  return [...groups].map(([meaning, keys]) => ({ keys, unit: metrics[keys[0]!]!.unit, meaning }));
}
