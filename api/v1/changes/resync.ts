import { CHANGES_DAYS } from '../../../shared/model/changes.ts';
import { PlatError } from '../../../shared/platform/errors.ts';

/** Longer than a call can take. The API's clock can be up to this far behind the database's. */
const CLOCK_SKEW_MS = 60_000;

const REASONS = {
  expired: `Changes after this cursor are older than ${CHANGES_DAYS} days and were deleted.`,
  restored:
    'This cursor is from before the database was restored from a backup, and the changes that it counted no longer exist.',
} as const;

/** Description of the 410 response for every endpoint with such a cursor. */
export const GONE_AFTER_RESTORE =
  'The cursor is from before the database was restored from a backup. Read everything again, then continue from `details.resync_from`. Free.';

/** The 410 error for a cursor that can't continue. The client has to load everything again. */
export function gone(reason: keyof typeof REASONS, url: URL, apiUrl: string): PlatError {
  const resyncUrl = new URL(url);
  for (const name of ['cursor', 'after']) resyncUrl.searchParams.delete(name);
  resyncUrl.searchParams.set('from', 'now');
  return new PlatError(
    'not_found',
    `${REASONS[reason]} Read everything again, then continue from details.resync_from.`,
    { status: 410, details: { resync_from: [apiUrl + resyncUrl.pathname + resyncUrl.search] } },
  );
}

/**
 * Whether a cursor belongs to changes that a restore undid. Their numbers get reused, so the cursor is either
 * beyond the newest number, or the change with its number was recorded after the cursor was returned.
 */
export function isFromBeforeRestore(
  cursor: { seq: number; at?: number },
  { head, passed_at }: { head: number | null; passed_at: Date | null },
): boolean {
  if (cursor.seq > (head ?? 0)) return true;
  return cursor.at !== undefined && passed_at !== null && passed_at.getTime() > cursor.at + CLOCK_SKEW_MS;
}
