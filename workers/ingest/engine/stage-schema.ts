import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { type CopyWriter, copyValue, openCopy } from '../../../shared/platform/copy.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Attempt, InputRecord } from './run-record.ts';

/**
 * A schema for the staging tables of one attempt, dropped with it. Each attempt has its own: a worker that
 * was stopped may wake up in the middle of the next attempt, and must not find that one's tables.
 */
export const stageSchema = ({ runId, attempt }: Attempt): string => `stage_${runId}_${attempt}`;

/** Creates the attempt's staging tables, and removes the rejects of an attempt that died. */
export async function createStage(db: Db, of: Attempt, statements: string[]): Promise<void> {
  await withStage(db, of, async connection => {
    await connection.execute(`create schema ${stageSchema(of)}`);
    for (const text of statements) await connection.execute(text);
    await connection.run('feeds/create_whole_stage');
    await connection.run('feeds/clear_rejects', { run_id: of.runId, attempt: of.attempt });
  });
}

/** What staging makes besides its tables. */
export type Staged<More> = { counts: RunCounts; inputs: InputRecord[]; more: More };

/** Records what was staged and from what. A crash of the server empties this unlogged table too. */
export async function noteStaged(
  { db, counts, inputs, ...of }: { db: Db } & Attempt & Omit<Staged<unknown>, 'more'>,
  madeOf: string,
  more: unknown,
): Promise<void> {
  const values = { made_of: madeOf, staged: JSON.stringify({ counts, inputs, more }) };
  await db.run('feeds/note_staged', values, { stage: stageSchema(of) });
}

/** Takes over what a dead attempt staged from the same sources, and drops the rest. @param madeOf or null */
export async function takeOverStage<More>(
  db: Db,
  of: Attempt,
  madeOf: string | null,
): Promise<Staged<More> | undefined> {
  let taken: Staged<More> | undefined;
  for (const schema of await stagesOf(db, of.runId)) {
    const staged = taken || madeOf === null ? undefined : await readStaged<More>(db, schema, madeOf);
    await db.execute(
      staged ? `alter schema ${schema} rename to ${stageSchema(of)}` : `drop schema ${schema} cascade`,
    );
    taken ??= staged;
  }
  return taken;
}

async function readStaged<More>(db: Db, schema: string, madeOf: string): Promise<Staged<More> | undefined> {
  if ((await db.rowCount('platform/find_table', { table: `${schema}.stage_whole` })) === 0) return undefined;
  const values = { made_of: madeOf };
  const [row] = await db.run<{ staged: Staged<More> }>('feeds/read_staged', values, { stage: schema });
  return row?.staged;
}

/** The schemas of a run's attempts, the newest first. */
async function stagesOf(db: Db, runId: number): Promise<string[]> {
  const rows = await db.run<{ name: string }>('feeds/list_stages', { run_id: runId });
  return rows.map(({ name }) => name);
}

export async function dropStage(db: Db, of: Attempt): Promise<void> {
  await db.execute(`drop schema if exists ${stageSchema(of)} cascade`);
}

/** Drops what all attempts at a run have left. */
export async function dropStages(db: Db, runId: number): Promise<void> {
  for (const schema of await stagesOf(db, runId)) await db.execute(`drop schema if exists ${schema} cascade`);
}

/** Runs `work` on a connection that finds the run's staging tables by their plain names. */
export function withStage<T>(db: Db, of: Attempt, work: (db: Db) => Promise<T>): Promise<T> {
  return db.connection(async connection => {
    await connection.execute(`set search_path = ${stageSchema(of)}, public`);
    const result = await work(connection);
    await connection.execute('reset search_path');
    return result;
  });
}

export function withStages<T>(
  { db, runId, attempt }: { db: Db } & Attempt,
  connections: number,
  work: (clients: Db[], rejects: RejectWriter) => Promise<T>,
): Promise<T> {
  const connect = (clients: Db[]): Promise<T> =>
    withStage(db, { runId, attempt }, async connection => {
      if (clients.length < connections) return connect([...clients, connection]);
      const rejects = openRejects(connection, runId);
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

/** So many rejects of a run are kept for each reason. `runs.counts` has all of them. */
export const REJECTS_KEPT = 1_000;

/** Longer texts are cut: the row number is enough to find the row again. */
const RAW_LIMIT = 64 * 1024;

export type RejectWriter = Pick<CopyWriter, 'drain' | 'end'> & { add(reject: Reject): void };

export function openRejects(db: Db, runId: number): RejectWriter {
  const copy = openCopy(
    db,
    'copy run_rejects (run_id, input, row_no, field, reason, message, raw) from stdin',
  );
  const kept = new Map<string, number>();
  return {
    ...copy,
    add({ input, rowNo, field, reason, message, raw }) {
      const before = kept.get(reason) ?? 0;
      if (before === REJECTS_KEPT) return;
      kept.set(reason, before + 1);
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
