import type { Db } from '../platform/db.ts';
import { isGrouped, type ListRecord, type RowsPer } from './list-terms.ts';
import { pickRows } from './read-list.ts';

/**
 * Records that rows of a list were read. Run it in the transaction that charges for them, before the charge.
 * With one row per owner or assemblage, all of its parcels count as read, because the row shows how many
 * there are.
 * @param isWhole whether the reader reached the end of the list. Reading all rows lifts the limits on what
 * the API reveals
 */
export async function markRowsRead(
  db: Db,
  companyId: string,
  list: RowsPer & Pick<ListRecord, 'id'>,
  ids: readonly number[],
  isWhole: boolean,
): Promise<void> {
  const locked = await db.run('lists/lock_list', { list_id: list.id, company_id: companyId });
  if (locked.length === 0) return;
  const picked = isGrouped(list)
    ? await pickRows(db, companyId, list, { property_ids: ids, status: null, reveals: true })
    : [];
  const read = [...new Set([...ids, ...picked.map(row => row.property_id)])];
  await db.run('lists/mark_rows_read', { list_id: list.id, property_ids: read });
  if (isWhole) await db.run('lists/reveal_list', { list_id: list.id });
}
