import type { Change } from '../../shared/accounts/contracts.ts';
import type { LoadResult } from '../../workers/regions/load-regions.ts';

/** Commands print only through these functions: tables for people, or one JSON document for scripts. */

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a note to standard error, because scripts read standard output. */
export function printNote(text: string): void {
  process.stderr.write(`plat: ${text}\n`);
}

/** Quotes a word for the shell. A leading dash would be mistaken for an option, so `--` goes before it. */
export function shellWord(text: string): string {
  const word = /^[\w./:,@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return text.startsWith('-') ? `-- ${word}` : word;
}

export const regionsLine = ({ counties, zips }: LoadResult): string =>
  `Regions: ${counties.toLocaleString('en-US')} counties, ${zips.toLocaleString('en-US')} ZIP codes.`;

type Cell = string | number | boolean | Date | null | undefined;

function show(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return `${value.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en-US') : String(value);
  return String(value);
}

/** Pads columns to their widest cell and right-aligns numbers. Default: the columns of the first row. */
export function table(
  rows: readonly Record<string, unknown>[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string {
  if (rows.length === 0) return '(none)';
  const cells = rows.map(row => columns.map(column => show(row[column] as Cell)));
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map(line => line[i]!.length)));
  const numeric = columns.map(column =>
    rows.every(row => row[column] === null || typeof row[column] === 'number'),
  );
  const line = (values: readonly string[]) =>
    values
      .map((value, i) => (numeric[i] ? value.padStart(widths[i]!) : value.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(columns), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

export function changesTable(changes: Change[]): string {
  const rows = changes.map(({ before, after, ...change }) => ({
    ...change,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  }));
  return table(rows, ['at', 'actor', 'action', 'entity', 'before', 'after']);
}

/** Formats {"a": 1, "b": 2} as "a 1, b 2", and the empty object as "none". */
export function listCounts(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count.toLocaleString('en-US')}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
