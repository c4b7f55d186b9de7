import { MAX_CENTS } from '../../shared/deals/deal-terms.ts';
import type { Config } from '../../shared/platform/config.ts';
import { loadProvider, type Provider } from '../../shared/platform/http/provider-file.ts';
import { countyByName } from '../../shared/regions/county-names.ts';
import { countyAt } from '../../shared/regions/county-polygons.ts';
import { stateCode } from '../../shared/regions/states.ts';
import {
  acres,
  count,
  degrees,
  MAX_DAYS,
  MAX_TIMES,
  parseNumber,
  price,
} from '../feeds/values/number-value.ts';
import type { Failure } from '../feeds/values/text-value.ts';

const FIELDS = [
  'address',
  'county',
  'state',
  'fips',
  'acreage',
  'price',
  'days_on_market',
  'views',
  'saves',
  'latitude',
  'longitude',
];

export type ProviderListing = {
  fips: number | null;
  address: string | null;
  county: string | null;
  state: string | null;
  acreage: number | null;
  cents: bigint | null;
  days: number | null;
  views: number | null;
  saves: number | null;
};

const providers = new Map<string, Provider>();

/** Opens the LISTING_PROVIDER, once per process, with one circuit breaker. @throws PlatError `config` */
function providerOf({ LISTING_PROVIDER: file }: Config): Provider | undefined {
  if (file === undefined) return undefined;
  const provider = providers.get(file) ?? loadProvider(file, { names: ['listing_url'], fields: FIELDS });
  providers.set(file, provider);
  return provider;
}

/**
 * Returns what the configured provider has for a listing URL. Plat never opens the page itself.
 * @throws PlatError `provider`
 */
export async function askProvider(
  config: Config,
  listingUrl: string,
  signal: AbortSignal,
): Promise<ProviderListing | 'not_found' | 'no_provider'> {
  const provider = providerOf(config);
  if (provider === undefined) return 'no_provider';
  const response = await provider.query({ listing_url: listingUrl }, signal);
  return response === null ? 'not_found' : toListing(response);
}

/** An invalid value is treated as missing, so that a provider's mistake doesn't make the request fail. */
function toListing(response: Record<string, unknown>): ProviderListing {
  const text = (field: string): string | null => {
    const value = response[field];
    const tidy = typeof value === 'string' ? value.replace(/[\p{Cc}\s]+/gu, ' ').trim() : '';
    return tidy === '' ? null : tidy.slice(0, 255);
  };
  const number = (field: string, parse: (value: number | null | Failure) => number | null | Failure) => {
    const value = parse(parseNumber(response[field]));
    return typeof value === 'number' ? value : null;
  };
  const whole = (field: string, most: number) => number(field, value => count(value, most));
  const county = text('county');
  const state = stateCode(text('state') ?? '') ?? null;
  const [lon, lat] = [number('longitude', v => degrees(v, 180)), number('latitude', v => degrees(v, 90))];
  const dollars = number('price', price);
  const cents = dollars === null ? null : BigInt(Math.round(dollars * 100));
  return {
    fips:
      (county !== null && state !== null ? countyByName(county, state) : null) ??
      (lon !== null && lat !== null ? countyAt(lon, lat) : null),
    address: text('address'),
    county,
    state,
    acreage: number('acreage', acres),
    cents: cents === null || cents === 0n || cents > MAX_CENTS ? null : cents,
    days: whole('days_on_market', MAX_DAYS),
    views: whole('views', MAX_TIMES),
    saves: whole('saves', MAX_TIMES),
  };
}
