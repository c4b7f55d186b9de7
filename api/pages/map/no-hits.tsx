import { countyText } from '../../../shared/regions/counties.ts';
import { type Filter, type FilterBody, labelOf } from '../../v1/parcels/filter/declare-filter.ts';
import { filterBody } from '../../v1/parcels/filter/filter-body.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { selectionOf } from '../../v1/parcels/filter/filter-selection.ts';
import { FILTERS } from '../../v1/parcels/filter/filters.ts';
import { Notice } from '../frame/layout.tsx';
import { callEndpoint, type Visit, withParam } from '../frame/visit.ts';

/** What is not known of any parcel of the county that was searched, and how many match without it. */
export type Unknown = { fips: number; filters: Filter[]; count: number };

/** Why a county's search found nothing; undefined where all that was asked is known of some parcel. */
export async function findUnknown(
  visit: Visit,
  filters: Record<string, unknown>,
): Promise<Unknown | undefined> {
  const body = filterBody.safeParse(filters).data;
  if (body?.county === undefined) return undefined;
  const fips = body.county as number;
  const unknown: Filter[] = [];
  // One after the other: a page of many filters takes no more than one connection.
  for (const filter of FILTERS) if (!(await isKnown(visit, filter, body, fips))) unknown.push(filter);
  if (unknown.length === 0) return undefined;
  const others = Object.entries(filters).filter(([name]) => unknown.every(filter => filter.name !== name));
  const { count } = await callEndpoint<{ count: number }>(visit, filterParcels, {
    body: Object.fromEntries(others),
    query: { page_size: '1' },
  });
  return { fips, filters: unknown, count };
}

async function isKnown(visit: Visit, filter: Filter, body: FilterBody, fips: number): Promise<boolean> {
  // Scopes are places and owners, which are there or not.
  if (body[filter.name] === undefined || filter.scope || filter.where === undefined) return true;
  const others = FILTERS.filter(each => each.where === undefined).map(({ name }) => [name, body[name]]);
  const alone = { ...Object.fromEntries(others), [filter.name]: body[filter.name] };
  const { from, where, values } = selectionOf(alone, { asOf: visit.deps.now() });
  const { database } = visit.deps.resources;
  const [row] = await database.runComposed<{ known: boolean }>(
    'parcels/is_known',
    { from, where },
    { ...values, fips },
  );
  return row!.known;
}

export function NoHits({ visit, unknown }: { visit: Visit; unknown: Unknown | undefined }) {
  if (unknown === undefined) return <p>Nothing matches. Fewer filters, or wider ones, find more.</p>;
  const { filters, count, fips } = unknown;
  const names = filters.map(labelOf).join('; ');
  const url = filters.reduce(
    (address, { name }) => new URL(withParam(address, name), address),
    new URL(withParam(visit.url, 'page'), visit.url),
  );
  const without = `${count.toLocaleString('en-US')} match without ${filters.length === 1 ? 'this filter' : 'these filters'}`;
  return (
    <Notice>
      Not known of any parcel in {countyText(fips)}: {names}.{' '}
      <a href={url.pathname + url.search}>{without}</a>.
    </Notice>
  );
}
