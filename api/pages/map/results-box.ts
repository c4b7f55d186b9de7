import { hash } from 'node:crypto';
import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { SCOPES } from '../../../shared/parcels/filter/filter-schema.ts';
import { readHitsBox } from '../../../shared/parcels/filter/hit-statements.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import { filterBody } from '../../v1/parcels/filter/filter-body.ts';
import type { Page } from '../frame/pages.tsx';
import { json } from '../frame/visit.ts';
import { type Filters, listCounties, readFilters } from '../parts/read-filters.ts';
import { searchContextOf } from './tile-hits.ts';

/** Identifies the place of a search. When it changes, the map moves to the results. */
export function whereKey(filters: Filters): string {
  const where = [...SCOPES, 'state'].map(name => [name, filters[name]]);
  return hash('sha256', JSON.stringify(where), 'hex').slice(0, 12);
}

/** The extent of the searched counties, for parcels without locations. */
function boxOfPlace({ county, counties }: FilterBody): Readonly<Box> | undefined {
  const codes = (county === undefined ? (counties ?? []) : [county]) as number[];
  const extents = codes.map(countyExtent).filter(extent => extent !== undefined);
  return extents.length === 0 ? undefined : boxAround(extents);
}

/** The box around all results, in degrees. Null if none of them has a location. */
export const resultsBoxPage: Page = {
  path: '/data/box.json',
  access: 'app',
  async get(visit) {
    const { filters } = await readFilters(visit, () => listCounties(visit));
    const body = filterBody.safeParse(filters).data;
    if (body === undefined) return json(null);
    const { db } = visit.deps;
    const selection = await selectParcels(body, await searchContextOf(visit, body), db);
    return json((await readHitsBox(db, selection)) ?? boxOfPlace(body) ?? null);
  },
};
