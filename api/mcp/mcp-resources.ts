import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import {
  BUCKET_METRICS,
  keysByMeaning,
  LEAST_SALES,
  type Metric,
  MORE_METRICS,
} from '../../shared/model/market-metrics.ts';
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
    'Made from land listings with a lot size and a price, by acreage bucket (min <= acres < max; buckets overlap). Windows are calendar months up to as_of.',
    '',
    ...meanings(BUCKET_METRICS),
    '',
    `In more, null when fewer than ${LEAST_SALES} sales carry it:`,
    ...meanings(MORE_METRICS),
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

/** @returns undefined where no text stands under this address */
export const textAt = (uri: string): string | undefined =>
  Object.hasOwn(TEXTS, uri) ? TEXTS[uri]!() : undefined;

/** The arguments of get_coverage that answer this address; undefined for another resource. */
export function coverageAt(uri: string): { fips?: string } | undefined {
  if (uri === COVERAGE) return {};
  return uri.startsWith(`${COVERAGE}/`) ? { fips: uri.slice(COVERAGE.length + 1) } : undefined;
}
