/**
 * The keys of one bucket's `data`, spelled and ordered as the API publishes them. STR = sell-through rate, DOM = days
 * on market, PPA = price per acre. The order is also that of the columns of a StatsTable (kernels/stats/region-stats.ts).
 */
export const METRIC_KEYS = [
  'Active',
  'Pending',
  'Sold: 1mo',
  'Sold: 3mo',
  'Sold: 6mo',
  'Sold: 1yr',
  'Pending STR',
  '1mo STR',
  '3mo STR',
  '6mo STR',
  '1yr STR',
  'Avg DOM 1mo',
  'Avg DOM 3mo',
  'Avg DOM 6mo',
  'Avg DOM 1yr',
  'Median Price 1mo',
  'Median Price 3mo',
  'Median Price 6mo',
  'Median Price 1yr',
  'Median Pending Price',
  'Median Active Price',
  'Median Active Acreage',
  'Median Pending Acreage',
  'Median Sold Acreage',
  'Median Pending PPA',
  'Median Active PPA',
  'Median Sold PPA',
  'Active PPA Min',
  'Active PPA Max',
  'Pending PPA Min',
  'Pending PPA Max',
  'PPA Range 1mo Min',
  'PPA Range 1mo Max',
  'PPA Range 3mo Min',
  'PPA Range 3mo Max',
  'PPA Range 6mo Min',
  'PPA Range 6mo Max',
  'PPA Range 1yr Min',
  'PPA Range 1yr Max',
  'Gini 1mo',
  'Gini 3mo',
  'Gini 6mo',
  'Gini 1yr',
] as const;

export type MetricKey = (typeof METRIC_KEYS)[number];

/** The metrics of one bucket; null where there is nothing to average or to divide by. */
export type BucketData = Record<MetricKey, number | null>;
