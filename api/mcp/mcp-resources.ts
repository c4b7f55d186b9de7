import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { COUNTY_FACTS } from '../../shared/model/county-facts.ts';
import {
  BUCKET_METRICS,
  keysByMeaning,
  LEAST_SALES,
  type Metric,
  MORE_METRICS,
} from '../../shared/model/market-metrics.ts';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';

/**
 * Resources for models. Coverage is a tool's result (mcp-server.ts). The others never change at run
 * time.
 */

export const COVERAGE = 'plat://coverage';

export const RESOURCES = [
  {
    uri: 'plat://filters',
    name: 'filters',
    title: 'Filters for filter_properties',
    description: 'Every filter with its type, unit, allowed values, and meaning.',
    mimeType: 'text/markdown',
  },
  {
    uri: 'plat://statistics',
    name: 'statistics',
    title: 'Keys of get_market_stats',
    description: 'The meaning of each figure in market statistics, and the acreage buckets.',
    mimeType: 'text/markdown',
  },
  {
    uri: COVERAGE,
    name: 'coverage',
    title: 'Coverage by county',
    description: 'Which counties have data, how much, and how recent.',
    mimeType: 'text/plain',
  },
];

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${COVERAGE}/{fips}`,
    name: 'county_coverage',
    title: 'Coverage of a county',
    description: 'The data and sources of the county with this FIPS code.',
    mimeType: 'text/plain',
  },
];

const filters = () =>
  [
    '# Filters for filter_properties',
    "Parcels must match every filter. At least one of the filters marked * is required. Bounds are inclusive. A parcel with an unknown value does not match, unless the filter's description says it is kept.",
    '',
    ...FILTERS.map(({ name, type, unit, description, values, scope }) => {
      const kind = [type, ...(unit === undefined ? [] : [unit]), ...(values ?? []).map(String)].join(', ');
      return `- ${name}${scope ? ' *' : ''} (${kind}): ${description}`;
    }),
  ].join('\n');

const statistics = () =>
  [
    '# Keys of get_market_stats',
    'Computed from land listings with a lot size and a price, by acreage bucket (min <= acres < max; buckets overlap). Windows are calendar months up to as_of.',
    '',
    ...meanings(BUCKET_METRICS),
    '',
    `In more (null if there are fewer than ${LEAST_SALES} sales):`,
    ...meanings(MORE_METRICS),
    '',
    'Facts about a county, only in list_top_markets:',
    ...Object.entries(COUNTY_FACTS).map(
      ([key, { unit, meaning }]) => `- ${key}${unit && ` (${unit})`}: ${meaning}.`,
    ),
    '',
    `Buckets: ${ACRE_BUCKETS.map(({ label }) => label).join(', ')}.`,
  ].join('\n');

const meanings = (metrics: Readonly<Record<string, Metric>>): string[] =>
  keysByMeaning(metrics).map(
    ({ keys, unit, meaning }) => `- ${keys.join(', ')}${unit && ` (${unit})`}: ${meaning}.`,
  );

const TEXTS: Readonly<Record<string, () => string>> = {
  'plat://filters': filters,
  'plat://statistics': statistics,
};

/** @returns undefined if there is no text for the URI */
export const textAt = (uri: string): string | undefined =>
  Object.hasOwn(TEXTS, uri) ? TEXTS[uri]!() : undefined;

/** The arguments of get_coverage for this URI. Undefined for other resources. */
export function coverageAt(uri: string): { fips?: string } | undefined {
  if (uri === COVERAGE) return {};
  return uri.startsWith(`${COVERAGE}/`) ? { fips: uri.slice(COVERAGE.length + 1) } : undefined;
}
