import type { Db } from '../platform/db.ts';
import type { ListRecord } from './list-terms.ts';
import { pickRows } from './read-list.ts';

/**
 * Notes that rows of a list were read; to be run in the transaction that charges for them, before its charge.
 * With one row per owner that is all rows of the owners, as the row says how many there are.
 * @param isWhole the reader has seen that there are no further rows: without an unread one nothing is hidden
 */
export async function markRowsRead(
  db: Db,
  companyId: string,
  list: Pick<ListRecord, 'id' | 'one_per_owner'>,
  ids: readonly number[],
  isWhole: boolean,
): Promise<void> {
  const held = await db.run('lists/lock_list', { list_id: list.id, company_id: companyId });
  if (held.length === 0) return;
  const picked = list.one_per_owner
    ? await pickRows(db, companyId, list, { property_ids: ids, status: null, reveals: true })
    : [];
  const read = [...new Set([...ids, ...picked.map(row => row.property_id)])];
  await db.run('lists/mark_rows_read', { list_id: list.id, property_ids: read });
  if (isWhole) await db.run('lists/reveal_list', { list_id: list.id });
}
