import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { MAX_PRICED, needsPrice, readOffers } from '../../../shared/lists/read-offers.ts';
import type { Db } from '../../../shared/platform/db.ts';

export type ListPrices = {
  /** Offers in mailed letters that recipients can still respond to. */
  dollars: number;
  offers: number;
  /** Rows in which a parcel still needs a price. */
  needed: number;
};

/** The prices of a list's rows, or null if the list is too long. */
export async function readPrices(db: Db, companyId: string, list: ListRecord): Promise<ListPrices | null> {
  if (list.rows > MAX_PRICED) return null;
  const rows = [...(await readOffers(db, companyId, list)).values()];
  const offers = rows
    .filter(({ status }) => status === 'mailed' || status === 'answered')
    .flatMap(({ offer }) => offer ?? []);
  return {
    dollars: offers.reduce((sum, offer) => sum + offer, 0),
    offers: offers.length,
    needed: rows.filter(needsPrice).length,
  };
}
