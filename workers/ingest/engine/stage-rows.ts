import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { isTooDeep, type RowBatch, type SourceRow, TOO_DEEP } from '../../formats/row-batch.ts';
import type { Mapper } from './map-fields.ts';
import { increment } from './run-counts.ts';
import { type RejectWriter, rawText } from './stage-schema.ts';

export type RowInput<Mapped> = {
  name: string;
  batches: AsyncIterable<RowBatch>;
  map: Mapper<Mapped>;
  /** False for a source whose rows may lack columns that the feed names. Default: true. */
  checked?: boolean;
};

type Fault = { field: string | null; reason: string; message: string };

/** Counts what could not be used, and keeps it among the rejects of the run. */
export type Faults = {
  reject(row: SourceRow, fault: Fault): void;
  drop(row: SourceRow, value: Fault & { field: string }): void;
};

type StageRow<Mapped> = (mapped: Mapped, row: SourceRow, faults: Faults) => void;

/** Skipped and rejected rows don't reach `stageRow`. `drain` waits for the server after each batch. */
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

/** Of a row that was used although it ends early. */
export const shortRow = (message: string) => ({ field: 'row', reason: 'short_row', message });

/** The same of one batch; what is bad is looked at last. */
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
      // Looked for only then: to look at every row would cost a fifth of its parsing.
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
