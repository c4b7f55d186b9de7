import type { Reads } from '../platform/db.ts';
import type { ListRecord } from './list-terms.ts';
import { pickRows } from './read-list.ts';

/**
 * Notes that rows of a list were read; to be run in the transaction that charges for them, before its charge.
 * With one row per owner that is all rows of the owners, as the row says how many there are.
 * @param isWhole the reader has seen that there are no further rows: without an unread one nothing is hidden
 */
export async function markRowsRead(
  { run, runComposed }: Reads,
  companyId: string,
  list: Pick<ListRecord, 'id' | 'one_per_owner'>,
  ids: readonly number[],
  isWhole: boolean,
): Promise<void> {
  const held = await run('lists/lock_list', { list_id: list.id, company_id: companyId });
  if (held.length === 0) return;
  const picked = list.one_per_owner
    ? await pickRows(runComposed, companyId, list, { property_ids: ids, status: null, reveals: true })
    : [];
  const read = [...new Set([...ids, ...picked.map(row => row.property_id)])];
  await run('lists/mark_rows_read', { list_id: list.id, property_ids: read });
  if (isWhole) await run('lists/reveal_list', { list_id: list.id });
}
