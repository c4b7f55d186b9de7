import { countyOf } from '../model/property-id.ts';
import type { Db } from '../platform/db.ts';
import { compose, sql } from '../platform/statements.ts';
import { isGrouped, type ListRecord, type RowStatus, type RowsPer } from './list-terms.ts';
import type { OfferFacts } from './offer.ts';

/**
 * SQL fragments shared by statements on lists: a list's rows (all of them, or only those that were read),
 * their owners, and the largest parcel of each owner or assemblage.
 */
export function listParts(
  { one_per_assemblage }: Pick<RowsPer, 'one_per_assemblage'>,
  { onlyRead = false } = {},
) {
  // Until a sold parcel's county is computed again, its assemblage is still that of the previous owner.
  const groupOf = (row: string) =>
    one_per_assemblage ? `(${row}.owner::text || ' ' || ${row}.assemblage_id)` : `${row}.owner`;
  return {
    members: compose('lists/members', { among: onlyRead ? 'r.read_at is not null' : 'true' }),
    owners: sql('lists/owners'),
    ranked: compose('lists/ranked', {
      group: groupOf('o'),
      extra_acres: compose('parcels/extra_acres', {
        of: groupOf('f'),
        from: 'owned f',
        where: `${groupOf('f')} is not null`,
        counties: 'true',
      }),
    }),
  };
}

/** A list's row as it is stored, with the owner's totals in the list. */
export type ListRow = {
  property_id: number;
  status: RowStatus;
  status_at: Date | null;
  price_asked: number | null;
  do_not_mail: boolean;
  note: string;
  tags: string[];
  added_at: Date;
  is_read: boolean;
  /** Null if the owner is unknown. */
  owner: string | null;
  owner_parcels: number;
  owner_acres: number | null;
};

export type ListSelection = {
  status?: string | undefined;
  tag?: string | undefined;
  /** Only rows with these ids. */
  among?: readonly number[] | undefined;
  /** The id to continue after, in either direction. */
  after?: number | undefined;
  backwards?: boolean;
  offset?: number;
  limit?: number;
};

export async function countiesOfList(db: Db, listId: string): Promise<number[]> {
  const rows = await db.run<{ fips: number }>('lists/list_counties', { list_id: listId }, {});
  return rows.map(row => row.fips);
}

/** A list's rows, ordered by id in either direction. `count` covers all selected rows. */
export async function readListRows(
  db: Db,
  companyId: string,
  list: RowsPer & Pick<ListRecord, 'id'>,
  { status, tag, among, after, backwards = false, offset = 0, limit }: ListSelection = {},
): Promise<{ count: number; rows: ListRow[] }> {
  const rows = await db.run<{ count: number; property_id: number | null } & ListRow>(
    'lists/list_rows',
    {
      company_id: companyId,
      list_id: list.id,
      counties: await countiesOfList(db, list.id),
      is_grouped: isGrouped(list),
      status: status ?? null,
      tag: tag ?? null,
      among: among ?? null,
      after: after ?? null,
      offset,
      limit: limit ?? null,
    },
    { ...listParts(list), beyond: backwards ? '<' : '>', direction: backwards ? 'desc' : 'asc' },
  );
  return { count: rows[0]!.count, rows: rows.filter(row => row.property_id !== null) };
}

export type PickedRow = {
  property_id: number;
  /** The parcel that its row shows. */
  leader: number;
  owner_key: string | null;
  owner: string | null;
  effective_acres: number | null;
  is_read: boolean;
  by_itself: boolean;
};

/**
 * Picks rows by id or status. With one row per owner or assemblage, also picks its other parcels (see
 * lists/pick_rows).
 */
export async function pickRows(
  db: Db,
  companyId: string,
  list: RowsPer & Pick<ListRecord, 'id'>,
  picked: { property_ids: readonly number[] | null; status: string | null; reveals: boolean },
): Promise<PickedRow[]> {
  const counties = await countiesOfList(db, list.id);
  const values = {
    company_id: companyId,
    list_id: list.id,
    counties,
    is_grouped: isGrouped(list),
    ...picked,
  };
  return db.run<PickedRow>('lists/pick_rows', values, listParts(list));
}

/** A row's parcel, with the facts that its offer is based on. */
export type RowParcel = OfferFacts & { property_id: number };

/** The parcels of rows, by id. @param summary additional columns of `parcels p` */
export async function readRowParcels<Columns extends object>(
  db: Db,
  propertyIds: readonly number[],
  summary: string,
): Promise<Map<number, Columns & RowParcel>> {
  if (propertyIds.length === 0) return new Map();
  const rows = await db.run<Columns & RowParcel>(
    'lists/read_row_parcels',
    { property_ids: propertyIds, counties: [...new Set(propertyIds.map(countyOf))] },
    { summary },
  );
  return new Map(rows.map(row => [row.property_id, row]));
}
