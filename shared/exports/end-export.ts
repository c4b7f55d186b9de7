import { releaseTokens } from '../accounts/held-tokens.ts';
import { tokensText } from '../model/prices.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

/** Why an export failed, as shown to the user. */
export type ExportError = { code: string; message: string; details?: Record<string, string[]> };

export const errorOf = ({ code, message, details }: PlatError): ExportError => ({
  code,
  message,
  ...(details && { details }),
});

type Ended = { id: string; account_id: string; tokens_held: number };

/**
 * Marks an open export as failed and releases the tokens held for it.
 * @param attempt the attempt that failed; null for any
 */
export async function failExport(
  db: Db,
  id: string,
  error: ExportError,
  attempt: number | null,
): Promise<void> {
  const [ended] = await db.run<Ended>('exports/fail_export', {
    export_id: id,
    error: JSON.stringify(error),
    attempt,
  });
  if (ended !== undefined) await releaseTokens(db, ended.account_id, ended.tokens_held);
}

/** Cancels a company's open export. @returns its job; undefined when it isn't open */
export async function cancelExport(
  db: Db,
  id: string,
  companyId: string,
): Promise<{ job_id: string | null } | undefined> {
  const [ended] = await db.run<Ended & { job_id: string | null }>('exports/cancel_export', {
    export_id: id,
    company_id: companyId,
  });
  if (ended !== undefined) await releaseTokens(db, ended.account_id, ended.tokens_held);
  return ended;
}

/** Stands in for the number of tokens needed, which would reveal how many rows match. */
export const UNTOLD_NEED = 'An export needs 25 tokens, or one per row if there are more rows';

/** The error of an export that would cost more than its order allows. */
export function overCeiling(most: number): PlatError {
  const why = `the file costs more than the ${tokensText(most)} that the order allows. Get a new quote and raise the limit, or request fewer rows`;
  return new PlatError('validation_error', 'Rejected: most_tokens. See details for the reasons.', {
    details: { most_tokens: [why] },
  });
}

/** Shown when the failure is Plat's. */
export const LOST: ExportError = {
  code: 'internal_error',
  message: "Plat couldn't create the file. You weren't charged. Try again.",
};

/** Fails exports whose job ended without a result: its workers died, or an operator canceled it. */
export async function failLostExports(db: Db): Promise<void> {
  for (const { id } of await db.run<{ id: string }>('exports/list_lost'))
    await db.transaction(tx => failExport(tx, id, LOST, null));
}
