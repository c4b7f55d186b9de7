import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { METRIC_KEYS, MORE_KEYS } from '../../shared/model/market-stats.ts';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';

/**
 * What a model can read apart from tools. Coverage is a tool's answer (mcp-server.ts); the others never
 * change while the service runs.
 */

export const COVERAGE = 'plat://coverage';

export const RESOURCES = [
  {
    uri: 'plat://filters',
    name: 'filters',
    title: 'Filters of filter_properties',
    description: 'Every filter with its type, unit, allowed values and meaning.',
    mimeType: 'text/markdown',
  },
  {
    uri: 'plat://statistics',
    name: 'statistics',
    title: 'Keys of get_market_stats',
    description: 'What each figure of the market statistics means, and the acreage buckets.',
    mimeType: 'text/markdown',
  },
  {
    uri: COVERAGE,
    name: 'coverage',
    title: 'Coverage by county',
    description: 'Which counties are known, how much of them and as of which day.',
    mimeType: 'text/plain',
  },
];

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${COVERAGE}/{fips}`,
    name: 'county_coverage',
    title: 'Coverage of a county',
    description: 'What is known of the county with this FIPS code, and from which sources.',
    mimeType: 'text/plain',
  },
];

const filters = () =>
  [
    '# Filters of filter_properties',
    'All are AND-ed. One of the filters marked * is required. Bounds are inclusive. A parcel for which a value is unknown does not match.',
    '',
    ...FILTERS.map(({ name, type, unit, description, values, scope }) => {
      const kind = [type, ...(unit === undefined ? [] : [unit]), ...(values ?? []).map(String)].join(', ');
      return `- ${name}${scope ? ' *' : ''} (${kind}): ${description}`;
    }),
  ].join('\n');

const statistics = () =>
  [
    '# Keys of get_market_stats',
    'Of land listings with a lot size and a price, by acreage bucket (min <= acres < max; buckets overlap).',
    '',
    '- Active, Pending: listings on the market, under contract.',
    '- Sold: 1mo, 3mo, 6mo, 1yr: closed sales in the calendar months up to as_of.',
    '- STR (sell-through rate), %: 100 x sold in the window, or pending, / active. Above 100 more sells than is offered.',
    '- Avg DOM, days: mean days on market of the sales in the window.',
    '- Median Price, USD: of the sales in the window, of pending or active listings.',
    '- Median Acreage, acres. Median PPA, USD per acre: price per acre. PPA Min, Max and Range: the lowest and highest.',
    '- Gini, 0 to 100: dispersion of prices per acre; low where prices agree.',
    '- In more, null with too few sales: months_of_supply; sale_to_list, % of the last asking price; median_ppa_change_12mo, % above the year before, whose sales are sales_prior_12mo; price_index of like lots in the county, with its 80 % range from price_index_low to price_index_high.',
    '',
    `Keys: ${METRIC_KEYS.join(', ')}. In more: ${MORE_KEYS.join(', ')}.`,
    `Buckets: ${ACRE_BUCKETS.map(({ label }) => label).join(', ')}.`,
  ].join('\n');

const TEXTS: Readonly<Record<string, () => string>> = {
  'plat://filters': filters,
  'plat://statistics': statistics,
};

/** @returns undefined where no text stands under this address */
export const textAt = (uri: string): string | undefined =>
  Object.hasOwn(TEXTS, uri) ? TEXTS[uri]!() : undefined;

/** The arguments of get_coverage that answer this address; undefined for another resource. */
export function coverageAt(uri: string): { fips?: string } | undefined {
  if (uri === COVERAGE) return {};
  return uri.startsWith(`${COVERAGE}/`) ? { fips: uri.slice(COVERAGE.length + 1) } : undefined;
}
