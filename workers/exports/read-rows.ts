import { StringDecoder } from 'node:string_decoder';
import { to } from 'pg-copy-streams';
import type { Client } from '../../shared/base/db.ts';

/** The cells of a row as PostgreSQL writes them, an empty text for none. */
export type TextRow = string[];

/** https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS, what a text may hold. */
const ESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescapeCell = (cell: string): string =>
  cell.replace(/\\(.)/g, (_, sign: string) => ESCAPED[sign] ?? sign);

function toRow(line: string): TextRow {
  const cells = line.split('\t');
  return line.includes('\\') ? cells.map(unescapeCell) : cells;
}

/**
 * Batches of the rows of `copy (select …) to stdout (null '')`, as they come: node-postgres takes three times
 * as long for 50 columns, as it makes a value of each cell.
 */
export async function* readTextRows(client: Client, statement: string): AsyncGenerator<TextRow[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of client.query(to(statement)) as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop()!;
    yield lines.map(toRow);
  }
}
