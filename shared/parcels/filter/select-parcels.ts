import type { Reads } from '../../base/db.ts';
import { PlatError } from '../../base/errors.ts';
import { binder } from '../../base/named-parameters.ts';
import type { ParsedQuery } from '../../geo/query-geometry.ts';
import { ownerKeys } from '../owner-key.ts';
import type { FilterBody } from './declare-filter.ts';
import { inCounties, type Selection, selectionOf } from './filter-selection.ts';
import { filterByShape } from './spatial-filter.ts';

/** Where to look alone: in a county, among some of its parcels. */
export type Among = { fips: number; ids?: readonly number[] };

/**
 * What a filter finds, as statements. @param asOf the moment that months and years are counted from
 * @throws PlatError `validation_error` for an owner who is not known; `unprocessable` as filterByShape
 */
export async function selectParcels(
  body: FilterBody,
  asOf: Date,
  database: Reads,
  among?: Among,
): Promise<Selection> {
  const owner =
    body.owner_parcel_id === undefined ? {} : await ownerOf(body.owner_parcel_id as number, database);
  const selection = amongParcels(selectionOf(body, { asOf, ...owner }), among);
  if (body.geom_intersects === undefined) return selection;
  return filterByShape(body.geom_intersects as ParsedQuery, selection, database);
}

function amongParcels(selection: Selection, among: Among | undefined): Selection {
  if (among === undefined) return selection;
  const inCounty = inCounties(selection, [among.fips]);
  if (among.ids === undefined) return inCounty;
  const values = { ...inCounty.values };
  const where = `${inCounty.where}\n    and f.property_id = any (${binder(values)(among.ids)}::bigint[])`;
  return { ...inCounty, where, values };
}

type Owner = { ownerKeys: string[]; counties: number[] };

/** @throws PlatError `validation_error` when there is no such parcel, or nobody is known to own it. */
async function ownerOf(propertyId: number, database: Reads): Promise<Owner> {
  const [parcel] = await database.run<{ owner_key: string | null }>('parcels/read_owner_key', {
    property_id: propertyId,
  });
  if (parcel === undefined) throw refused('no parcel on the roll has this id');
  if (parcel.owner_key === null) throw refused('this parcel has no owner mailing address');
  const keys = await ownerKeys(database.run, parcel.owner_key);
  const rows = await database.run<{ fips: number }>('parcels/list_counties', { owner_keys: keys });
  return { ownerKeys: keys, counties: rows.map(row => row.fips) };
}

const refused = (why: string) =>
  new PlatError('validation_error', 'Rejected: owner_parcel_id. See details for the reasons.', {
    details: { owner_parcel_id: [why] },
  });
