import { PlatError } from '../../../shared/platform/errors.ts';
import { type County, countyText } from '../../../shared/regions/counties.ts';
import { plainWords } from '../../../shared/regions/county-names.ts';
import { searchCounties } from '../../../shared/regions/search-counties.ts';

const MAX_NAMED = 8;

/**
 * Finds the county by name or code. If several match, prefers an exact name, then the one that has parcels.
 * @returns an error that lists the candidates, unless there is exactly one
 */
export function countyOf(text: string, withParcels: ReadonlySet<number>): number | PlatError {
  const { counties, near } = searchCounties(text);
  const named = counties.filter(({ name, state }) =>
    [plainWords(name), plainWords(`${name} ${state}`)].includes(plainWords(text)),
  );
  for (const some of [counties, named, counties.filter(({ fips }) => withParcels.has(fips))])
    if (some.length === 1) return some[0]!.fips;
  return refused(
    counties.length > 0
      ? `“${text}” could be ${listed(counties)}. Add the state.`
      : `No county is named “${text}”.${meant(near)}`,
  );
}

const meant = (near: readonly County[]): string => (near.length > 0 ? ` Did you mean ${listed(near)}?` : '');

function listed(counties: readonly County[]): string {
  const names = counties.slice(0, MAX_NAMED).map(({ fips }) => countyText(fips));
  return names.join('; ') + (counties.length > MAX_NAMED ? ' …' : '');
}

const refused = (message: string) =>
  new PlatError('validation_error', message, { details: { county: [message] } });
