import { hash } from 'node:crypto';
import { chargeHeld, readQuota } from '../../shared/accounts/held-tokens.ts';
import { quotaError } from '../../shared/accounts/quota-error.ts';
import type { Mode } from '../../shared/accounts/tiers.ts';
import {
  type ExportError,
  errorOf,
  failExport,
  HIDDEN_PRICE,
  LOST,
  overCeiling,
} from '../../shared/exports/end-export.ts';
import {
  EXPORT_KEY,
  type ExportRequest,
  KEPT_DAYS,
  kindOf,
  makeExport,
  needsOffer,
  priceOf,
  rowsPerOf,
} from '../../shared/exports/export-request.ts';
import { giveOthers } from '../../shared/exports/given-others.ts';
import { findListOf } from '../../shared/exports/parcel-hits.ts';
import { markRowsRead } from '../../shared/lists/mark-read.ts';
import { costOf } from '../../shared/model/prices.ts';
import { type GivenRow, giveRows } from '../../shared/parcels/given-rows.ts';
import type { Db } from '../../shared/platform/db.ts';
import { processCounts } from '../../shared/platform/declared-metrics.ts';
import { isRetryable, PlatError } from '../../shared/platform/errors.ts';
import type { JobContext, JobResult } from '../queue/job.ts';
import type { CountyRows, Written } from './file-writer.ts';
import { writeFile } from './write-file.ts';

/** Size of a part. Each part is one database row, which the worker and the reader hold in memory. */
const PART_BYTES = 4_000_000;

type Order = {
  id: string;
  company_id: string;
  account_id: string;
  mode: Mode;
  request: ExportRequest;
  tokens_held: number;
  attempt: number;
  created_at: Date;
};

/** Ends an attempt that was canceled or that another attempt took over. */
const OVER = new PlatError('export_over', 'The export was canceled, or another worker is creating it.');

/** Creates, bills, and releases an export. A retry starts over and writes the same bytes. */
export async function runExport(context: JobContext, id: string): Promise<JobResult> {
  const { db, signal, progress, attempt } = context;
  const order = await db.transaction(tx => startAttempt(tx, id));
  if (order === undefined) return { rows: 0 };
  try {
    const parts = openParts(db, order);
    const written = await writeFile({
      db,
      request: order.request,
      companyId: order.company_id,
      asOf: order.created_at,
      signal,
      progress,
      keep: parts.keep,
    });
    await parts.end();
    processCounts.tokensCharged += await db.transaction(tx => bill(tx, order, written));
    return { rows: written.rows };
  } catch (error) {
    if (error === OVER) return { rows: 0 };
    const willRetry = isRetryable(error) && attempt < makeExport.attempts;
    if (signal.aborted || willRetry) throw error;
    await db.transaction(tx => failExport(tx, id, reportedError(error), order.attempt));
    throw error;
  }
}

async function startAttempt(db: Db, id: string): Promise<Order | undefined> {
  const [order] = await db.run<Order>('exports/begin_export', { export_id: id });
  if (order !== undefined) await db.run('exports/clear_parts', { export_id: id });
  return order;
}

/** The error shown to the company. Errors from the database and from libraries appear only in the log. */
const reportedError = (error: unknown): ExportError =>
  error instanceof PlatError && error.status < 500 ? errorOf(error) : LOST;

/** Stores each part while the next rows are read. */
function openParts(db: Db, { id, attempt }: Order) {
  let waiting: Uint8Array[] = [];
  let size = 0;
  let n = 0;
  let before: Promise<void> = Promise.resolve();
  const add = async (part: number, bytes: Uint8Array): Promise<void> => {
    const sha256 = hash('sha256', bytes, 'buffer');
    const kept = await db.run('exports/add_part', { export_id: id, attempt, n: part, bytes, sha256 });
    if (kept.length === 0) throw OVER;
  };
  const end = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    size = 0;
    await before;
    before = add(++n, bytes);
    // The next `await` reports the error.
    before.catch(() => {});
  };
  return {
    async keep(bytes: Uint8Array): Promise<void> {
      waiting.push(bytes);
      size += bytes.length;
      if (size >= PART_BYTES) await end();
    },
    end: async () => {
      if (size > 0 || n === 0) await end();
      await before;
    },
  };
}

/**
 * Records the rows as paid for, in the lock order given in shared/platform/db.ts, and charges for the new
 * ones. A list records which of its rows were read.
 * @returns the tokens charged
 */
async function bill(db: Db, order: Order, { rows, parcels, others, credits }: Written): Promise<number> {
  const { id, attempt, account_id, company_id, mode, tokens_held: held, request } = order;
  if ((await db.run('exports/lock_export', { export_id: id, attempt })).length === 0) throw OVER;
  const list = request.list_id && (await findListOf(db, company_id, request.list_id));
  if (list) {
    const ids = parcels.flatMap(county => [...county.ids]);
    const shown = { ...list, ...rowsPerOf(request, list) };
    const isWhole = request.status === undefined && !needsOffer(request);
    await markRowsRead(db, company_id, shown, ids, isWhole);
  }
  let charged = 0;
  let fresh = 0;
  for (const county of parcels)
    for (const given of givenRows(county)) charged += await giveRows(db, company_id, given);
  fresh += charged;
  for (const other of await giveOthers(db, company_id, others)) {
    charged += 1;
    fresh += other.lines;
  }
  const tokens = costOf(priceOf(kindOf(request)), charged);
  const { most_tokens } = request;
  if (most_tokens !== undefined && tokens > most_tokens) throw overCeiling(most_tokens);
  if (!(await chargeHeld(db, account_id, { held, tokens, endpoint: EXPORT_KEY, mode }))) {
    const quota = await readQuota(db, account_id);
    throw quotaError(quota, request.markets === undefined ? HIDDEN_PRICE : tokens, quota.left);
  }
  await db.run('exports/finish_export', {
    export_id: id,
    rows,
    free_rows: rows - fresh,
    tokens,
    credits: credits ?? null,
    days: KEPT_DAYS,
  });
  return tokens;
}

/** Number of rows recorded per call, so that a large export's rows don't all become objects at once. */
const MARKED_AT_ONCE = 10_000;

function* givenRows({ ids, versions }: CountyRows): Generator<GivenRow[]> {
  for (let from = 0; from < ids.length; from += MARKED_AT_ONCE)
    yield Array.from(ids.subarray(from, from + MARKED_AT_ONCE), (property_id, at) => ({
      property_id,
      version: versions[from + at]!,
    }));
}
