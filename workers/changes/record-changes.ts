import { type Client, sql, statement } from '../../shared/platform/db.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { WEBHOOKS_CHANNEL } from '../../shared/webhooks/webhook-terms.ts';

/** Starts recording the changes of a transaction. Statements of sql/queries/changes/ add to it. */
export async function openChanges(client: Client): Promise<void> {
  await client.query(sql('changes/create_pending'));
}

/**
 * The `row_version` for all parcels that a transaction changes. Draw it while no other transaction can write
 * them.
 */
export async function drawVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(sql('changes/draw_version'));
  return rows[0]!.version;
}

/**
 * Numbers the changes of the transaction in commit order. Call it last: waiting for another transaction while
 * holding this lock could deadlock.
 * @param runId of a run
 */
export async function recordChanges(client: Client, runId: number | null = null): Promise<void> {
  const { rowCount } = await client.query(statement('changes/lock_changes', { lock: LOCKS.changes }));
  if (!rowCount) return;
  await client.query(statement('changes/record_pending', { run_id: runId }));
  await client.query(sql('changes/record_versions'));
  await client.query(statement('webhooks/notify_dispatchers', { channel: WEBHOOKS_CHANNEL }));
}
