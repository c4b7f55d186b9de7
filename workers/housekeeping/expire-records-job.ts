import { z } from 'zod';
import { CHANGES_DAYS } from '../../shared/model/changes.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { NOTES_DAYS } from '../../shared/searches/search-terms.ts';
import { MESSAGES_DAYS } from '../../shared/webhooks/webhook-terms.ts';
import { defineJob } from '../queue/job.ts';

/**
 * This job only frees space. Nothing depends on when it runs: statements check whether such rows have
 * expired, and calls open their account's next period.
 */
export const expireRecordsJob = defineJob({
  name: 'records.expire',
  queue: 'deals',
  payload: z.strictObject({}),
  key: () => '',
  ...RETRY,
  run: async ({ db, config, signal }) => ({ rows: await expireRecords(db, config, signal) }),
});

type Retention = Pick<Config, 'SKIP_TRACE_KEEP_DAYS' | 'TRACE_AUDIT_YEARS'>;

type Step = [name: string, values?: Record<string, number>];

/** Repeat each step until it finds nothing, because some steps handle one batch at a time. */
const stepsFor = ({ SKIP_TRACE_KEEP_DAYS, TRACE_AUDIT_YEARS }: Retention): Step[] => [
  ['accounts/delete_old_answers'],
  ['accounts/delete_old_buckets'],
  ['accounts/delete_old_sessions'],
  ['accounts/delete_old_records'],
  ['contacts/delete_old_provider_answers', { days: SKIP_TRACE_KEEP_DAYS }],
  ['contacts/delete_old_traces', { years: TRACE_AUDIT_YEARS }],
  ['parcels/delete_old_given'],
  ['exports/delete_old_others'],
  ['exports/expire_exports'],
  ['changes/delete_old', { days: CHANGES_DAYS + 1 }],
  ['webhooks/mend_clock'],
  ['webhooks/delete_old_messages', { days: MESSAGES_DAYS }],
  ['searches/delete_old_notes', { days: NOTES_DAYS }],
];

/** @returns the number of rows that were changed */
export async function expireRecords(db: Db, config: Retention, signal?: AbortSignal): Promise<number> {
  let total = await untilNone(() => rollPeriods(db), signal);
  for (const [name, values = {}] of stepsFor(config))
    total += await untilNone(() => db.rowCount(name, values), signal);
  return total;
}

async function untilNone(change: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    signal?.throwIfAborted();
    const rows = await change();
    if (rows === 0) return total;
    total += rows;
  }
}

async function rollPeriods(db: Db): Promise<number> {
  const rows = await db.run<{ id: string }>('accounts/list_due_accounts');
  if (rows.length === 0) return 0;
  const values = { account_ids: rows.map(({ id }) => id) };
  return db.rowCount('accounts/roll_period', values);
}
