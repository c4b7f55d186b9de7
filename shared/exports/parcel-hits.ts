import { isGrouped, type ListRecord, type RowStatus, type RowsPer } from '../lists/list-terms.ts';
import { countiesOfList, listParts } from '../lists/read-list.ts';
import type { Selection } from '../parcels/filter/filter-selection.ts';
import type { Db } from '../platform/db.ts';
import { compose } from '../platform/statements.ts';

/** Common table expressions, with their parameters. The last one, `hits`, has the parcels in a file. */
export type Hits = { hits: string; found: 'hits' | 'members'; values: Record<string, unknown> };

/** @param most maximum number of parcels */
export const hitsOfFilter = ({ from, where, values }: Selection, most: number): Hits => ({
  hits: compose('exports/hits_of_filter', { from, where }),
  found: 'hits',
  values: { ...values, most },
});

/** The largest parcel of each owner or assemblage. `found` has all of the parcels. */
export const hitsOfOwners = (
  { from, where, values }: Selection,
  companyId: string,
  rowsPer: Pick<RowsPer, 'one_per_assemblage'>,
  most: number,
): Hits => {
  const { owners, ranked } = listParts(rowsPer);
  return {
    hits: compose('exports/hits_of_owners', { from, where, owners, ranked }),
    found: 'members',
    values: { ...values, company_id: companyId, most },
  };
};

type ListOptions = {
  companyId: string;
  status?: RowStatus | undefined;
  /** Only rows with these ids. */
  among?: readonly number[] | undefined;
  /** Only rows that the company has read. */
  onlyRead?: boolean;
};

export async function hitsOfList(
  db: Db,
  list: RowsPer & Pick<ListRecord, 'id'>,
  { companyId, status, among, onlyRead = false }: ListOptions,
): Promise<Hits> {
  return {
    hits: compose('exports/hits_of_list', listParts(list, { onlyRead })),
    found: 'hits',
    values: {
      company_id: companyId,
      list_id: list.id,
      counties: await countiesOfList(db, list.id),
      is_grouped: isGrouped(list),
      status: status ?? null,
      among: among ?? null,
    },
  };
}

/** One of the company's lists; undefined if the company has no such list. */
export async function findListOf(db: Db, companyId: string, id: string): Promise<ListRecord | undefined> {
  return (await db.run<ListRecord>('lists/list_lists', { company_id: companyId, list_id: id }))[0];
}
