import { addToGroup } from '../kernels/groups.ts';
import { countyOf } from '../model/property-id.ts';
import type { Db } from '../platform/db.ts';
import { literal } from '../platform/statements.ts';

/** A parcel with the `changed_run` that it had when it was read. */
export type GivenRow = { property_id: number; version: number };

/** Rows per statement, about 300 kB of text. */
const BATCH = 10_000;

/**
 * The ids of parcels that are free, because the company paid for them in the last 30 days and they haven't
 * changed since. Another call may pay for the rest in the meantime, so charge for what `giveRows` returns.
 */
export async function listFreeRows(
  db: Db,
  companyId: string,
  rows: readonly GivenRow[],
): Promise<Set<number>> {
  const free = new Set<number>();
  for (const [fips, batch] of batchesOf(rows)) {
    const listed = await db.run<{ property_id: number }>('parcels/list_free_rows', {
      fips,
      company_id: companyId,
      property_ids: batch.map(row => row.property_id),
      versions: batch.map(row => row.version),
    });
    for (const { property_id } of listed) free.add(property_id);
  }
  return free;
}

/**
 * Marks rows as paid for, for 30 days from now. Run it in the transaction that charges for them.
 * @returns the number of rows to charge for, which are those that were not free
 */
export async function giveRows(db: Db, companyId: string, rows: readonly GivenRow[]): Promise<number> {
  let charged = 0;
  for (const [fips, batch] of batchesOf(rows)) {
    const places = {
      fips: literal(fips),
      company: literal(companyId),
      ids: literal(batch.map(row => row.property_id)),
      versions: literal(batch.map(row => row.version)),
    };
    const [given] = await db.run<{ charged: number }>('parcels/give_rows', {}, places);
    charged += given!.charged;
  }
  return charged;
}

/** Batches of rows by county, in id order, without duplicate parcels. */
function* batchesOf(rows: readonly GivenRow[]): Generator<[fips: number, batch: GivenRow[]]> {
  const counties = new Map<number, GivenRow[]>();
  const sorted = rows.toSorted((a, b) => a.property_id - b.property_id);
  for (const [at, row] of sorted.entries())
    if (row.property_id !== sorted[at - 1]?.property_id) addToGroup(counties, countyOf(row.property_id), row);
  for (const [fips, all] of counties)
    for (let from = 0; from < all.length; from += BATCH) yield [fips, all.slice(from, from + BATCH)];
}
