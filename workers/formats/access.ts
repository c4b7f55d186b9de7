import { readFile } from 'node:fs/promises';
import Access from 'mdb-reader';
import { formatError, limitsOf } from '../../shared/net/context.ts';
import {
  addRow,
  checkColumns,
  chooseLayer,
  plainValue,
  type Reading,
  type RowBatch,
  takeFull,
} from './rows.ts';

/** Rows decoded at a time: the library finds its way to each part from the first page on. */
const PART_ROWS = 20_000;

/** A table of a Microsoft Access database. The file is held whole, its rows are not; pictures and attachments are left out. */
export async function* readAccess({ source, spec, output, context }: Reading): AsyncGenerator<RowBatch> {
  const { name } = source;
  const { accessBytes } = limitsOf(context);
  const file = await source.onDisk();
  if (file.bytes > accessBytes)
    throw formatError(
      `${name} is larger than ${accessBytes} bytes, which is too much for an Access database. Export the table as CSV.`,
    );
  const bytes = await readFile(file.path);
  const access = parsed(name, () => new Access(bytes));
  const tables = parsed(name, () => access.getTableNames()).map(table => ({ name: table }));
  const table = chooseLayer(tables, spec.layer, name).name;
  const { columns, rowCount, part } = parsed(name, () => {
    const opened = access.getTable(table);
    const part = (rowOffset: number) => opened.getData({ rowOffset, rowLimit: PART_ROWS });
    return { columns: opened.getColumnNames(), rowCount: opened.rowCount, part };
  });
  checkColumns(columns, `${name}, table ${table}`);
  let read = 0;
  for (;;) {
    const rows = parsed(name, () => part(read));
    for (const row of rows) {
      const values: Record<string, unknown> = {};
      for (const column of columns) values[column] = plainValue(row[column]);
      addRow(output, values, null, () => JSON.stringify(values));
      const full = takeFull(output);
      if (full === null) continue;
      context.signal.throwIfAborted();
      yield full;
    }
    read += rows.length;
    file.advance(read / Math.max(1, rowCount));
    if (rows.length < PART_ROWS) break;
  }
  if (read < rowCount)
    throw formatError(
      `${name} holds ${read} of the ${rowCount} rows of ${table}: it is damaged. Fetch or copy it again.`,
    );
  file.advance(1);
}

function parsed<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = (cause as Error).message;
    throw formatError(
      `${name} cannot be read as an Access database (${why}). Check the format and the file.`,
      cause,
    );
  }
}
