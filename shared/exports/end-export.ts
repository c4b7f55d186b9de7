import { releaseTokens } from '../accounts/held-tokens.ts';
import { tokensText } from '../model/prices.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

export type ExportError = { code: string; message: string; details?: Record<string, string[]> };

export const errorOf = ({ code, message, details }: PlatError): ExportError => ({
  code,
  message,
  ...(details && { details }),
});

type Ending = {
  export_id: string;
  state: 'failed' | 'cancelled';
  /** Null matches any company. The same applies to `attempt`. */
  company_id: string | null;
  attempt: number | null;
  error: string | null;
};

/** Ends an open export and releases its held tokens. @returns undefined if it is not open */
async function endExport(db: Db, ending: Ending): Promise<{ job_id: string | null } | undefined> {
  type Ended = { account_id: string; job_id: string | null; tokens_held: number };
  const [ended] = await db.run<Ended>('exports/end_export', ending);
  if (ended !== undefined) await releaseTokens(db, ended.account_id, ended.tokens_held);
  return ended;
}

/**
 * Marks an open export as failed and releases the tokens held for it.
 * @param attempt the attempt that failed, or null for any
 */
export async function failExport(
  db: Db,
  id: string,
  error: ExportError,
  attempt: number | null,
): Promise<void> {
  const ending = { company_id: null, attempt, error: JSON.stringify(error) };
  await endExport(db, { export_id: id, state: 'failed', ...ending });
}

/** Cancels a company's open export. @returns the export's job, or undefined if the export isn't open */
export const cancelExport = (db: Db, id: string, companyId: string) =>
  endExport(db, { export_id: id, state: 'cancelled', company_id: companyId, attempt: null, error: null });

/** Shown instead of the number of tokens needed, which would reveal how many rows match. */
export const HIDDEN_PRICE = 'An export needs 25 tokens, or one per row if there are more rows';

export function overCeiling(most: number): PlatError {
  const why = `the file costs more than the ${tokensText(most)} that the order allows. Get a new quote and raise the limit, or request fewer rows`;
  return new PlatError('validation_error', 'Rejected: most_tokens. See details for the reasons.', {
    details: { most_tokens: [why] },
  });
}

/** Shown when Plat is responsible for the failure. */
export const LOST: ExportError = {
  code: 'internal_error',
  message: "Plat couldn't create the file. You weren't charged. Try again.",
};

/**
 * Marks exports as failed if their job ended without a result, because its workers died or an operator
 * canceled it.
 */
export async function failLostExports(db: Db): Promise<void> {
  for (const { id } of await db.run<{ id: string }>('exports/list_lost'))
    await db.transaction(tx => failExport(tx, id, LOST, null));
}
