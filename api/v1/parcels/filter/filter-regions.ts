import type { FilterBody } from '../../../../shared/parcels/filter/declare-filter.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { type RegionReference, requireKnownRegions } from '../../common/known-regions.ts';

const PLACES = { county: 'county', counties: 'county', zips_include: 'zip', zips_exclude: 'zip' } as const;

/** The counties and ZIPs of a body, which have lost their leading zeros. */
function namedIn(body: FilterBody): RegionReference[] {
  return Object.entries(PLACES).map(([field, type]) => {
    const codes = [body[field] ?? []].flat() as number[];
    return { field, type, codes: codes.map(code => String(code).padStart(5, '0')) };
  });
}

/** @throws PlatError `validation_error` that names the filters with a county or ZIP that there is not */
export const requireFilterRegions = (db: Db, body: FilterBody): Promise<void> =>
  requireKnownRegions(db, namedIn(body));
