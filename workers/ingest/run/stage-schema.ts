import { type CopyWriter, copyValue, openCopy } from '../../../shared/base/copy.ts';
import { type Client, type Pool, withConnection } from '../../../shared/base/db.ts';
import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { InputRecord } from './run-record.ts';

/** A schema for the staging tables of one run, dropped with it. The number is the run's: never user text. */
export const stageSchema = (runId: number): string => `stage_${runId}`;

/**
 * Creates the run's staging tables afresh: an attempt that died left some of an unknown state, and rejects.
 */
export async function createStage(pool: Pool, runId: number, statements: string[]): Promise<void> {
  await dropStage(pool, runId);
  await withStage(pool, runId, async client => {
    await client.query(`create schema ${stageSchema(runId)}`);
    for (const statement of statements) await client.query(statement);
    await client.query('create unlogged table stage_whole (made_of text not null, staged jsonb not null)');
    await client.query('delete from run_rejects where run_id = $1', [runId]);
  });
}

/** What staging makes besides its tables. */
export type Staged<More> = { counts: RunCounts; inputs: InputRecord[]; more: More };

/**
 * Records that all is staged, and from what. The table is unlogged like those beside it: a crash of the
 * server empties all of them.
 */
export async function noteStaged(
  { pool, runId, counts, inputs }: { pool: Pool; runId: number } & Omit<Staged<unknown>, 'more'>,
  madeOf: string,
  more: unknown,
): Promise<void> {
  const values = [madeOf, JSON.stringify({ counts, inputs, more })];
  await pool.query(`insert into ${stageSchema(runId)}.stage_whole values ($1, $2)`, values);
}

/** What an earlier attempt that died had staged from the same sources. */
export async function findStaged<More>(
  pool: Pool,
  runId: number,
  madeOf: string,
): Promise<Staged<More> | undefined> {
  const table = `${stageSchema(runId)}.stage_whole`;
  const { rows } = await pool.query('select from to_regclass($1) t where t is not null', [table]);
  if (rows.length === 0) return undefined;
  const select = `select staged from ${table} where made_of = $1`;
  return (await pool.query<{ staged: Staged<More> }>(select, [madeOf])).rows[0]?.staged;
}

export async function dropStage(pool: Pool, runId: number): Promise<void> {
  await pool.query(`drop schema if exists ${stageSchema(runId)} cascade`);
}

/**
 * Runs `work` on a connection whose search path begins with the run's staging schema, so that statements name
 * its tables plainly.
 */
export function withStage<T>(pool: Pool, runId: number, work: (client: Client) => Promise<T>): Promise<T> {
  return withConnection(pool, async client => {
    await client.query(`set search_path = ${stageSchema(runId)}, public`);
    const result = await work(client);
    await client.query('reset search_path');
    return result;
  });
}

export function withStages<T>(
  { pool, runId }: { pool: Pool; runId: number },
  connections: number,
  work: (clients: Client[], rejects: RejectWriter) => Promise<T>,
): Promise<T> {
  const connect = (clients: Client[]): Promise<T> =>
    withStage(pool, runId, async client => {
      if (clients.length < connections) return connect([...clients, client]);
      const rejects = openRejects(client, runId);
      const result = await work(clients, rejects);
      await rejects.end();
      return result;
    });
  return connect([]);
}

export type Reject = {
  input: string;
  rowNo: number;
  field: string | null;
  reason: string;
  message: string;
  raw: string;
};

/** Longer texts are cut: the row number is enough to find the row again. */
const RAW_LIMIT = 64 * 1024;

export type RejectWriter = Pick<CopyWriter, 'drain' | 'end'> & { add(reject: Reject): void };

export function openRejects(client: Client, runId: number): RejectWriter {
  const copy = openCopy(
    client,
    'copy run_rejects (run_id, input, row_no, field, reason, message, raw) from stdin',
  );
  return {
    ...copy,
    add({ input, rowNo, field, reason, message, raw }) {
      const values = [runId, input, rowNo, field, reason, message, raw];
      copy.write(values.map(value => copyValue(clean(value))).join('\t'));
    },
  };
}

/** PostgreSQL's text holds no NUL. */
const clean = <T>(value: T): T | string =>
  typeof value === 'string' ? value.replaceAll('\u0000', '�') : value;

/** A row as its reject shows it: JSON of its values and geometry, cut where that is very long. */
export function rawText(values: Record<string, unknown>, geometry?: unknown): string {
  const row = geometry ? { ...values, geometry } : values;
  const text = JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return text.length <= RAW_LIMIT ? text : `${text.slice(0, RAW_LIMIT)}… (${text.length} characters)`;
}
