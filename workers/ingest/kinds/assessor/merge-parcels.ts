import {
  type Client,
  compose,
  literal,
  type Queryable,
  sql,
  statement,
} from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';
import { bindValues } from '../../../../shared/platform/named-parameters.ts';
import { PARCEL_CHANGES } from '../../../changes/changed-fields.ts';
import { leaveOutSuppressed } from '../../../changes/forget-names.ts';
import { drawVersion } from '../../../changes/record-changes.ts';
import { roadMarginM } from '../../layers/merge-layer.ts';
import { rollSql } from './roll-sql.ts';

/** A meter in 1e-7 degrees, of longitude as far north as 80 degrees. */
const NEAR_E7 = 91 * 6;

/**
 * Brings the parcels of a feed, and what filters read of them, to what the run staged, inside the caller's
 * transaction: readers see the old roll until it commits and the new one afterwards. The counts were measured
 * before; this only does it. @param day the roll's, 'YYYY-MM-DD'
 */
export async function mergeParcels(
  client: Client,
  runId: number,
  feedId: number,
  day: string,
): Promise<void> {
  const { rows } = await client.query<{ fips: number }>(sql('feeds/list_changed_counties'));
  const counties = rows.map(row => row.fips);
  const fips = literal(counties);
  const landed = await holdLayers(client, counties);
  await client.query(sql('feeds/reserve_serials'));
  // After the locks: a chunk of land that commits later has a greater number.
  const version = await drawVersion(client);
  const loaded = await client.query<{ fips: number }>(
    statement('changes/stage_loaded_counties', { version }),
  );
  if (landed) {
    const reach = await roadMarginM(client);
    const near = await client.query<{ fips: number }>(
      statement('feeds/list_near_counties', { counties, distance: NEAR_E7 * (reach ?? 0) }),
    );
    const literals = { fips, near: literal(near.rows.map(row => row.fips)), reach: literal(reach) };
    await client.query(compose('land/mark_moved_parcels', literals));
  }
  await client.query(
    compose('changes/stage_parcel_changes', { ...PARCEL_CHANGES, fips, version: literal(version) }),
  );
  await leaveOutSuppressed(client, fips);
  const written = { run_id: runId, version };
  await client.query(bindValues(rollSql('feeds/update_parcels', { fips: counties }), written));
  await client.query(statement('feeds/retire_parcels', written, { fips }));
  await client.query(compose('feeds/remove_parcel_filters', { fips }));
  await client.query(compose('feeds/number_parcels', { version: literal(version) }));
  if (landed) await client.query(sql('land/mark_new_parcels'));
  await client.query(compose('feeds/keep_land', { fips }));
  await client.query(sql('feeds/index_land'));
  // Staged rows are fetched by their place, in the order of the roll: hashed, a large roll went through
  // temporary files twice.
  await client.query('set local enable_hashjoin = off; set local enable_mergejoin = off');
  const notTold = literal(loaded.rows.map(row => row.fips));
  await client.query(compose('changes/stage_new_parcels', { ...PARCEL_CHANGES, loaded: notTold }));
  await client.query(rollSql('feeds/insert_parcels', { run: runId, feed: feedId }));
  await client.query(rollSql('feeds/insert_parcel_filters'));
  await client.query(sql('feeds/insert_owner_parcels'));
  await client.query('reset enable_hashjoin; reset enable_mergejoin');
  await client.query(compose('feeds/keep_assessed', { fips, as_of: literal(day) }));
  await rewriteWords(client, counties);
  // After the lock of the words: another feed's merge of the county would insert the same row.
  await countCoverage(client, counties);
  await client.query(statement('valuation/mark_counties', { fips: counties }));
}

/**
 * Keeps land layers, and chunks of the counties that are about to change, from being written until
 * the merge is done.
 * @returns false when there are no layers: then no parcel's attributes can be out of date
 */
async function holdLayers(client: Client, counties: readonly number[]): Promise<boolean> {
  await client.query(sql('land/hold_layers'));
  const { rows } = await client.query<{ present: boolean }>(sql('land/has_layers'));
  if (!rows[0]!.present) return false;
  // Waits for chunks of these counties that are being written.
  await client.query(statement('land/lock_counties', { lock: LOCKS.countyAttributes, counties }));
  return true;
}

/** Writes what coverage says of the counties, for use in the transaction that changed their parcels. */
export async function countCoverage(client: Queryable, counties: readonly number[]): Promise<void> {
  if (counties.length === 0) return;
  const fips = literal(counties);
  await client.query(compose('feeds/delete_counties', { fips }));
  await client.query(compose('feeds/count_counties', { fips }));
}

/** The tables of words, and the text of `parcels p` that each splits. */
const WORDS = {
  owner_words: 'fold_name(p.owner_name)',
  situs_words: 'situs_text(p.situs_address, p.situs_city, p.situs_zip)',
};

/**
 * Writes the search words of owners and addresses for whole counties, from the parcels on the roll. Takes
 * about 17 microseconds per parcel, and can't get out of sync. Call it in the transaction that changed the
 * parcels.
 */
export async function rewriteWords(db: Queryable, counties: readonly number[]): Promise<void> {
  // In one order everywhere, so that two merges cannot deadlock.
  for (const fips of counties.toSorted((a, b) => a - b)) {
    await db.query(statement('feeds/lock_words', { lock: LOCKS.words, fips }));
    for (const [table, text] of Object.entries(WORDS)) {
      await db.query(statement('feeds/clear_words', { fips }, { table }));
      await db.query(compose('feeds/fill_words', { table, text, fips: literal(fips) }));
    }
  }
}
