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
  /** Null for whichever. */
  company_id: string | null;
  attempt: number | null;
  error: string | null;
};

/** Ends an open export, and gives back what was held for it. @returns undefined where none is open */
async function endExport(db: Db, ending: Ending): Promise<{ job_id: string | null } | undefined> {
  type Ended = { account_id: string; job_id: string | null; tokens_held: number };
  const [ended] = await db.run<Ended>('exports/end_export', ending);
  if (ended !== undefined) await releaseTokens(db, ended.account_id, ended.tokens_held);
  return ended;
}

/**
 * Ends an open export that cannot be made, in one transaction with what was held for it.
 * @param attempt the one that fails; null for whichever is at it
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

/** Ends an open export of a company. @returns its job; undefined where none is open */
export const cancelExport = (db: Db, id: string, companyId: string) =>
  endExport(db, { export_id: id, state: 'cancelled', company_id: companyId, attempt: null, error: null });

/** In place of how many tokens a file needs: few rows are counted by nothing that is free. */
export const UNTOLD_NEED = 'A file holds 25 tokens, or one for each row if there are more';

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
export async function failLostExports(db: Db): Promise<void> {
  for (const { id } of await db.run<{ id: string }>('exports/list_lost'))
    await db.transaction(tx => failExport(tx, id, LOST, null));
}
