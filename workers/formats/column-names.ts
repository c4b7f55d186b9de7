import { formatError } from '../../shared/platform/http/download-context.ts';

/** @throws PlatError `feed_format` for an empty or repeated name, with its position */
export function checkColumns(names: string[], name: string): string[] {
  const seen = new Map<string, number>();
  for (const [index, column] of names.entries()) {
    const refuse = (why: string) =>
      formatError(`${name}: ${why}. List the column names as "header" in the feed.`);
    if (column === '') throw refuse(`column ${index + 1} has no name`);
    // Assigning to this name would replace the row's prototype instead of adding a value.
    if (column === '__proto__') throw refuse("a column can't be named __proto__");
    const first = seen.get(column);
    if (first !== undefined) throw refuse(`columns ${first + 1} and ${index + 1} are both named "${column}"`);
    seen.set(column, index);
  }
  return names;
}

/**
 * The names in a file's header line. A column without a name gets its position (`column_3`). Columns with the
 * same name get their position at the end (`OWNER (column 2)`), so a feed has to choose only if it maps one
 * of them.
 */
export function nameColumns(header: readonly string[]): string[] {
  const names = header.map(name => name.replace(ODD_SPACES, ' ').trim());
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set<string>();
  return names.map((name, i) => {
    const isOwn = name !== '' && name !== '__proto__' && counts.get(name) === 1;
    let unique = isOwn
      ? name
      : name === '' || name === '__proto__'
        ? `column_${i + 1}`
        : `${name} (column ${i + 1})`;
    while (taken.has(unique) || (!isOwn && counts.has(unique))) unique += '_';
    taken.add(unique);
    return unique;
  });
}

/** Also matches non-breaking spaces and spaces of other widths. */
const ODD_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/** Matches the suffix that nameColumns adds to a name. */
const PLACE = / \(column \d+\)_*$/;

export const isNameless = (name: string): boolean => /^column_\d+_*$/.test(name);

export function columnsCalled(name: string, columns: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  return columns.filter(column => column.replace(PLACE, '').toLowerCase() === wanted && column !== name);
}

/**
 * Text that is not a column name: numbers with decimals, leading zeros, a dollar sign, or five digits, and
 * dates.
 */
const VALUE = /^(-?\$?[\d,]*\d\.\d+|0\d+|-?\$[\d,]+|\d{5,}|\d{1,4}[-/]\d{1,2}[-/]\d{1,4})$/;

/** Whether the names look like the first row of a file that has no header. */
export function areValues(names: readonly string[]): boolean {
  const named = names.filter(name => !isNameless(name)).map(name => name.replace(PLACE, ''));
  const values = named.filter(name => VALUE.test(name));
  return values.length > 0 && values.length >= named.length / 4;
}

export const NO_HEADER =
  'its first line looks like data, not column names. In the feed, set "header" to a list of names, or to false (the columns are then column_1, column_2 …)';
