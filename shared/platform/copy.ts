import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { from, to } from 'pg-copy-streams';
import type { Db } from './db.ts';
import { PlatError } from './errors.ts';

// Reads binary COPY into typed arrays. pg-copy-streams-binary would create an array of values per row.

/**
 * Format: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-BINARY
 * - header: a signature of 11 bytes, flags (int32), and an extension (int32 length, bytes)
 * - each row: the number of fields (int16), then the length (int32, -1 for null) and bytes of each field
 * - trailer: -1 as the number of fields
 *
 * All numbers are big endian.
 */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = SIGNATURE.length + 8;

/** Days from 1970-01-01 to 2000-01-01. PostgreSQL sends a date as days since 2000-01-01. */
const POSTGRES_EPOCH_DAY = 10_957;

/**
 * Column types, with the array type and byte length for each. `date` is in days since 1970-01-01. `int8` is
 * exact up to 2^53. `digits5` is null for anything but five digits.
 */
const TYPES = {
  char: { array: Uint8Array, bytes: 1 },
  int4: { array: Int32Array, bytes: 4 },
  date: { array: Int32Array, bytes: 4 },
  digits5: { array: Int32Array, bytes: null },
  int8: { array: Float64Array, bytes: 8 },
  float8: { array: Float64Array, bytes: 8 },
  uuid: { array: Uint8Array, bytes: 16 },
} as const;
export type CopyType = keyof typeof TYPES;
type ArrayOf<T extends CopyType> = InstanceType<(typeof TYPES)[T]['array']>;

/** Number of array elements per row. */
const perRow = (type: CopyType) => (type === 'uuid' ? 16 : 1);

const newArray = (type: CopyType, rows: number) => new TYPES[type].array(perRow(type) * rows);

export type CopyColumn<T extends CopyType = CopyType> = { type: T; null: number };
export type CopyColumns = Record<string, CopyColumn>;
export type CopiedColumns<C extends CopyColumns> = { [K in keyof C]: ArrayOf<C[K]['type']> };

/** Initial size of the arrays, in rows. They double when they fill up. */
const FIRST_CAPACITY = 1 << 14;

/** Runs `copy … to stdout (format binary)`; see `readCopyBinary`. */
export function readCopy<C extends CopyColumns>(
  db: Db,
  statement: string,
  columns: C,
): Promise<{ rows: number; columns: CopiedColumns<C> }> {
  return readCopyBinary(db.copy(to(statement)), columns);
}

/**
 * @param columns in the order of the statement @throws PlatError `copy_format` if the data doesn't match them
 */
export async function readCopyBinary<C extends CopyColumns>(
  chunks: AsyncIterable<Uint8Array>,
  columns: C,
): Promise<{ rows: number; columns: CopiedColumns<C> }> {
  const reader = createReader(Object.entries(columns));
  for await (const chunk of chunks) readChunk(reader, chunk);
  const { rows, arrays, hasEnded } = reader;
  if (!hasEnded) throw mismatch('it ends before its trailer');
  const filled = reader.columns.map(([name, { type }], i) => [
    name,
    arrays[i]!.subarray(0, rows * perRow(type)),
  ]);
  return { rows, columns: Object.fromEntries(filled) as CopiedColumns<C> };
}

/** The single value of a binary COPY, or undefined if there is no row. */
export async function readCopiedBytes(db: Db, statement: string): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of db.copy(to(statement))) chunks.push(chunk as Buffer);
  const copied = Buffer.concat(chunks);
  if (copied.readInt16BE(HEADER_BYTES) === -1) return undefined;
  const start = HEADER_BYTES + 6;
  return copied.subarray(start, start + copied.readInt32BE(start - 4));
}

type CopyReader = {
  columns: [name: string, column: CopyColumn][];
  capacity: number;
  arrays: ReturnType<typeof newArray>[];
  rows: number;
  hasStarted: boolean;
  hasEnded: boolean;
  /** The start of a row that continues in the next chunk. */
  rest: Buffer;
};

function createReader(columns: CopyReader['columns']): CopyReader {
  return {
    columns,
    capacity: FIRST_CAPACITY,
    arrays: columns.map(([, { type }]) => newArray(type, FIRST_CAPACITY)),
    rows: 0,
    hasStarted: false,
    hasEnded: false,
    rest: Buffer.alloc(0),
  };
}

function readChunk(reader: CopyReader, chunk: Uint8Array): void {
  if (reader.hasEnded) return;
  const bytes = Buffer.concat([reader.rest, chunk]);
  let at = 0;
  if (!reader.hasStarted && bytes.length >= HEADER_BYTES) {
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw mismatch('the signature is missing');
    at = HEADER_BYTES + bytes.readInt32BE(SIGNATURE.length + 4);
    reader.hasStarted = true;
  }
  reader.rest = reader.hasStarted ? bytes.subarray(readRows(reader, bytes, at)) : bytes;
}

/** Reads the complete rows in `bytes`. Returns the offset of the first incomplete row. */
function readRows(reader: CopyReader, bytes: Buffer, from: number): number {
  const { columns } = reader;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = from;
  while (at + 2 <= bytes.length) {
    const fields = data.getInt16(at);
    if (fields === -1) {
      reader.hasEnded = true;
      return bytes.length;
    }
    if (fields !== columns.length) throw mismatch(`a row has ${fields} fields, not ${columns.length}`);
    if (reader.rows === reader.capacity) grow(reader);
    const end = readFields(reader, data, at + 2);
    if (end < 0) return at;
    reader.rows++;
    at = end;
  }
  return at;
}

/**
 * Reads the fields of a row, starting at `at`. Returns the offset where the row ends, or -1 if the data ends
 * first.
 */
function readFields({ columns, arrays, rows }: CopyReader, data: DataView, at: number): number {
  let next = at;
  for (let i = 0; i < columns.length; i++) {
    if (next + 4 > data.byteLength) return -1;
    const length = data.getInt32(next);
    next += 4;
    const array = arrays[i]!;
    const [name, { type, null: absent }] = columns[i]!;
    if (length === -1) {
      array.fill(absent, rows * perRow(type), (rows + 1) * perRow(type));
      continue;
    }
    if (next + length > data.byteLength) return -1;
    const { bytes } = TYPES[type];
    if (bytes !== null && length !== bytes)
      throw mismatch(`column ${name} has ${length} bytes, but ${type} has ${bytes}`);
    if (type === 'int4') array[rows] = data.getInt32(next);
    else if (type === 'date') array[rows] = data.getInt32(next) + POSTGRES_EPOCH_DAY;
    else if (type === 'float8') array[rows] = data.getFloat64(next);
    else if (type === 'int8') array[rows] = data.getInt32(next) * 0x1_0000_0000 + data.getUint32(next + 4);
    else if (type === 'char') array[rows] = data.getUint8(next);
    else if (type === 'digits5') array[rows] = fiveDigitsAt(data, next, length) ?? absent;
    else (array as Uint8Array).set(new Uint8Array(data.buffer, data.byteOffset + next, length), 16 * rows);
    next += length;
  }
  return next;
}

function grow(reader: CopyReader): void {
  reader.capacity *= 2;
  reader.arrays = reader.arrays.map((old, i) => {
    const larger = newArray(reader.columns[i]![1].type, reader.capacity);
    larger.set(old);
    return larger;
  });
}

function fiveDigitsAt(data: DataView, at: number, length: number): number | null {
  if (length !== 5) return null;
  let number = 0;
  for (let i = 0; i < length; i++) {
    const digit = data.getUint8(at + i) - 0x30;
    if (digit < 0 || digit > 9) return null;
    number = 10 * number + digit;
  }
  return number;
}

function mismatch(what: string): PlatError {
  return new PlatError('copy_format', `Invalid binary COPY data: ${what}.`);
}

const LF = 0x0a;
const NEEDS_ESCAPE = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** An array's text: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
export function arrayLiteral(items: readonly string[]): string {
  return `{${items.map(item => `"${item.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

/**
 * A value in COPY's text format: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
 */
export function copyValue(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'string')
    return NEEDS_ESCAPE.test(value) ? value.replace(/[\\\t\n\r]/g, c => ESCAPES[c]!) : value;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
}

/** Bytes as bytea in COPY's text format, where the backslash of \x is itself escaped. */
export function copyBytes(bytes: Uint8Array): string {
  return `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/**
 * Size of the chunks in which rows are sent. Many small writes would cost more than copying the rows into a
 * chunk.
 */
const CHUNK_BYTES = 1 << 18;

export type CopyWriter = {
  /** One line without its newline, with columns separated by tabs. */
  write(line: string): void;
  /** Waits until the server catches up. Call it once per batch. */
  drain(): Promise<void>;
  end(): Promise<void>;
  /** Ends the COPY and discards its rows, so that the connection can roll back. */
  abort(): Promise<void>;
};

/** Starts `copy … from stdin` on the connection of `db`. */
export function openCopy(db: Db, statement: string): CopyWriter {
  const stream = db.copy(from(statement));
  let failure: Error | undefined;
  stream.on('error', error => {
    failure = error;
  });
  let chunk: Buffer | null = null;
  let used = 0;
  const flush = () => {
    if (used > 0 && !failure) stream.write(chunk!.subarray(0, used));
    chunk = null;
    used = 0;
  };

  return {
    // Encode each line immediately, because the garbage collector would copy strings that wait for a full
    // chunk.
    write(line) {
      const most = 3 * line.length + 1;
      if (chunk !== null && used + most > chunk.length) flush();
      chunk ??= Buffer.allocUnsafeSlow(Math.max(most, CHUNK_BYTES));
      used += chunk.write(line, used);
      chunk[used++] = LF;
    },
    async drain() {
      if (failure) throw failure;
      // Check the stream, because it may have drained while the caller waited for something else.
      if (stream.writableNeedDrain) await once(stream, 'drain');
    },
    async end() {
      flush();
      if (failure) throw failure;
      stream.end();
      await finished(stream);
    },
    async abort() {
      if (failure) return;
      stream.destroy(new Error('given up'));
      await finished(stream).catch(() => {});
    },
  };
}
