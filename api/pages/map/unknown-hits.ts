import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { callEndpoint, type Visit, withParam } from '../frame/visit.ts';
import type { Filters } from '../parts/read-filters.ts';

/** The results that a filter keeps even though their value is unknown, and the URL that excludes them. */
export type UnknownHits = { filter: string; known: number; unknown: number; without: string };

/** @param total the number of results */
export async function countUnknownHits(
  visit: Visit,
  filters: Filters,
  total: number,
): Promise<UnknownHits[]> {
  const known = (filters.known ?? []) as string[];
  const keeping = FILTERS.filter(
    ({ name, keepsUnknown }) =>
      keepsUnknown !== undefined &&
      filters[name] !== undefined &&
      filters[name] !== false &&
      !known.includes(keepsUnknown),
  );
  const found: UnknownHits[] = [];
  // Run these one after another, so that a page uses only one connection.
  for (const { name, keepsUnknown } of keeping) {
    const fields = [...known, keepsUnknown!];
    const { count } = await callEndpoint<{ count: number }>(visit, filterParcels, {
      body: { ...filters, known: fields },
      query: { page_size: '1' },
    });
    const without = withParam(new URL(withParam(visit.url, 'page'), visit.url), 'known', fields.join(','));
    if (count < total) found.push({ filter: name, known: count, unknown: total - count, without });
  }
  return found;
}
