import { phoneKey } from '../contacts/person-identity.ts';
import { hashesOf } from '../contacts/suppression.ts';
import type { Db } from '../platform/db.ts';
import type { ListRecord, RowStatus, RowsPer } from './list-terms.ts';
import { countiesOfList, listParts, pickRows } from './read-list.ts';

/** How a call to a row's owner ended. */
export const CALL_OUTCOMES = [
  'no_answer',
  'left_message',
  'answered',
  'not_interested',
  'wrong_number',
  'do_not_call',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The status of a row after a call in which its owner was reached. */
export const STATUS_AFTER: Readonly<Partial<Record<CallOutcome, RowStatus>>> = {
  answered: 'answered',
  not_interested: 'not_interested',
};

export type Called = { propertyId: number; outcome: CallOutcome; number: string; userId: string };

type CompanyList = RowsPer & Pick<ListRecord, 'id'>;

/**
 * Records a call. An owner who asked not to be called is marked in all of the company's lists. Run it in a
 * transaction.
 * @returns the call's time, or undefined if the list has no such row
 */
export async function logCall(
  db: Db,
  companyId: string,
  list: CompanyList,
  { propertyId, outcome, number, userId }: Called,
): Promise<string | undefined> {
  const [number_hash] = await hashesOf(db, [phoneKey(number)]);
  const [call] = await db.run<{ called_at: string }>('lists/add_call', {
    list_id: list.id,
    property_id: propertyId,
    outcome,
    number_hash,
    user_id: userId,
  });
  if (call !== undefined && outcome === 'do_not_call')
    await db.run('lists/mark_do_not_call', {
      company_id: companyId,
      owner_keys: await ownerKeys(db, companyId, list, propertyId),
    });
  return call?.called_at;
}

/** Removes the row's last call. Run it in a transaction. */
export async function undoCall(
  db: Db,
  companyId: string,
  list: CompanyList,
  { propertyId, calledAt }: { propertyId: number; calledAt: string },
): Promise<void> {
  const [call] = await db.run<{ outcome: CallOutcome }>('lists/delete_call', {
    list_id: list.id,
    property_id: propertyId,
    called_at: calledAt,
  });
  if (call?.outcome === 'do_not_call')
    await db.run('lists/unmark_do_not_call', {
      company_id: companyId,
      owner_keys: await ownerKeys(db, companyId, list, propertyId),
    });
}

async function ownerKeys(db: Db, companyId: string, list: CompanyList, propertyId: number) {
  const picked = await pickRows(db, companyId, list, {
    property_ids: [propertyId],
    status: null,
    reveals: true,
  });
  return picked.flatMap(({ owner_key, owner }) => (owner === null ? [] : [owner_key, owner]));
}

export type LastCall = {
  property_id: number;
  calls: number;
  called_at: Date;
  outcome: CallOutcome;
  /** Hashes of the numbers that turned out to be someone else's. */
  wrong_numbers: Buffer[];
};

export async function readLastCalls(db: Db, listId: string): Promise<Map<number, LastCall>> {
  const rows = await db.run<LastCall>('lists/list_last_calls', { list_id: listId });
  return new Map(rows.map(row => [row.property_id, row]));
}

/** The list's rows whose owners' numbers anyone in the company has looked up. */
export async function listTracedRows(db: Db, companyId: string, listId: string): Promise<number[]> {
  const rows = await db.run<{ property_id: number }>('lists/list_traced_rows', {
    company_id: companyId,
    list_id: listId,
  });
  return rows.map(row => row.property_id);
}

/** The list's rows whose owners asked the company not to call them. */
export async function listUncallableRows(db: Db, companyId: string, listId: string): Promise<Set<number>> {
  const counties = await countiesOfList(db, listId);
  const rows = await db.run<{ property_id: number }>(
    'lists/list_uncallable_rows',
    { company_id: companyId, list_id: listId, counties },
    listParts({ one_per_assemblage: false }),
  );
  return new Set(rows.map(row => row.property_id));
}
