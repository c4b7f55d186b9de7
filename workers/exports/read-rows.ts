import { finished } from 'node:stream/promises';
import { to } from 'pg-copy-streams';
import type { Db } from '../../shared/platform/db.ts';

/** The cells of a row as PostgreSQL writes them, with empty text for null. */
export type TextRow = string[];

/** Escapes in text: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS */
const ESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

export const unescapeCell = (cell: string): string =>
  cell.replace(/\\(.)/g, (_, sign: string) => ESCAPED[sign] ?? sign);

function toRow(line: string): TextRow {
  const cells = line.split('\t');
  return line.includes('\\') ? cells.map(unescapeCell) : cells;
}

/**
 * Number of rows written at once. Parts end after one of these batches, so the same rows produce the same
 * parts.
 */
export const ROWS_AT_ONCE = 1_000;

const LF = 0x0a;

/** The lines of `copy (select …) to stdout (null '')` as bytes, 1,000 at a time, each with its line feed. */
export async function* readLines(db: Db, statement: string): AsyncGenerator<Buffer> {
  const stream = db.copy(to(statement));
  try {
    yield* linesOf(stream.iterator({ destroyOnReturn: false }));
  } finally {
    // A reader that stops early must release the connection, which is busy until its last row.
    if (!stream.readableEnded && !stream.errored) await finished(stream.resume());
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let lines = 0;
  for await (const chunk of chunks) {
    let from = 0;
    // COPY escapes line feeds in text, so each of these ends a row.
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      if (++lines % ROWS_AT_ONCE > 0) continue;
      waiting.push(chunk.subarray(from, at + 1));
      from = at + 1;
      yield Buffer.concat(waiting);
      waiting = [];
    }
    if (from < chunk.length) waiting.push(chunk.subarray(from));
  }
  if (waiting.length > 0) yield Buffer.concat(waiting);
}

/**
 * Converts COPY lines to rows. With 50 columns, node-postgres takes three times as long, because it creates a
 * value for each cell.
 */
export const rowsOf = (lines: Buffer): TextRow[] => lines.toString().slice(0, -1).split('\n').map(toRow);
