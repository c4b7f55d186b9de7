import type { Db } from '../platform/db.ts';
import { isGrouped, type ListRecord, offerTermsOf, type RowStatus, type RowsPer } from './list-terms.ts';
import { type Offer, offerOf, type RowOffer, sumOffers } from './offer.ts';
import { countiesOfList, listParts, type RowParcel, readRowParcels } from './read-list.ts';

/** Parcels per statement. */
const BATCH = 20_000;

/** Plat prices all rows of a list for a page or a count only up to this many parcels, about half a second. */
export const MAX_PRICED = 20_000;

/** What offers depend on, besides the columns that readRowParcels always reads. */
export const FACTS = 'p.property_id, p.acres, p.calculated_acres';

/** A parcel behind a row, with the price that was entered for it. */
export type MemberRow = {
  property_id: number;
  row_id: number;
  entered: number | null;
  status: RowStatus;
  do_not_mail: boolean;
};

type Options = { among?: readonly number[] | undefined; onlyRead?: boolean };

/** The parcels behind the rows that a list shows, in the order of the rows. */
export async function readMembers(
  db: Db,
  companyId: string,
  list: RowsPer & Pick<ListRecord, 'id'>,
  { among, onlyRead = false }: Options = {},
): Promise<MemberRow[]> {
  const counties = await countiesOfList(db, list.id);
  const values = {
    company_id: companyId,
    list_id: list.id,
    counties,
    is_grouped: isGrouped(list),
    among: among ?? null,
  };
  return db.run<MemberRow>('lists/list_row_parcels', values, listParts(list, { onlyRead }));
}

/** The offer for a list's parcel. */
export const parcelOffer = (list: ListRecord, parcel: RowParcel, entered: number | null): Offer =>
  offerOf(offerTermsOf(list), parcel, entered);

export type PricedRow = RowOffer & { status: RowStatus; do_not_mail: boolean; parcels: number };

/**
 * The rows of a list with their offers, by id. With one row per owner or assemblage, an offer is the sum for
 * all of its parcels.
 */
export async function readOffers(
  db: Db,
  companyId: string,
  list: ListRecord,
  options: Options = {},
): Promise<Map<number, PricedRow>> {
  const members = await readMembers(db, companyId, list, options);
  const rows = new Map<number, PricedRow>();
  let offers: Offer[] = [];
  let shown: MemberRow | undefined;
  for (let from = 0; from < members.length; from += BATCH) {
    const batch = members.slice(from, from + BATCH);
    const ids = batch.map(({ property_id }) => property_id);
    const parcels = await readRowParcels(db, ids, FACTS);
    for (const [at, member] of batch.entries()) {
      offers.push(parcelOffer(list, parcels.get(member.property_id)!, member.entered));
      if (member.property_id === member.row_id) shown = member;
      // Members of a row are next to each other.
      if (members[from + at + 1]?.row_id === member.row_id) continue;
      const { status, do_not_mail } = shown!;
      rows.set(member.row_id, { ...sumOffers(offers), status, do_not_mail, parcels: offers.length });
      offers = [];
    }
  }
  return rows;
}

/** The ids of rows with a price. */
export async function listPricedRows(db: Db, companyId: string, list: ListRecord): Promise<number[]> {
  const rows = await readOffers(db, companyId, list);
  return [...rows].filter(([, { offer }]) => offer !== null).map(([id]) => id);
}

/** Whether someone still has to enter a price for one of a row's parcels before a letter can leave. */
export const needsPrice = ({ do_not_mail, parcels, offer_parcels }: PricedRow): boolean =>
  !do_not_mail && offer_parcels < parcels;
