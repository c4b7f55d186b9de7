import type { MetricKey } from '../../../shared/model/market-metrics.ts';
import { Grid } from '../frame/layout.tsx';
import { shown } from './market-words.ts';

const WINDOWS = ['1mo', '3mo', '6mo', '1yr'] as const;
type Window = (typeof WINDOWS)[number];
const inWindows = (key: (window: Window) => MetricKey): MetricKey[] => WINDOWS.map(key);
const ONLY_YEAR = [null, null, null];

const HEADS = ['', 'For sale', 'Pending', 'Sold, 1 month', '3 months', '6 months', '1 year'];

/** A row per kind of figure: for lots for sale, for pending lots, and for those sold in four periods. */
export const ROWS: readonly (readonly [label: string, keys: readonly (MetricKey | null)[]])[] = [
  ['Lots', ['Active', 'Pending', ...inWindows(window => `Sold: ${window}`)]],
  ['Sell-through', [null, 'Pending STR', ...inWindows(window => `${window} STR`)]],
  ['Days on market', [null, null, ...inWindows(window => `Avg DOM ${window}`)]],
  [
    'Median price',
    ['Median Active Price', 'Median Pending Price', ...inWindows(window => `Median Price ${window}`)],
  ],
  ['Median acres', ['Median Active Acreage', 'Median Pending Acreage', ...ONLY_YEAR, 'Median Sold Acreage']],
  ['Median $/acre', ['Median Active PPA', 'Median Pending PPA', ...ONLY_YEAR, 'Median Sold PPA']],
  ['Lowest $/acre', ['Active PPA Min', 'Pending PPA Min', ...inWindows(window => `PPA Range ${window} Min`)]],
  [
    'Highest $/acre',
    ['Active PPA Max', 'Pending PPA Max', ...inWindows(window => `PPA Range ${window} Max`)],
  ],
  ['Price variation', [null, null, ...inWindows(window => `Gini ${window}`)]],
];

type AllStatisticsProps = { bucket: string; data: Partial<Record<MetricKey, number | null>> };

/** Every statistic of a bucket in one table. */
export const AllStatistics = ({ bucket, data }: AllStatisticsProps) => (
  <Grid
    name={`Statistics for ${bucket}`}
    heads={HEADS}
    rows={ROWS.map(([label, keys]) => [
      label,
      ...keys.map(key => (key === null ? '' : shown(key, data[key]))),
    ])}
  />
);
