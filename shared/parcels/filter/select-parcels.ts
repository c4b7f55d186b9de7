import type { ShapeWork } from '../../geo/shape-work.ts';
import { listOverlays } from '../../land/overlay-feeds.ts';
import { countiesOfList } from '../../lists/read-list.ts';
import type { Overlay } from '../../model/overlays.ts';
import { countyOf } from '../../model/property-id.ts';
import type { Db } from '../../platform/db.ts';
import { PlatError } from '../../platform/errors.ts';
import { binder } from '../../platform/named-parameters.ts';
import { ownerKeys } from '../owner-key.ts';
import type { Since } from './changed-since.ts';
import type { FilterBody, FilterContext, VersionsSince } from './declare-filter.ts';
import { inCounties, type Selection, selectionOf } from './filter-selection.ts';
import { readFilterShape } from './filter-shape.ts';
import type { OverlayCondition } from './overlay-filter.ts';
import { filterByShape } from './spatial-filter.ts';

/** Limits a search to a county, or to some of its parcels. */
export type Among = { fips: number; ids?: readonly number[] };

export type Asking = {
  /** Months and years are counted back from this time. */
  asOf: Date;
  /** The company whose lists the filter may use. If absent, it can't use any lists. */
  companyId?: string | null;
  /** Runs the computations on the filter's shape. */
  work: ShapeWork;
};

/**
 * Turns a filter into SQL.
 * @throws PlatError `validation_error` for an unknown owner, list, or row_version; `unprocessable` like
 * filterByShape
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
    overlays,
  } = body as {
    owner_parcel_id?: number;
    list_id?: string;
    changed_since?: Since;
    overlays?: OverlayCondition[];
  };
  if (overlays !== undefined) await requireOverlays(overlays, database);
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

/** @throws PlatError `validation_error` if the parcel doesn't exist or its owner is unknown */
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

/** @throws PlatError `validation_error` if the company has no such list */
async function findList(id: string, companyId: string | null, db: Db): Promise<FilterContext['list']> {
  const known = await db.run('lists/find_list', { company_id: companyId, list_id: id });
  if (known.length === 0) throw refused('list_id', "is not the id of one of your company's lists");
  return { counties: await countiesOfList(db, id) };
}

/** @throws PlatError `validation_error` for a row_version that is too new */
async function findVersionsSince(since: Since, db: Db): Promise<VersionsSince> {
  const [found] = await db.run<VersionsSince & { newest: number }>('changes/find_versions_since', {
    at: null,
    version: null,
    ...since,
  });
  const { first, before, newest } = found!;
  if ('version' in since && since.version > newest)
    throw refused(
      'changed_since',
      'is newer than the newest row_version, because the database was restored from a backup',
    );
  return { first, before };
}

/** @throws PlatError `validation_error` for an overlay, a class, or a distance that no feed declares */
async function requireOverlays(conditions: readonly OverlayCondition[], db: Db): Promise<void> {
  const declared = await listOverlays(db);
  for (const condition of conditions) {
    const overlay = declared.find(({ name }) => name === condition.name);
    const fault = faultOf(condition, overlay, declared);
    if (fault !== null) throw refused('overlays', fault);
  }
}

function faultOf(
  { name, classes = [], distance_ft_min: least = 0, distance_ft_max: most = 0 }: OverlayCondition,
  overlay: Overlay | undefined,
  declared: readonly Overlay[],
): string | null {
  if (overlay === undefined) {
    const names = declared.map(other => other.name).join(', ');
    return `${name} is not loaded. ${names === '' ? 'No overlay is loaded' : `Loaded: ${names}`}`;
  }
  const unknown = classes.find(name => overlay.classes.every(item => item.class !== name));
  if (unknown !== undefined)
    return `${unknown} is not a class of ${name}. Its classes: ${overlay.classes.map(item => item.class).join(', ')}`;
  const { distance_ft: limit } = overlay;
  if (Math.max(least, most) > (limit ?? 0))
    return limit === null
      ? `${name} has no distances`
      : `${name} has distances up to ${limit} feet; use at most that`;
  return null;
}

const refused = (field: string, why: string) =>
  new PlatError('validation_error', `Rejected: ${field}. See details for the reasons.`, {
    details: { [field]: [why] },
  });
