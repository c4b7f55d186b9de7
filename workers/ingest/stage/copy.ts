import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Client } from '../../../shared/db.ts';
import type { FieldValue } from '../../../shared/domain/parcel-fields.ts';

/** Bytes collected before they are handed to the connection: small writes cost more than the copying. */
const CHUNK_CHARS = 1 << 18;

const NEEDS_ESCAPE = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * One value in COPY's text format.
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
 */
export function copyValue(value: FieldValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string')
    return NEEDS_ESCAPE.test(value) ? value.replace(/[\\\t\n\r]/g, c => ESCAPES[c]!) : value;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
}

/** Bytes as COPY's text format wants a bytea: the backslash of \x is itself escaped. */
export function copyBytes(bytes: Uint8Array): string {
  return `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

export type CopyWriter = {
  /** One line without its newline, columns separated by tabs. */
  write(line: string): void;
  /** Waits while the server is behind; call once a batch. */
  drain(): Promise<void>;
  end(): Promise<void>;
};

/** A COPY … FROM STDIN on a connection of its own. */
export function openCopy(client: Client, statement: string): CopyWriter {
  const stream = client.query(from(statement));
  let failure: Error | undefined;
  stream.on('error', error => {
    failure = error;
  });
  let pending = '';

  function flush() {
    if (pending === '' || failure) return;
    stream.write(pending);
    pending = '';
  }

  return {
    write(line) {
      pending += `${line}\n`;
      if (pending.length >= CHUNK_CHARS) flush();
    },
    async drain() {
      if (failure) throw failure;
      // Asked of the stream, not remembered: it may have drained while the caller waited for something else.
      if (stream.writableNeedDrain) await once(stream, 'drain');
    },
    async end() {
      flush();
      if (failure) throw failure;
      stream.end();
      await finished(stream);
    },
  };
}
