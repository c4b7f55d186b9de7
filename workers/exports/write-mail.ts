import { columnsOf } from '../../shared/exports/export-columns.ts';
import { needsOffer } from '../../shared/exports/export-request.ts';
import { COUNTRY, type MailColumnName } from '../../shared/exports/mail-layout.ts';
import { findListOf, hitsOfList } from '../../shared/exports/parcel-hits.ts';
import { round2 } from '../../shared/kernels/stats/rounding.ts';
import type { ListRecord } from '../../shared/lists/list-terms.ts';
import { mailName } from '../../shared/lists/mail-name.ts';
import { type Offer, sumOffers } from '../../shared/lists/offer.ts';
import { type RowParcel, readRowParcels } from '../../shared/lists/read-list.ts';
import { FACTS, parcelOffer } from '../../shared/lists/read-offers.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { shortApn, titleCase } from '../../shared/model/roll-text.ts';
import { referenceOf } from '../../shared/model/row-reference.ts';
import type { Db } from '../../shared/platform/db.ts';
import { countyName, countyText } from '../../shared/regions/counties.ts';
import { stateOfFips } from '../../shared/regions/states.ts';
import { creditOf } from './credits.ts';
import type { CountyRows, FileOptions, FileRow, Sink, Written } from './file-writer.ts';
import { type ListMembers, readMembersOf } from './list-members.ts';
import { listGone } from './write-parcels.ts';

/** Letters per statement. */
const BATCH = 5_000;

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

/** Writes a list with one row per letter, and the credits of its counties for a second file. */
export async function writeMail({ db, request, companyId }: FileOptions, sink: Sink): Promise<Written> {
  const list = await findListOf(db, companyId!, request.list_id!);
  if (list === undefined) throw listGone();
  const { status, one_per_owner: onePerOwner } = request;
  const hits = await hitsOfList(db, list, { companyId: companyId!, status, onePerOwner });
  const members = await db.snapshot(tx => readMembersOf(tx, hits));
  const onlyPriced = needsOffer(request);
  const columns = columnsOf(request).map(({ name, of = name }) => of as MailColumnName | typeof COUNTRY);
  const { rowIds } = members;
  const billed = new Map<number, { ids: number[]; versions: number[] }>();
  let rows = 0;
  for (let from = 0; from < rowIds.length; from += BATCH) {
    const batch = rowIds.slice(from, from + BATCH);
    const letters = await db.snapshot(tx => readLetters(tx, list, members, batch, onlyPriced));
    for (const { leader } of letters) {
      const county = billed.get(countyOf(leader.property_id)) ?? { ids: [], versions: [] };
      billed.set(countyOf(leader.property_id), county);
      county.ids.push(leader.property_id);
      county.versions.push(leader.version);
    }
    rows += letters.length;
    await sink.write([letters.map(letter => toFileRow(letter, columns))], batch.length, rowIds.length);
  }
  return {
    rows,
    parcels: [...billed].map(toCountyRows),
    others: [],
    credits: await creditsOf(db, [...billed.keys()]),
  };
}

const toCountyRows = ([fips, { ids, versions }]: [
  number,
  { ids: number[]; versions: number[] },
]): CountyRows => ({
  fips,
  ids: Float64Array.from(ids),
  versions: Float64Array.from(versions),
});

async function creditsOf(db: Db, counties: readonly number[]): Promise<string> {
  const lines: string[] = [];
  for (const fips of counties) lines.push(`${countyText(fips)}: ${await creditOf(db, fips)}`);
  return `${lines.join('\n')}\n`;
}

type Letter = {
  /** The row's own parcel, the owner's largest. */
  leader: LetterParcel;
  /** The parcels that the letter is about. */
  parcels: LetterParcel[];
  offers: Offer[];
  acres: number | null;
};

async function readLetters(
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

function toFileRow({ leader, parcels, offers, acres }: Letter, columns: readonly string[]): FileRow {
  const { offer, offer_high } = sumOffers(offers);
  const place = parcels.includes(leader) ? leader : parcels[0]!;
  const cells: Record<MailColumnName | typeof COUNTRY, string> = {
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
    [COUNTRY]: COUNTRY,
  };
  return {
    id: String(leader.property_id),
    cells: columns.map(name => cells[name as MailColumnName]),
    place: null,
  };
}
