import { type Client, compose } from '../../../shared/db.ts';
import type { RunCounts } from '../../../shared/runs.ts';
import type { RunContext } from './context.ts';
import { bump } from './counts.ts';

/** Settles rows that come twice, by a statement that tells how many were identical, and how many it has set aside by their reasons. */
export async function settleRepeats(
  client: Client,
  counts: RunCounts,
  statement: string,
  values: unknown[] = [],
): Promise<void> {
  const { rows } = await client.query<Record<string, number>>(statement, values);
  const { identical = 0, ...setAside } = rows[0]!;
  counts.identical += identical;
  for (const [reason, count] of Object.entries(setAside)) if (count > 0) bump(counts.rejected, reason, count);
}

/** Keeps the first of the rows of a staging table that share a key. */
export const firstOf = (table: string, key: string, order: string): string =>
  compose('runs/keep_first', { table, key, order });

/** Notes how a run's rows compare with what is there, and goes on to the gate. @returns how many it has */
export async function measureRows(
  client: Client,
  { counts, step }: RunContext,
  statement: string,
  values: unknown[] = [],
): Promise<number> {
  const { rows } = await client.query<Record<string, number>>(statement, values);
  Object.assign(counts, rows[0]);
  await step('gate', 'checking', 0.74);
  return rows[0]!.rows!;
}

/** The figures of a table that says of every row of the run and of those that are gone what becomes of it. */
export const matchFigures = (matches: string): string => compose('runs/measure_matches', { matches });
