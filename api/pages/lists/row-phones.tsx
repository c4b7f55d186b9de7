import { listTracedRows, listUncallableRows } from '../../../shared/lists/list-calls.ts';
import { type FoundPhones, findStoredPhones, listOwners } from '../../v1/common/found-phones.ts';
import type { ListRow } from '../../v1/lists/list-schema.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';
import { PhoneList } from '../parts/phone-list.tsx';
import { plural } from './list-words.ts';

export type RowPhones = {
  /** By parcel id. */
  found: ReadonlyMap<number, FoundPhones>;
  uncallable: ReadonlySet<number>;
  /** Whether any row of the list has numbers. */
  hasCalls: boolean;
  now: Date;
};

/** The numbers that the company has looked up for these rows. */
export async function readRowPhones(
  visit: Visit,
  listId: string,
  rows: readonly ListRow[],
): Promise<RowPhones> {
  const { db } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const traced = new Set(await listTracedRows(db, companyId, listId));
  const owners = await listOwners(
    db,
    rows.map(({ property_id }) => property_id).filter(id => traced.has(id)),
  );
  return {
    found: await findStoredPhones(db, companyId, owners),
    uncallable: await listUncallableRows(db, companyId, listId),
    hasCalls: traced.size > 0,
    now: visit.deps.now(),
  };
}

export function NumbersOfRow({ row, phones }: { row: ListRow; phones: RowPhones }) {
  const found = phones.found.get(row.property_id);
  if (phones.uncallable.has(row.property_id)) return <span class="badge bad">Asked not to call</span>;
  if (found === undefined) return null;
  const { matched, withheld_reason, phones: numbers } = found.trace;
  if (!matched)
    return withheld_reason === null ? null : <span class="badge bad">Don't call: {withheld_reason}</span>;
  return (
    <details class="row-phones">
      <summary>{plural(numbers.length, 'phone number')}</summary>
      <PhoneList found={found} place={row} now={phones.now} />
    </details>
  );
}
