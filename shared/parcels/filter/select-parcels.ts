import type { ShapeWork } from '../../geo/shape-work.ts';
import { countiesOfList } from '../../lists/read-list.ts';
import { countyOf } from '../../model/property-id.ts';
import type { Db } from '../../platform/db.ts';
import { PlatError } from '../../platform/errors.ts';
import { binder } from '../../platform/named-parameters.ts';
import { ownerKeys } from '../owner-key.ts';
import type { Since } from './changed-since.ts';
import type { FilterBody, FilterContext, VersionsSince } from './declare-filter.ts';
import { inCounties, type Selection, selectionOf } from './filter-selection.ts';
import { readFilterShape } from './filter-shape.ts';
import { filterByShape } from './spatial-filter.ts';

/** Where to look alone: in a county, among some of its parcels. */
export type Among = { fips: number; ids?: readonly number[] };

export type Asking = {
  /** The moment that months and years are counted from. */
  asOf: Date;
  /** Whose lists may be asked for; absent: nobody's. */
  companyId?: string | null;
  /** What computes the filter's shape. */
  work: ShapeWork;
};

/**
 * What a filter finds, as statements.
 * @throws PlatError `validation_error` for an owner, a list or a row_version that is not known;
 * `unprocessable` as filterByShape
 */
export async function selectParcels(
  body: FilterBody,
  { asOf, companyId = null, work }: Asking,
  database: Db,
  among?: Among,
): Promise<Selection> {
  const {
    owner_parcel_id: ownerOf,
    list_id: listId,
    changed_since: since,
  } = body as { owner_parcel_id?: number; list_id?: string; changed_since?: Since };
  const context = {
    asOf,
    ...(ownerOf !== undefined && { owner: await findOwner(ownerOf, database) }),
    ...(listId !== undefined && { list: await findList(listId, companyId, database) }),
    ...(since !== undefined && { since: await findVersionsSince(since, database) }),
  };
  const selection = amongParcels(selectionOf(body, context), among);
  const shape = await readFilterShape(body, work);
  return shape === undefined ? selection : filterByShape(shape, selection, database, work);
}

function amongParcels(selection: Selection, among: Among | undefined): Selection {
  if (among === undefined) return selection;
  const inCounty = inCounties(selection, [among.fips]);
  if (among.ids === undefined) return inCounty;
  const values = { ...inCounty.values };
  const where = `${inCounty.where}\n    and f.property_id = any (${binder(values)(among.ids)}::bigint[])`;
  return { ...inCounty, where, values };
}

/** @throws PlatError `validation_error` when there is no such parcel, or nobody is known to own it. */
async function findOwner(propertyId: number, database: Db): Promise<FilterContext['owner']> {
  const [parcel] = await database.run<{ retired: boolean; owner_key: string | null }>('parcels/read_owner', {
    fips: countyOf(propertyId),
    property_id: propertyId,
  });
  if (parcel === undefined || parcel.retired)
    throw refused('owner_parcel_id', 'no parcel on the roll has this id');
  if (parcel.owner_key === null) throw refused('owner_parcel_id', 'this parcel has no owner mailing address');
  const keys = await ownerKeys(database, parcel.owner_key);
  const rows = await database.run<{ fips: number }>('parcels/list_counties', { owner_keys: keys });
  return { keys, counties: rows.map(row => row.fips) };
}

/** @throws PlatError `validation_error` for what is no list of the company */
async function findList(id: string, companyId: string | null, db: Db): Promise<FilterContext['list']> {
  const known = await db.run('lists/find_list', { company_id: companyId, list_id: id });
  if (known.length === 0) throw refused('list_id', 'is not the id of a list of the company');
  return { counties: await countiesOfList(db, id) };
}

/** @throws PlatError `validation_error` for a row_version that no parcel can have */
async function findVersionsSince(since: Since, db: Db): Promise<VersionsSince> {
  const [found] = await db.run<VersionsSince & { newest: number }>('changes/find_versions_since', {
    at: null,
    version: null,
    ...since,
  });
  const { first, before, newest } = found!;
  if ('version' in since && since.version > newest)
    throw refused('changed_since', 'is beyond the newest row_version: the database was restored');
  return { first, before };
}

const refused = (field: string, why: string) =>
  new PlatError('validation_error', `Rejected: ${field}. See details for the reasons.`, {
    details: { [field]: [why] },
  });
