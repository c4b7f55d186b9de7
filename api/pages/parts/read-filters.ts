import { type LoadedCounty, listLoadedCounties } from '../../../shared/feeds/feed-statements.ts';
import type { Filter } from '../../../shared/parcels/filter/declare-filter.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import type { Visit } from '../frame/visit.ts';
import { countyOf } from './county-filter.ts';
import { isOverlayParameter, overlaysOf } from './overlay-parameters.ts';

export type Filters = Record<string, unknown>;
/** `fault` is set if no county, or more than one, has the name. */
export type UrlFilters = { filters: Filters; fault?: PlatError };

export const FILTER_BY_NAME: ReadonlyMap<string, Filter> = new Map(
  FILTERS.map(filter => [filter.name, filter]),
);

/** URL parameters that aren't filters. */
const NOT_FILTERS = new Set(['parcel', 'at', 'page', 'page_size', 'view', 'near', 'sent', 'color', 'map']);

/** Maximum number of counties that the field suggests. Users enter other counties by FIPS code. */
const MAX_COUNTIES = 300;

export const listCounties = ({ deps }: Visit): Promise<LoadedCounty[]> =>
  listLoadedCounties(deps.db, MAX_COUNTIES);

/** The URL's filters as the API accepts them, with values parsed by type and the county as a code. */
export async function readFilters(
  visit: Visit,
  counties: () => Promise<readonly LoadedCounty[]>,
): Promise<UrlFilters> {
  const params = visit.url.searchParams;
  const entries = [...new Set(params.keys())].flatMap((name): [string, unknown][] => {
    if (NOT_FILTERS.has(name) || isOverlayParameter(name)) return [];
    const values = params
      .getAll(name)
      .map(text => text.trim())
      .filter(Boolean);
    return values.length > 0 ? [[name, parseFilter(FILTER_BY_NAME.get(name), values)]] : [];
  });
  const overlays = overlaysOf(params);
  const filters: Filters = { ...Object.fromEntries(entries), ...(overlays.length > 0 && { overlays }) };
  const { county } = filters;
  if (typeof county !== 'string' || /^\d+$/.test(county)) return { filters };
  const found = countyOf(county, new Set((await counties()).map(({ fips }) => Number(fips))));
  return found instanceof PlatError
    ? { filters, fault: found }
    : { filters: { ...filters, county: fiveDigits(found) } };
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

/** Converts the API's 20250928 to the format of date inputs. Other text is kept. */
export const isoDay = (text: string): string => text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/** Reads `$12,000` as 12000. Text that isn't a number is kept, so that the API rejects it. */
function numberOf(text: string): number | string {
  const number = Number(text.replace(/^\$\s*|,(?=\d{3}\b)/g, ''));
  return Number.isNaN(number) ? text : number;
}
