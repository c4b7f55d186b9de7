import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { type CopyWriter, copyValue, openCopy } from '../../../shared/platform/copy.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Fragments } from '../../../shared/platform/statements.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import { isTooDeep, type RowBatch, type SourceRow, TOO_DEEP } from '../../formats/row-batch.ts';
import type { Mapper } from './map-fields.ts';
import { readBatches } from './read-input.ts';
import type { RunContext } from './run-context.ts';
import { increment } from './run-counts.ts';
import type { Attempt, InputRecord } from './run-record.ts';

export type RowInput<Mapped> = {
  name: string;
  batches: AsyncIterable<RowBatch>;
  map: Mapper<Mapped>;
  /** False for a source whose rows may lack columns that the feed names. Default: true. */
  checked?: boolean;
};

type Fault = { field: string | null; reason: string; message: string };

/** Counts unusable rows and values, and stores them as the run's rejects. */
export type Faults = {
  reject(row: SourceRow, fault: Fault): void;
  drop(row: SourceRow, value: Fault & { field: string }): void;
};

type StageRow<Mapped> = (mapped: Mapped, row: SourceRow, faults: Faults) => void;

/** Skipped and rejected rows don't reach `stageRow`. `drain` waits for the database after each batch. */
export async function stageRows<Mapped extends { ok: true }>(
  { name, batches, map, checked = true }: RowInput<Mapped>,
  kept: { counts: RunCounts; rejects: RejectWriter },
  stageRow: StageRow<Mapped>,
  drain: () => Promise<unknown>,
): Promise<void> {
  kept.counts.read[name] = 0;
  let prepared = false;
  for await (const batch of batches) {
    if (!prepared && checked && batch.rows.length > 0) map.prepare(batch.rows);
    prepared ||= batch.rows.length > 0;
    mapRows({ name, map }, batch, kept, stageRow);
    await Promise.all([drain(), kept.rejects.drain()]);
  }
}

/** Stages an input whose rows all go through a single COPY. */
export function stageByCopy<Mapped extends { ok: true }>(
  run: RunContext,
  { name, input, map }: { name: string; input: InputSpec; map: Mapper<Mapped> },
  statement: string,
  stageRow: (write: (line: string) => void) => StageRow<Mapped>,
  kept = (rejects: RejectWriter) => rejects,
): Promise<void> {
  return withStages(run, 1, async ([connection], rejects) => {
    const copy = openCopy(connection!, statement);
    const rows = { name, batches: readBatches(run, name, input), map };
    const target = { counts: run.counts, rejects: kept(rejects) };
    await stageRows(
      rows,
      target,
      stageRow(line => copy.write(line)),
      () => copy.drain(),
    );
    await copy.end();
  });
}

/** Sets aside rows that share a key with another row, and stores some of them as rejects. */
export async function rejectDuplicates(
  db: Db,
  { runId, counts }: RunContext,
  name: string,
  parts?: Fragments,
): Promise<void> {
  const values = { run_id: runId, most: REJECTS_KEPT };
  const [row] = await db.run<Record<string, number>>(name, values, parts);
  const { identical = 0, ...setAside } = row!;
  counts.identical += identical;
  for (const [reason, count] of Object.entries(setAside))
    if (count > 0) increment(counts.rejected, reason, count);
}

/** Keeps the first of the rows that share a key, without rejects. */
export async function keepFirst(db: Db, { counts }: RunContext, parts: Fragments): Promise<void> {
  const [row] = await db.run<{ identical: number }>('feeds/keep_first', {}, parts);
  counts.identical += row!.identical;
}

/** The fault recorded for a row that ends early but is used anyway. */
export const shortRow = (message: string) => ({ field: 'row', reason: 'short_row', message });

/** Maps one batch. Bad rows come last. */
function mapRows<Mapped extends { ok: true }>(
  { name, map }: Pick<RowInput<Mapped>, 'name' | 'map'>,
  { rows, bad, skipped = 0 }: RowBatch,
  { counts, rejects }: { counts: RunCounts; rejects: Pick<RejectWriter, 'add'> },
  stageRow: StageRow<Mapped>,
): void {
  const keep = ({ rowNo, values, geometry }: SourceRow, { field, reason, message }: Fault) =>
    rejects.add({ input: name, rowNo, field, reason, message, raw: rawText(values, geometry) });
  const faults: Faults = {
    reject(row, fault) {
      keep(row, fault);
      increment(counts.rejected, fault.reason);
    },
    drop(row, value) {
      if (value.field === 'geometry' && isTooDeep(row)) throw new RangeError(TOO_DEEP.message);
      keep(row, value);
      increment(counts.dropped, value.field);
    },
  };
  for (const row of rows) {
    try {
      const mapped = map(row);
      if (mapped.ok) {
        if (row.short !== undefined) faults.drop(row, shortRow(row.short));
        stageRow(mapped, row, faults);
      } else if (mapped.reason === 'skipped') counts.skipped++;
      else faults.reject(row, mapped);
    } catch (error) {
      // Check the depth only after an error, because checking every row would take a fifth of the parsing
      // time.
      if (!(error instanceof RangeError && isTooDeep(row))) throw error;
      increment(counts.rejected, TOO_DEEP.reason);
      rejects.add({ input: name, rowNo: row.rowNo, ...TOO_DEEP, raw: '' });
    }
  }
  for (const { rowNo, field, reason, message, raw } of bad) {
    increment(counts.rejected, reason);
    rejects.add({ input: name, rowNo, field, reason, message, raw });
  }
  counts.skipped += skipped;
  increment(counts.read, name, rows.length + bad.length + skipped);
}

/**
 * A schema for one attempt's staging tables, which are dropped with it. Each attempt has its own, because a
 * stopped worker may wake up in the middle of the next attempt and must not find the same tables.
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

/** The results of staging, other than its tables. */
export type Staged<More> = { counts: RunCounts; inputs: InputRecord[]; more: More };

/**
 * Records what was staged and from which sources. A database crash empties this unlogged table together with
 * the staging tables.
 */
export async function noteStaged(
  { db, counts, inputs, ...of }: { db: Db } & Attempt & Omit<Staged<unknown>, 'more'>,
  madeOf: string,
  more: unknown,
): Promise<void> {
  const values = { made_of: madeOf, staged: JSON.stringify({ counts, inputs, more }) };
  await db.run('feeds/note_staged', values, { stage: stageSchema(of) });
}

/**
 * Takes over what a dead attempt staged from the same sources, and drops other attempts' stages.
 * @param madeOf the sources' versions, or null if unknown
 */
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

/** The schemas of a run's attempts, newest first. */
async function stagesOf(db: Db, runId: number): Promise<string[]> {
  const rows = await db.run<{ name: string }>('feeds/list_stages', { run_id: runId });
  return rows.map(({ name }) => name);
}

export async function dropStage(db: Db, of: Attempt): Promise<void> {
  await db.execute(`drop schema if exists ${stageSchema(of)} cascade`);
}

/** Drops the schemas of all of a run's attempts. */
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

/** Maximum number of rejects to store per run and reason. `runs.counts` counts all of them. */
export const REJECTS_KEPT = 1_000;

/** Longer text is truncated. The row number is enough to find the row again. */
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

/** PostgreSQL text can't contain NUL. */
const clean = <T>(value: T): T | string =>
  typeof value === 'string' ? value.replaceAll('\u0000', '�') : value;

/** A row as shown in its reject: values and geometry as JSON, truncated if very long. */
export function rawText(values: Record<string, unknown>, geometry?: unknown): string {
  const row = geometry ? { ...values, geometry } : values;
  const text = JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return text.length <= RAW_LIMIT ? text : `${text.slice(0, RAW_LIMIT)}… (${text.length} characters)`;
}
