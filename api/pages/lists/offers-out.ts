import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { isEstimate } from '../../../shared/lists/offer.ts';
import { MAX_PRICED, needsPrice, readOffers } from '../../../shared/lists/read-offers.ts';
import { isAboutEstimate } from '../../../shared/model/valuation-problems.ts';
import type { Db } from '../../../shared/platform/db.ts';

export type ListPrices = {
  /** Offers in mailed letters that recipients can still respond to. */
  dollars: number;
  offers: number;
  /** Rows in which a parcel still needs a price. */
  needed: number;
  /** Whether some of them have no price because their estimates don't count. */
  hasWeakEstimates: boolean;
};

/** The prices of a list's rows, or null if the list is too long. */
export async function readPrices(db: Db, companyId: string, list: ListRecord): Promise<ListPrices | null> {
  if (list.rows > MAX_PRICED) return null;
  const rows = [...(await readOffers(db, companyId, list)).values()];
  const offers = rows
    .filter(({ status }) => status === 'mailed' || status === 'answered')
    .flatMap(({ offer }) => offer ?? []);
  const unpriced = rows.filter(needsPrice);
  const hasWeakEstimates =
    isEstimate(list.offer_of) && unpriced.some(row => row.needs_review.some(isAboutEstimate));
  return {
    dollars: offers.reduce((sum, offer) => sum + offer, 0),
    offers: offers.length,
    needed: unpriced.length,
    hasWeakEstimates,
  };
}
