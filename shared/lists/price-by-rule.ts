import type { Db } from '../platform/db.ts';
import type { ListRecord } from './list-terms.ts';
import { type OfferBase, roundTo } from './offer.ts';
import { type RowParcel, readRowParcels } from './read-list.ts';
import { FACTS, type MemberRow, needsPrice, parcelOffer, readMembers, readOffers } from './read-offers.ts';

/** How a person prices rows that the list's own terms don't price. */
export type PriceRule = { percent: number; of: OfferBase } | { per_acre: number };

/** A row's new price, and the price that was entered before. */
export type RulePrice = { property_id: number; offer: number; before: number | null };

const USUAL_ROUNDING = 100;

/** A parcel's price, or null if the rule has nothing to base it on. */
function priceOf(rule: PriceRule, parcel: RowParcel, unit: number): number | null {
  const acres = parcel.acres ?? parcel.calculated_acres;
  const exact =
    'per_acre' in rule
      ? acres && acres * rule.per_acre
      : parcel[rule.of] && (parcel[rule.of]! * rule.percent) / 100;
  return exact ? roundTo(exact, unit) || null : null;
}

/**
 * Prices for the rows that need one. A row keeps the prices of its other parcels.
 * @returns the prices, and the number of rows that the rule can't price
 */
export async function priceByRule(
  db: Db,
  companyId: string,
  list: ListRecord,
  rule: PriceRule,
): Promise<{ prices: RulePrice[]; unpriced: number }> {
  const offers = await readOffers(db, companyId, list);
  const needing = [...offers].filter(([, row]) => needsPrice(row)).map(([id]) => id);
  const members = await readMembers(db, companyId, list, { among: needing });
  const parcels = await readRowParcels(
    db,
    members.map(({ property_id }) => property_id),
    FACTS,
  );
  const unit = list.offer_round_to ?? USUAL_ROUNDING;
  const partsOf = new Map<number, (number | null)[]>();
  const priceFor = ({ property_id, entered }: MemberRow): number | null => {
    const parcel = parcels.get(property_id)!;
    return parcelOffer(list, parcel, entered).offer ?? priceOf(rule, parcel, unit);
  };
  for (const member of members)
    partsOf.set(member.row_id, [...(partsOf.get(member.row_id) ?? []), priceFor(member)]);
  const prices = [...partsOf].flatMap(([property_id, parts]): RulePrice[] => {
    if (parts.includes(null)) return [];
    const { offer, offer_source } = offers.get(property_id)!;
    const before = offer_source === 'entered' ? offer : null;
    return [{ property_id, offer: parts.reduce<number>((sum, part) => sum + part!, 0), before }];
  });
  return { prices, unpriced: needing.length - prices.length };
}
