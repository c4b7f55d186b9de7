import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { readListRows, readRowParcels, rowOffer } from '../../../shared/lists/read-list.ts';
import type { Db } from '../../../shared/platform/db.ts';

/** Summing a longer list would delay the page. */
const MOST_ROWS = 5_000;

/**
 * Offers in mailed letters that recipients can still respond to. Null if the list has no offers or is too
 * long.
 */
export async function offersOut(
  db: Db,
  companyId: string,
  list: ListRecord,
): Promise<{ dollars: number; offers: number } | null> {
  if (list.offer_percent === null || list.rows > MOST_ROWS) return null;
  const { rows } = await readListRows(db, companyId, list);
  const mailed = rows.filter(({ status }) => status === 'mailed' || status === 'answered');
  const ids = mailed.map(row => row.property_id);
  const parcels = await readRowParcels(db, ids, 'p.property_id, p.acres, p.calculated_acres');
  const offers = ids.flatMap(id => rowOffer(list, parcels.get(id)!).offer ?? []);
  return { dollars: offers.reduce((sum, offer) => sum + offer, 0), offers: offers.length };
}
