import { type LoadedCounty, listLoadedCounties } from '../../../shared/feeds/feed-statements.ts';
import type { Filter } from '../../../shared/parcels/filter/declare-filter.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import type { Visit } from '../frame/visit.ts';
import { countyOf } from './county-filter.ts';

export type Filters = Record<string, unknown>;
/** `fault`: no county, or more than one, is called so. */
export type GivenFilters = { filters: Filters; fault?: PlatError };

export const FILTER_BY_NAME: ReadonlyMap<string, Filter> = new Map(
  FILTERS.map(filter => [filter.name, filter]),
);

/** Parameters of the address that ask for something else. */
const NOT_FILTERS = new Set(['parcel', 'at', 'page', 'page_size', 'view', 'near', 'sent', 'color', 'map']);

/** Counties with parcels that the field offers; others are entered by FIPS code. */
const MAX_COUNTIES = 300;

export const listCounties = ({ deps }: Visit): Promise<LoadedCounty[]> =>
  listLoadedCounties(deps.db, MAX_COUNTIES);

/** The filters of the address as the API takes them: values by their types, a county by its code. */
export async function readFilters(
  visit: Visit,
  counties: () => Promise<readonly LoadedCounty[]>,
): Promise<GivenFilters> {
  const params = visit.url.searchParams;
  const given = [...new Set(params.keys())].flatMap((name): [string, unknown][] => {
    if (NOT_FILTERS.has(name)) return [];
    const values = params
      .getAll(name)
      .map(text => text.trim())
      .filter(Boolean);
    return values.length > 0 ? [[name, parseFilter(FILTER_BY_NAME.get(name), values)]] : [];
  });
  const filters: Filters = Object.fromEntries(given);
  const { county } = filters;
  if (typeof county !== 'string' || /^\d+$/.test(county)) return { filters };
  const meant = countyOf(county, new Set((await counties()).map(({ fips }) => Number(fips))));
  return meant instanceof PlatError
    ? { filters, fault: meant }
    : { filters: { ...filters, county: fiveDigits(meant) } };
}

function parseFilter(filter: Filter | undefined, values: string[]): unknown {
  const text = values.at(-1)!;
  if (filter?.type === 'list of strings')
    return values
      .flatMap(value => value.split(/[,;\n]/))
      .map(part => part.trim())
      .filter(Boolean);
  if (filter?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (filter?.type === 'number' || filter?.type === 'integer') return numberOf(text);
  if (filter?.type === 'date') return text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1$2$3');
  return text;
}

/** The API's 20250928 as fields of forms write it; other texts stay. */
export const isoDay = (text: string): string => text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/** `$12,000` is 12000; what is no number stays as it is, for the API to refuse. */
function numberOf(text: string): number | string {
  const number = Number(text.replace(/^\$\s*|,(?=\d{3}\b)/g, ''));
  return Number.isNaN(number) ? text : number;
}
