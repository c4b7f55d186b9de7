import type { Db } from '../platform/db.ts';
import { isGrouped, type ListRecord, type RowStatus, type RowsPer } from './list-terms.ts';
import { countiesOfList, listParts } from './read-list.ts';

/** Statuses of owners who have replied to a letter. */
export const REPLY_STATUSES = ['answered', 'not_interested', 'under_contract'] as const;

export type RepliedRow = {
  list_id: string;
  list_name: string;
  property_id: number;
  status: RowStatus;
  note: string;
  mailed_at: Date | null;
  price_asked: number | null;
  deal_id: string | null;
};

/** The company's list rows with these parcels, the latest mailing first. */
export const findRepliedRows = (
  db: Db,
  companyId: string,
  propertyIds: readonly number[],
): Promise<RepliedRow[]> =>
  db.run<RepliedRow>('lists/find_replied_rows', { company_id: companyId, property_ids: propertyIds });

/** The parcels for whose owners the company has looked up this number in the app. */
export async function findTracedParcels(db: Db, companyId: string, number: string): Promise<number[]> {
  const rows = await db.run<{ property_id: number }>('lists/find_traced_parcels', {
    company_id: companyId,
    number,
  });
  return rows.map(row => row.property_id);
}

/** The deals that rows of a list became, by parcel. */
export async function listRowDeals(
  db: Db,
  listId: string,
  propertyIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.run<{ property_id: number; deal_id: string }>('lists/list_row_deals', {
    list_id: listId,
    property_ids: propertyIds,
  });
  return new Map(rows.map(row => [row.property_id, row.deal_id]));
}

export async function setDeal(
  db: Db,
  { list_id, property_id }: Pick<RepliedRow, 'list_id' | 'property_id'>,
  dealId: string,
): Promise<void> {
  await db.run('lists/set_deal', { list_id, property_id, deal_id: dealId });
}

export type Mailing = { letters: number; replies: number; contracts: number; letter_cents: number | null };

/** The results of a list's letters. A row is one letter. */
export async function countMailing(
  db: Db,
  companyId: string,
  list: RowsPer & Pick<ListRecord, 'id'>,
): Promise<Mailing> {
  const values = {
    company_id: companyId,
    list_id: list.id,
    counties: await countiesOfList(db, list.id),
    is_grouped: isGrouped(list),
  };
  return (await db.run<Mailing>('lists/count_mailing', values, listParts(list)))[0]!;
}

export async function setLetterCost(
  db: Db,
  companyId: string,
  listId: string,
  cents: number | null,
): Promise<void> {
  await db.run('lists/set_letter_cost', { company_id: companyId, list_id: listId, cents });
}
