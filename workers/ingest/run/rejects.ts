import { type CopyWriter, copyValue, openCopy } from '../../../shared/copy.ts';
import type { Client } from '../../../shared/db.ts';

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
function clean<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\u0000', '�') : value;
}

/** A row as its reject shows it: JSON of its values and geometry, cut where that is very long. */
export function rawText(values: Record<string, unknown>, geometry?: unknown): string {
  const row = geometry ? { ...values, geometry } : values;
  const text = JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return text.length <= RAW_LIMIT ? text : `${text.slice(0, RAW_LIMIT)}… (${text.length} characters)`;
}
