import { type CopyWriter, copyValue, openCopy } from '../../../shared/copy.ts';
import type { Client } from '../../../shared/db.ts';

/** A row, or one value of it, that could not be used. */
export type Reject = {
  input: string;
  rowNo: number;
  field: string | null;
  reason: string;
  message: string;
  raw: string;
};

/** A geometry of a hundred thousand vertices need not be kept whole to be found again: the row number tells. */
const RAW_LIMIT = 64 * 1024;

export type RejectWriter = {
  add(reject: Reject): void;
  /** Rows or values by reason. */
  counts: Record<string, number>;
  drain(): Promise<void>;
  end(): Promise<void>;
};

/** Streams rejects into table run_rejects and counts them by reason. */
export function openRejects(client: Client, runId: number): RejectWriter {
  const copy: CopyWriter = openCopy(
    client,
    'copy run_rejects (run_id, input, row_no, field, reason, message, raw) from stdin',
  );
  const counts: Record<string, number> = {};
  return {
    counts,
    add({ input, rowNo, field, reason, message, raw }) {
      counts[reason] = (counts[reason] ?? 0) + 1;
      copy.write(
        [runId, input, rowNo, field, reason, message, raw].map(value => copyValue(clean(value))).join('\t'),
      );
    },
    drain: () => copy.drain(),
    end: () => copy.end(),
  };
}

/** PostgreSQL's text holds no NUL. */
function clean<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\u0000', '�') : value;
}

/** A row as its reject shows it: JSON of its values and geometry, cut where that is very long. */
export function rawText(values: Record<string, unknown>, geometry?: unknown): string {
  const row = geometry ? { ...values, geometry } : values;
  const text = JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return text.length <= RAW_LIMIT ? text : `${text.slice(0, RAW_LIMIT)}… (${text.length} characters)`;
}
