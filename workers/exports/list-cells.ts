import type { ListRecord } from '../../shared/lists/list-terms.ts';
import { readRowParcels, rowOffer } from '../../shared/lists/read-list.ts';
import type { Db } from '../../shared/platform/db.ts';

/** Cells by column name. */
export type ListCells = Record<string, string>;

type RowState = { property_id: number; status: string; status_at: Date | null; tags: string[] };

/** The list's values for some of its rows, if these columns need them. */
export async function readListCells(
  db: Db,
  list: ListRecord,
  ids: readonly number[],
  names: ReadonlySet<string>,
): Promise<Map<number, ListCells>> {
  const all = new Map<number, ListCells>();
  if (['status', 'status_at', 'tags'].some(name => names.has(name)))
    for (const row of await db.run<RowState>('lists/read_row_states', {
      list_id: list.id,
      property_ids: ids,
    }))
      all.set(row.property_id, {
        status: row.status,
        status_at: row.status_at?.toISOString().slice(0, 10) ?? '',
        tags: row.tags.filter(tag => !mayBeNumber(tag)).join('; '),
      });
  if (['value', 'offer', 'needs_review'].some(name => names.has(name)))
    for (const [id, parcel] of await readRowParcels(db, ids, 'p.property_id, p.acres, p.calculated_acres')) {
      const { offer, needs_review } = rowOffer(list, parcel);
      all.set(id, {
        ...all.get(id),
        value: parcel.value === null ? '' : String(Math.round(parcel.value * 100) / 100),
        offer: offer === null ? '' : String(offer),
        needs_review: needs_review.join('; '),
      });
    }
  return all;
}

/** A phone number has seven digits or more, and files must not contain any. */
const mayBeNumber = (text: string): boolean => text.replaceAll(/\D/g, '').length >= 7;
