import type { ListRecord } from '../lists/list-terms.ts';
import { type RowOffer, sumOffers } from '../lists/offer.ts';
import { readRowParcels } from '../lists/read-list.ts';
import { FACTS, parcelOffer } from '../lists/read-offers.ts';
import { readCopy } from '../platform/copy.ts';
import type { Db } from '../platform/db.ts';
import { compose, inlined } from '../platform/statements.ts';
import type { Hits } from './parcel-hits.ts';

/** The parcels behind a list's rows in a file, as columns, sorted by row. */
type Columns = {
  ids: Float64Array;
  /** The row that a parcel belongs to. */
  rows: Float64Array;
  /** The price that a person entered, or NaN. */
  entered: Float64Array;
  /** Number of the owner's parcels in the list, and their acres, or NaN. */
  parcels: Float64Array;
  acres: Float64Array;
};

export type ListMembers = Columns & {
  /** The ids of the rows, in order. */
  rowIds: number[];
  /** The first and the last + 1 position of a row's parcels. */
  rangeOf(rowId: number): readonly [from: number, to: number];
};

const NUMBER = { type: 'float8', null: Number.NaN } as const;

export async function readMembersOf(db: Db, { hits, values }: Hits): Promise<ListMembers> {
  const statement = inlined(compose('exports/copy_members', { hits }), values);
  const { columns } = await readCopy(db, statement, {
    ids: { type: 'int8', null: 0 },
    rows: { type: 'int8', null: 0 },
    entered: NUMBER,
    parcels: { type: 'int8', null: 0 },
    acres: NUMBER,
  });
  const rowIds: number[] = [];
  const starts = new Map<number, number>();
  for (const [at, row] of columns.rows.entries())
    if (row !== columns.rows[at - 1]) {
      starts.set(row, at);
      rowIds.push(row);
    }
  return {
    ...columns,
    rowIds,
    rangeOf(rowId) {
      const from = starts.get(rowId)!;
      let to = from;
      while (columns.rows[to] === rowId) to++;
      return [from, to];
    },
  };
}

/** The offers for some rows, and the estimate of each row's own parcel. */
export async function readOffersOf(
  db: Db,
  list: ListRecord,
  { ids, entered, rangeOf }: ListMembers,
  rowIds: readonly number[],
): Promise<Map<number, RowOffer & { value: number | null }>> {
  const members = rowIds.flatMap(id => [...ids.subarray(...rangeOf(id))]);
  const parcels = await readRowParcels(db, members, FACTS);
  return new Map(
    rowIds.map(id => {
      const [from, to] = rangeOf(id);
      const offers = Array.from(ids.subarray(from, to), (member, at) => {
        const price = entered[from + at]!;
        return parcelOffer(list, parcels.get(member)!, Number.isNaN(price) ? null : price);
      });
      return [id, { ...sumOffers(offers), value: parcels.get(id)!.value }];
    }),
  );
}
