import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { readListRows, readRowParcels, rowOffer } from '../../../shared/lists/read-list.ts';
import type { Db } from '../../../shared/platform/db.ts';

/** Of longer lists the page does not wait for the sum. */
const MOST_ROWS = 5_000;

/** What letters offered that may be answered yet; null where a list offers nothing, or is too long. */
export async function offersOut(
  db: Db,
  companyId: string,
  list: ListRecord,
): Promise<{ dollars: number; offers: number } | null> {
  if (list.offer_percent === null || list.rows > MOST_ROWS) return null;
  const { rows } = await readListRows(db, companyId, list);
  const out = rows.filter(({ status }) => status === 'mailed' || status === 'answered');
  const ids = out.map(row => row.property_id);
  const parcels = await readRowParcels(db, ids, 'p.property_id, p.acres, p.calculated_acres');
  const offers = ids.flatMap(id => rowOffer(list, parcels.get(id)!).offer ?? []);
  return { dollars: offers.reduce((sum, offer) => sum + offer, 0), offers: offers.length };
}
