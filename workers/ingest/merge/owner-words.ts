import { type Queryable, sql } from '../../../shared/db.ts';
import { type StoredSerials, toBitmap, unionOf } from '../../../shared/kernels/serials/serials.ts';
import { LOCKS } from '../../../shared/locks.ts';

/**
 * Writes the words by which parcels are found by their owners, for whole counties, from the parcels on the roll: about
 * 6 microseconds a parcel, and nothing to get out of step. For use in the transaction that changed the parcels, whose
 * number on the words tells readers that the county is another one (properties/list_owner_words.sql).
 */
export async function rewriteOwnerWords(db: Queryable, counties: readonly number[]): Promise<void> {
  if (counties.length === 0) return;
  await db.query(sql('roll/lock_owner_words'), [LOCKS.ownerWords, counties]);
  await db.query(sql('roll/clear_owner_words'), [counties]);
  await db.query(sql('roll/fill_owner_words'), [counties]);
  const dense = await db.query<{ fips: number; word: string }>(sql('roll/list_dense_words'), [counties]);
  // One by one: the list of a word may be megabytes long, and there are some dozens a county.
  for (const { fips, word } of dense.rows) {
    const { rows } = await db.query<StoredSerials>(sql('roll/read_owner_word'), [fips, word]);
    await db.query(sql('roll/store_bitmap'), [fips, word, Buffer.from(toBitmap(unionOf(rows)))]);
  }
}
