import type { Db } from '../../shared/platform/db.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { WEBHOOKS_CHANNEL } from '../../shared/webhooks/webhook-terms.ts';

/** Starts recording a transaction's changes. Statements in sql/queries/changes/ add to them. */
export async function openChanges(db: Db): Promise<void> {
  await db.run('changes/create_pending');
}

/**
 * Returns the `row_version` for all parcels that a transaction changes. Call this while no other transaction
 * can write them.
 */
export async function drawVersion(db: Db): Promise<number> {
  const rows = await db.run<{ version: number }>('changes/draw_version');
  return rows[0]!.version;
}

/**
 * Numbers the changes in commit order. Call this last, because its lock blocks other writers until the
 * commit.
 */
export async function recordChanges(db: Db, runId: number | null = null): Promise<void> {
  const rowCount = await db.rowCount('changes/lock_changes', { lock: LOCKS.changes });
  if (!rowCount) return;
  await db.run('changes/record_pending', { run_id: runId });
  await db.run('changes/record_versions');
  await db.run('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL });
}
