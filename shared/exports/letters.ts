import { round2 } from '../kernels/stats/rounding.ts';
import type { ListRecord } from '../lists/list-terms.ts';
import { mailName } from '../lists/mail-name.ts';
import { type Offer, sumOffers } from '../lists/offer.ts';
import { type RowParcel, readRowParcels } from '../lists/read-list.ts';
import { FACTS, MAX_PRICED, parcelOffer } from '../lists/read-offers.ts';
import { shortApn, titleCase } from '../model/roll-text.ts';
import { referenceOf } from '../model/row-reference.ts';
import type { Db } from '../platform/db.ts';
import { countyName } from '../regions/counties.ts';
import { stateOfFips } from '../regions/states.ts';
import type { LetterCells } from './letter-text.ts';
import { type ListMembers, readMembersOf } from './list-members.ts';
import { hitsOfList } from './parcel-hits.ts';

type Text = string | null;

/** A parcel with what a letter says about it. */
type LetterParcel = RowParcel & {
  version: number;
  owner_name: Text;
  owner_name_2: Text;
  apn: Text;
  situs_address: Text;
  situs_state: Text;
  legal_description: Text;
  mail_address: Text;
  mail_city: Text;
  mail_state: Text;
  mail_zip: Text;
};

const COLUMNS = `${FACTS}, p.owner_name, p.owner_name_2, p.apn, p.situs_address, p.situs_state, p.legal_description`;

export type Letter = {
  /** The row's own parcel, the owner's largest. */
  leader: LetterParcel;
  /** The parcels that the letter is about. */
  parcels: LetterParcel[];
  offers: Offer[];
  acres: number | null;
};

/** The letters about some rows. @param onlyPriced whether to leave out parcels without a price */
export async function readLetters(
  db: Db,
  list: ListRecord,
  { ids, entered, acres, rangeOf }: ListMembers,
  rowIds: readonly number[],
  onlyPriced: boolean,
): Promise<Letter[]> {
  const all = rowIds.flatMap(id => [...ids.subarray(...rangeOf(id))]);
  const read = await readRowParcels<LetterParcel>(db, all, COLUMNS);
  return rowIds.flatMap((id): Letter[] => {
    const [from, to] = rangeOf(id);
    const own = Array.from(ids.subarray(from, to), (member, at) => {
      const price = entered[from + at]!;
      const parcel = read.get(member)!;
      return { parcel, offer: parcelOffer(list, parcel, Number.isNaN(price) ? null : price) };
    });
    // A letter's price covers all parcels that it names.
    const kept = onlyPriced ? own.filter(({ offer }) => offer.offer !== null) : own;
    if (kept.length === 0) return [];
    const parcels = kept.map(({ parcel }) => parcel);
    // The owner's total counts land under several units once.
    const isWhole = kept.length === own.length && own.length > 1;
    const total = isWhole && !Number.isNaN(acres[from]!) ? acres[from]! : totalOf(parcels);
    return [{ leader: read.get(id)!, parcels, offers: kept.map(({ offer }) => offer), acres: total }];
  });
}

function totalOf(parcels: readonly LetterParcel[]): number | null {
  const known = parcels.flatMap(({ acres, calculated_acres }) => acres ?? calculated_acres ?? []);
  return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0);
}

const shown = (text: Text): string => (text === null ? '' : titleCase(text));
const joined = (texts: readonly Text[]): string => [...new Set(texts.flatMap(text => text ?? []))].join('; ');
const figure = (value: number | null): string => (value === null ? '' : String(round2(value)));

export function letterCells({ leader, parcels, offers, acres }: Letter): LetterCells {
  const { offer, offer_high } = sumOffers(offers);
  const place = parcels.includes(leader) ? leader : parcels[0]!;
  return {
    reference: referenceOf(leader.property_id),
    ...mailName(leader.owner_name, leader.owner_name_2),
    mail_address: shown(leader.mail_address),
    mail_city: shown(leader.mail_city),
    mail_state: leader.mail_state ?? '',
    mail_zip: leader.mail_zip ?? '',
    offer: figure(offer),
    offer_high: figure(offer_high),
    apns: joined(parcels.map(({ apn }) => apn && shortApn(apn))),
    parcels: String(parcels.length),
    acres: figure(acres),
    situs_address: shown(place.situs_address),
    situs_county: countyName(place.fips) ?? '',
    situs_state: place.situs_state ?? stateOfFips(place.fips) ?? '',
    legal_description: joined(parcels.map(one => shown(one.legal_description))).replace(/^; |; $/g, ''),
  };
}

/**
 * The first letters about rows that the company has paid for. None for lists that are too long to price on a
 * page.
 */
export async function readPaidLetters(
  db: Db,
  companyId: string,
  list: ListRecord,
  most: number,
): Promise<LetterCells[]> {
  if (list.rows > MAX_PRICED) return [];
  return db.snapshot(async tx => {
    const members = await readMembersOf(tx, await hitsOfList(tx, list, { companyId, onlyRead: true }));
    const letters = await readLetters(tx, list, members, members.rowIds, true);
    return letters.slice(0, most).map(letterCells);
  });
}
