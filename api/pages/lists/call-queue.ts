import { type CallingHours, callingHours } from '../../../shared/contacts/calling-hours.ts';
import {
  CALL_OUTCOMES,
  type CallOutcome,
  type LastCall,
  listTracedRows,
  listUncallableRows,
  readLastCalls,
} from '../../../shared/lists/list-calls.ts';
import type { ListRecord, RowStatus } from '../../../shared/lists/list-terms.ts';
import { type ListRow, readListRows } from '../../../shared/lists/read-list.ts';
import { isoDate } from '../../../shared/model/figures.ts';
import {
  type FoundPhones,
  findStoredPhones,
  listOwners,
  type OwnerRecord,
} from '../../v1/common/found-phones.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';

export type QueuedOwner = {
  row: ListRow;
  owner: OwnerRecord;
  found: FoundPhones;
  hours: CallingHours | null;
  last: LastCall | undefined;
};

export type CallQueue = {
  /** In the order in which to call them. */
  owners: QueuedOwner[];
  calledToday: number;
  askedNotTo: number;
  /** Owners whose numbers a feed withholds, by reason. */
  withheld: Map<string, number>;
};

/** Nobody is called again after one of these. */
const DONE_STATUSES: ReadonlySet<RowStatus> = new Set(['not_interested', 'under_contract']);
const DONE_OUTCOMES: ReadonlySet<CallOutcome> = new Set(['answered', 'not_interested', 'do_not_call']);

export const isOutcome = (text: string | null): text is CallOutcome =>
  (CALL_OUTCOMES as readonly (string | null)[]).includes(text);

/** The owners to call whose numbers the company has looked up, first those who can be called now. */
export async function readCallQueue(visit: Visit, list: ListRecord): Promise<CallQueue> {
  const { db } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const now = visit.deps.now();
  const traced = await listTracedRows(db, companyId, list.id);
  const [{ rows }, owners, calls, uncallable] = await Promise.all([
    readListRows(db, companyId, list, { among: traced }),
    listOwners(db, traced),
    readLastCalls(db, list.id),
    listUncallableRows(db, companyId, list.id),
  ]);
  const ownerOf = new Map(owners.map(owner => [owner.property_id, owner]));
  const phones = await findStoredPhones(db, companyId, owners);
  const queue: CallQueue = { owners: [], calledToday: 0, askedNotTo: 0, withheld: new Map() };
  for (const { called_at } of calls.values()) if (isoDate(called_at) === isoDate(now)) queue.calledToday++;
  for (const row of rows) {
    const { property_id: id } = row;
    const [owner, found, last] = [ownerOf.get(id), phones.get(id), calls.get(id)];
    const reason = found?.trace.withheld_reason ?? null;
    if (reason !== null) queue.withheld.set(reason, (queue.withheld.get(reason) ?? 0) + 1);
    else if (uncallable.has(id)) queue.askedNotTo++;
    else if (owner && found?.trace.matched && !isDone(row, last))
      queue.owners.push({ row, owner, found, last, hours: callingHours(owner, now) });
  }
  queue.owners.sort(
    (a, b) =>
      Number(b.hours?.isOpen ?? false) - Number(a.hours?.isOpen ?? false) ||
      calledAt(a) - calledAt(b) ||
      a.row.property_id - b.row.property_id,
  );
  return queue;
}

const isDone = ({ status }: ListRow, last: LastCall | undefined): boolean =>
  DONE_STATUSES.has(status) || (last !== undefined && DONE_OUTCOMES.has(last.outcome));

const calledAt = ({ last }: QueuedOwner): number => last?.called_at.getTime() ?? 0;

/** The owner with this id, or the one after it. Otherwise the first. */
export function pickOwner(
  { owners }: CallQueue,
  { row, after }: { row: string | null; after: string | null },
): QueuedOwner | undefined {
  const indexOf = (id: string | null) => owners.findIndex(one => String(one.row.property_id) === id);
  if (row !== null && indexOf(row) >= 0) return owners[indexOf(row)];
  return owners[(indexOf(after) + 1) % Math.max(1, owners.length)];
}
