import { findRepliedRows, findTracedParcels, type RepliedRow } from '../../../shared/lists/replies.ts';
import { phoneDigits } from '../../../shared/model/contact-fields.ts';
import { parcelNamedBy } from '../../../shared/model/row-reference.ts';
import { findStoredPhones, listOwners, type OwnerRecord } from '../../v1/common/found-phones.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';

export type ReplyMatch = RepliedRow & { owner: OwnerRecord | undefined };

/**
 * The rows of an owner who replies: by the reference on the letter, by a parcel id, or by a phone number that
 * the company has looked up.
 */
export async function findReplies(visit: Visit, text: string): Promise<ReplyMatch[]> {
  const { db } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const ids = await parcelsOf(visit, companyId, text.trim());
  const [rows, owners] = await Promise.all([findRepliedRows(db, companyId, ids), listOwners(db, ids)]);
  const ownerOf = new Map(owners.map(owner => [owner.property_id, owner]));
  return rows.map(row => ({ ...row, owner: ownerOf.get(row.property_id) }));
}

async function parcelsOf({ deps: { db } }: Visit, companyId: string, text: string): Promise<number[]> {
  const named = parcelNamedBy(text);
  if (named !== null) return [named];
  const number = phoneDigits(text);
  if (number === null) return [];
  const ids = await findTracedParcels(db, companyId, number);
  const found = await findStoredPhones(db, companyId, await listOwners(db, ids));
  // A number that has been suppressed since finds no one.
  return ids.filter(id => found.get(id)?.trace.phones.some(phone => phone.number === number));
}
