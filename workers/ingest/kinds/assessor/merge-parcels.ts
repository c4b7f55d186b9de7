import { NEAR_M } from '../../../../shared/kernels/assemblage.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';
import { literal } from '../../../../shared/platform/statements.ts';
import { PARCEL_CHANGES } from '../../../changes/changed-fields.ts';
import { leaveOutSuppressed } from '../../../changes/forget-names.ts';
import { drawVersion } from '../../../changes/record-changes.ts';
import { roadMarginM } from '../../layers/layer-editions.ts';
import { rollParts } from './roll-sql.ts';

/** One meter in 1e-7 degrees. The factor covers longitude up to 80 degrees north. */
const NEAR_E7 = 91 * 6;

/**
 * Updates the parcels of a feed, and their filter rows, to what the run staged, in the caller's transaction.
 * Readers see the old roll until the transaction commits, and the new one afterward. The counts were computed
 * earlier.
 */
export async function mergeParcels(db: Db, runId: number, feedId: number, day: string): Promise<void> {
  const rows = await db.run<{ fips: number }>('feeds/list_changed_counties');
  const counties = rows.map(row => row.fips);
  const fips = literal(counties);
  const landed = await holdLayers(db, counties);
  await db.run('feeds/reserve_serials');
  // Draw the version after taking the locks, so that a chunk of land figures that commits later has a larger
  // one.
  const version = await drawVersion(db);
  const loaded = await db.run<{ fips: number }>('changes/stage_loaded_counties', { version });
  if (landed) {
    const reach = await roadMarginM(db);
    const near = await listNearCounties(db, counties, reach ?? 0);
    const literals = { fips, near: literal(near), reach: literal(reach) };
    await db.run('land/mark_moved_parcels', {}, literals);
  }
  const around = await listNearCounties(db, counties, NEAR_M);
  await db.run('changes/stage_parcel_changes', {}, { ...PARCEL_CHANGES, fips, version: literal(version) });
  await leaveOutSuppressed(db, fips);
  const written = { run_id: runId, version };
  await db.run('feeds/update_parcels', written, rollParts({ fips: counties }));
  await db.run('feeds/retire_parcels', written, { fips });
  await db.run('feeds/remove_parcel_filters', {}, { fips });
  await db.run('feeds/number_parcels', {}, { version: literal(version) });
  if (landed) await db.run('land/mark_new_parcels');
  await db.run('feeds/keep_land', {}, { fips });
  await db.run('feeds/index_land');
  // Fetch staged rows by location (ctid), in roll order. With hash joins, a large roll was written to
  // temporary files twice.
  await db.execute('set local enable_hashjoin = off; set local enable_mergejoin = off');
  const loadedCounties = literal(loaded.map(row => row.fips));
  await db.run('changes/stage_new_parcels', {}, { ...PARCEL_CHANGES, loaded: loadedCounties });
  await db.run('feeds/insert_parcels', {}, rollParts({ run: runId, feed: feedId }));
  await db.run('feeds/insert_parcel_filters', {}, rollParts());
  await db.run('feeds/insert_owner_parcels');
  await db.execute('reset enable_hashjoin; reset enable_mergejoin');
  await db.run('feeds/keep_assessed', {}, { fips, as_of: literal(day) });
  await rewriteWords(db, counties);
  // Runs after rewriteWords has locked the county, because another feed's merge of the county would insert
  // the same row.
  await countCoverage(db, counties);
  await db.run('valuation/mark_counties', { fips: counties });
  await db.run('land/mark_assemblages', { counties: around });
}

/** The counties, and those whose parcels may be within a distance of parcels that change. */
async function listNearCounties(db: Db, counties: readonly number[], meters: number): Promise<number[]> {
  const distance = NEAR_E7 * meters;
  const rows = await db.run<{ fips: number }>('feeds/list_near_counties', { counties, distance });
  return rows.map(row => row.fips);
}

/** Blocks writes to layers and land chunks until the merge is done. @returns false if there are no layers */
async function holdLayers(db: Db, counties: readonly number[]): Promise<boolean> {
  await db.run('land/hold_layers');
  const rows = await db.run<{ present: boolean }>('land/has_layers');
  if (!rows[0]!.present) return false;
  // Waits for chunks of these counties that are being written.
  await db.run('land/lock_counties', { lock: LOCKS.countyAttributes, counties });
  return true;
}

/** Updates the coverage of the counties. Call this in the transaction that changed their parcels. */
export async function countCoverage(db: Db, counties: readonly number[]): Promise<void> {
  if (counties.length === 0) return;
  const fips = literal(counties);
  await db.run('feeds/delete_counties', {}, { fips });
  await db.run('feeds/count_counties', {}, { fips });
}

/** The word tables, and the text in `parcels p` that each one splits. */
const WORDS = {
  owner_words: 'fold_name(p.owner_name)',
  situs_words: 'situs_text(p.situs_address, p.situs_city, p.situs_zip)',
};

/**
 * Rewrites the search words, which takes 17 µs per parcel. Call this in the transaction that changed the
 * parcels.
 */
export async function rewriteWords(db: Db, counties: readonly number[]): Promise<void> {
  // Always in FIPS order, so that two merges can't deadlock.
  for (const fips of counties.toSorted((a, b) => a - b)) {
    await db.run('land/lock_counties', { lock: LOCKS.words, counties: [fips] });
    for (const [table, text] of Object.entries(WORDS)) {
      await db.run('feeds/clear_words', { fips }, { table });
      await db.run('feeds/fill_words', {}, { table, text, fips: literal(fips) });
    }
  }
}
