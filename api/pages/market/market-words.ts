import { COUNTY_FACTS, type CountyFactKey, isCountyFact } from '../../../shared/model/county-facts.ts';
import { acres, count, oneDigit, percent, usd } from '../../../shared/model/figures.ts';
import {
  type FigureKey,
  LEAST_SALES,
  METRICS,
  type Metric,
  type MetricKey,
  type MetricUnit,
} from '../../../shared/model/market-metrics.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import type { BucketFigures } from '../../v1/market/market-figures.ts';

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** What markets can be ranked by: a statistic, or a fact about the county. */
export type RankedKey = FigureKey | CountyFactKey;

export const wordsOf = (key: RankedKey): Pick<Metric, 'label' | 'unit' | 'meaning' | 'carrier'> =>
  isCountyFact(key) ? { ...COUNTY_FACTS[key], carrier: null } : METRICS[key];

/** A short form for axes, such as $2.5k or 34%. */
export function axisFigure(key: RankedKey, value: number): string {
  const short = COMPACT.format(value).replace('K', 'k');
  const { unit } = wordsOf(key);
  return unit === '%' ? `${short}%` : isMoney(unit) ? `$${short}` : short;
}

export const isMoney = (unit: MetricUnit): boolean => unit === 'USD' || unit === 'USD per acre';

/**
 * Whether a change in this unit is shown as a difference. Changes in other units are shown as percentages.
 */
export const isRate = (unit: MetricUnit): boolean => ['%', 'months', 'Gini, 0 to 100'].includes(unit);

const oneDecimal = (value: number): string => value.toFixed(1);
const FORMATS: Partial<Record<MetricUnit, (value: number) => string>> = {
  '%': percent,
  months: oneDecimal,
  'per 1,000': oneDigit,
  miles: value => `${count(value)} mi`,
  'Gini, 0 to 100': oneDecimal,
  USD: usd,
  'USD per acre': usd,
  acres,
};

export const shown = (key: RankedKey, value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : (FORMATS[wordsOf(key).unit] ?? count)(value);

/** A figure, or null if the figure is based on too few lots. */
export function carriedFigure(key: FigureKey, figures: BucketFigures): number | null {
  const { carrier } = METRICS[key];
  return carrier === null || (figures.of(carrier) ?? 0) >= LEAST_SALES ? figures.of(key) : null;
}

type Region = Pick<RegionStats, 'type' | 'name' | 'state' | 'county_name' | 'fips'>;
export const titleOf = ({ type, name, state, county_name }: Region) =>
  type === 'zip' ? `${name} (${county_name}, ${state})` : `${name}, ${state}`;
/** The name next to a chart line. */
export const lineNameOf = ({ type, name, state }: Region) => (type === 'zip' ? name : `${name}, ${state}`);
export const pathOf = ({ type, name, fips }: Region) =>
  type === 'zip' ? `/markets/zip/${name}` : `/markets/${fips}`;

/** The most important statistics. */
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
