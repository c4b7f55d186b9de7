import { readFile } from 'node:fs/promises';
import Access from 'mdb-reader';
import { formatError, limitsOf } from '../../shared/platform/http/download-context.ts';
import { checkColumns } from './column-names.ts';
import { addRow, chooseLayer, type FileRead, isFull, plainValue } from './row-batch.ts';

/** Rows decoded at a time. For each part, the library rereads the pages from the start. */
const PART_ROWS = 20_000;

/** A table in a Microsoft Access database, read from memory without pictures and attachments. */
export async function* readAccess({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const { accessBytes } = limitsOf(context);
  const file = await source.onDisk();
  if (file.bytes > accessBytes)
    throw formatError(
      `${name} is larger than ${accessBytes} bytes, the limit for Access databases. Export the table as CSV.`,
    );
  const access = new Access(await readFile(file.path));
  // Skip Access's system tables and what is left over from repairs and deletions.
  const names = access.getTableNames().filter(table => !/^(~|MSys)/i.test(table));
  const tables = names.map(table => ({ name: table }));
  const table = access.getTable(chooseLayer(tables, spec.layer, name).name);
  const { rowCount } = table;
  const columns = checkColumns(table.getColumnNames(), `${name}, table ${table.name}`);
  let read = 0;
  for (;;) {
    const rows = table.getData({ rowOffset: read, rowLimit: PART_ROWS });
    for (const row of rows) {
      const values: Record<string, unknown> = {};
      for (const column of columns) values[column] = plainValue(row[column]);
      addRow(output, values, null);
      if (!isFull(output)) continue;
      context.signal.throwIfAborted();
      yield;
    }
    read += rows.length;
    file.advance(read / Math.max(1, rowCount));
    if (rows.length < PART_ROWS) break;
  }
  if (read < rowCount)
    throw formatError(
      `${name} has only ${read} of the ${rowCount} rows of ${table.name}, so it is damaged. Download or copy it again.`,
    );
  file.advance(1);
}
