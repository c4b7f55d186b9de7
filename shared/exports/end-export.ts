import { releaseTokens } from '../accounts/held-tokens.ts';
import { tokensText } from '../model/prices.ts';
import { asRun, type Pool, type Run, transaction } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

/** What is told of an export that failed. */
export type ExportError = { code: string; message: string; details?: Record<string, string[]> };

export const errorOf = ({ code, message, details }: PlatError): ExportError => ({
  code,
  message,
  ...(details && { details }),
});

type Ended = { id: string; account_id: string; tokens_held: number };

/**
 * Ends an open export that cannot be made, in one transaction with what was held for it.
 * @param attempt the one that fails; null for whichever is at it
 */
export async function failExport(
  run: Run,
  id: string,
  error: ExportError,
  attempt: number | null,
): Promise<void> {
  const [ended] = await run<Ended>('exports/fail_export', {
    export_id: id,
    error: JSON.stringify(error),
    attempt,
  });
  if (ended !== undefined) await releaseTokens(run, ended.account_id, ended.tokens_held);
}

/** Ends an open export of a company. @returns its job; undefined where none is open */
export async function cancelExport(
  run: Run,
  id: string,
  companyId: string,
): Promise<{ job_id: string | null } | undefined> {
  const [ended] = await run<Ended & { job_id: string | null }>('exports/cancel_export', {
    export_id: id,
    company_id: companyId,
  });
  if (ended !== undefined) await releaseTokens(run, ended.account_id, ended.tokens_held);
  return ended;
}

/** In place of how many tokens a file needs: few rows are counted by nothing that is free. */
export const UNTOLD_NEED = 'An export reserves 25 tokens, or one per row if there are more';

/** The error of a file that would cost more than its order allows. */
export function overCeiling(most: number): PlatError {
  const why = `the file costs more than ${tokensText(most)}, the most that was allowed: order it anew with what its quote tells, or ask for less`;
  return new PlatError('validation_error', 'Rejected: most_tokens. See details for the reasons.', {
    details: { most_tokens: [why] },
  });
}

/** What is told of a fault of ours. */
export const LOST: ExportError = {
  code: 'internal_error',
  message: 'The file could not be made. Nothing was charged; try again.',
};

/** Ends exports whose job is over without a word: its workers died, or an operator canceled it. */
export async function failLostExports(pool: Pool): Promise<void> {
  for (const { id } of await asRun(pool)<{ id: string }>('exports/list_lost'))
    await transaction(pool, client => failExport(asRun(client), id, LOST, null));
}
