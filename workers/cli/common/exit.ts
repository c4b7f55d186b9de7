import { CommanderError } from 'commander';
import { PlatError } from '../../../shared/errors.ts';

export const EXIT = {
  ok: 0,
  /** The work failed; the message says why. */
  failed: 1,
  /** The command was called wrongly, or names something that does not exist. */
  usage: 2,
  /** The gate blocked a run: nothing changed, `plat runs show` says why. */
  blocked: 3,
} as const;

/** Names that the caller gave and that do not stand for anything, or stand for something already. */
const USAGE_CODES = new Set([
  'name',
  'not_found',
  'feed_unknown',
  'feed_missing',
  'validation_error',
  'contact_request',
  'account_unknown',
  'account_exists',
  'account_change',
  'job_ended',
  'job_open',
  'company_exists',
  'user_email',
  'user_company',
  'tier_unknown',
  'tier_terms',
  'period_unknown',
  'key_unknown',
  'key_scopes',
]);

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof PlatError && USAGE_CODES.has(error.code)) return EXIT.usage;
  return EXIT.failed;
}
