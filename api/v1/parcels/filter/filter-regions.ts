import type { FilterBody } from '../../../../shared/parcels/filter/declare-filter.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { type RegionReference, requireKnownRegions } from '../../common/known-regions.ts';

const PLACES = { county: 'county', counties: 'county', zips_include: 'zip', zips_exclude: 'zip' } as const;

/** The counties and ZIP codes in a body. They are numbers, so leading zeros are added back. */
function namedIn(body: FilterBody): RegionReference[] {
  return Object.entries(PLACES).map(([field, type]) => {
    const codes = [body[field] ?? []].flat() as number[];
    return { field, type, codes: codes.map(code => String(code).padStart(5, '0')) };
  });
}

/** @throws PlatError `validation_error` with the filters that contain an unknown county or ZIP code */
export const requireFilterRegions = (db: Db, body: FilterBody): Promise<void> =>
  requireKnownRegions(db, namedIn(body));
