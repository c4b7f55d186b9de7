import { type Queryable, sql } from '../../../shared/db.ts';

/** The first of a pair of advisory locks; any number that no other pair begins with. */
const OWNER_WORDS_LOCK = 7_152_804;

/**
 * Writes the words by which parcels are found by their owners, for whole counties, from the parcels on the roll: about
 * 6 microseconds a parcel, and nothing to get out of step. For use in the transaction that changed the parcels.
 */
export async function rewriteOwnerWords(db: Queryable, counties: readonly number[]): Promise<void> {
  if (counties.length === 0) return;
  await db.query(sql('ingest/lock_owner_words'), [OWNER_WORDS_LOCK, counties]);
  await db.query(sql('ingest/clear_owner_words'), [counties]);
  await db.query(sql('ingest/fill_owner_words'), [counties]);
}
