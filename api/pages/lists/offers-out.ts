import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { readOffers } from '../../../shared/lists/read-offers.ts';
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
  const rows = [...(await readOffers(db, companyId, list)).values()];
  const offers = rows
    .filter(({ status }) => status === 'mailed' || status === 'answered')
    .flatMap(({ offer }) => offer ?? []);
  return { dollars: offers.reduce((sum, offer) => sum + offer, 0), offers: offers.length };
}
