import { formatError, limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { checkColumns, nameColumns } from './column-names.ts';
import { decodeText } from './decode-text.ts';
import type { InputSettings } from './input-settings.ts';
import { addBad, addRow, copyText, type FileRead, isFull, type Output } from './row-batch.ts';

/*
 * RFC 4180 with any one-character delimiter. We use our own parser, because with it, a stray quote costs only
 * one line. papaparse reads everything up to the next matching quote as one cell, uDSV drops such rows
 * silently, and csv-parse takes five times as long.
 */

const DELIMITERS = [',', '\t', '|', ';'];

type Dialect = { delimiter: string; quote: string; newline: string };

/** A record, 'more' when the text ends inside the record, or what is wrong with the record. */
type Scanned = { cells: string[]; end: number } | 'more' | 'open quote' | 'text after quote';

/** CSV and other delimited text. Cells are strings, or null if empty. Blank lines are skipped. */
export async function* readCsv({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { csvRowChars } = limitsOf(context);
  const table = newTable(spec, source.name);
  let skip = spec.skip_lines ?? 0;
  let pending = '';
  for await (const text of decodeText(source.bytes(), spec.encoding)) {
    let whole = pending + text;
    if (skip > 0 && whole.length <= csvRowChars) {
      const rest = withoutLines(whole, skip);
      if (rest !== null) skip = 0;
      pending = rest ?? whole;
      if (rest === null) continue;
      whole = rest;
    }
    // A carriage return at the very end of the text may be the first half of a CRLF.
    if (/\n|\r./s.test(whole) || whole.length > csvRowChars) table.dialect ??= detectDialect(whole, spec);
    if (table.dialect === null) {
      pending = whole;
      continue;
    }
    let at = 0;
    while (at < whole.length) {
      const next = takeRecord(table, whole, at, false, output);
      if (next === -1) break;
      at = next;
      if (isFull(output)) yield;
    }
    pending = whole.slice(at);
    if (pending.length > csvRowChars) pending = skipLine(table, pending, output);
  }
  if (skip > 0) pending = '';
  table.dialect ??= detectDialect(pending, spec);
  for (let at = 0; at < pending.length; ) {
    at = takeRecord(table, pending, at, true, output);
    if (isFull(output)) yield;
  }
  if (table.skipping) throw truncatedError(table.name, 'its last line does not end');
  if (table.columns === null)
    throw formatError(`${source.name} is empty. It has no header line. Check the file.`);
}

function withoutLines(text: string, count: number): string | null {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const end = /\r\n|\n|\r(?=[^\n])/g;
    end.lastIndex = at;
    if (end.exec(text) === null) return null;
    at = end.lastIndex;
  }
  return text.slice(at);
}

type Table = {
  name: string;
  dialect: Dialect | null;
  columns: string[] | null;
  /** Number of columns up to the last one with a name. Cells after that may be missing. */
  named: number;
  /** The first cells of complete rows: several of the first rows, and the most recent row. */
  starts: string[];
  lastStart: string | null;
  /** Set by `header: false`: the first record is data and sets the number of columns. */
  numbered: boolean;
  skipping: boolean;
};

function newTable(spec: InputSettings, name: string): Table {
  const columns = Array.isArray(spec.header) ? checkColumns(spec.header, name) : null;
  const named = columns?.length ?? 0;
  const numbered = spec.header === false;
  return { name, dialect: null, columns, named, starts: [], lastStart: null, numbered, skipping: false };
}

/**
 * Reads a record from `text` at `at`.
 * @returns the index of the next record, or -1 if the text ends inside this one
 */
function takeRecord(table: Table, text: string, at: number, last: boolean, output: Output): number {
  const dialect = table.dialect!;
  if (table.skipping) {
    const end = lineEnd(text, at, dialect, false);
    table.skipping = end === -1;
    return end === -1 ? text.length : end;
  }
  const scanned = scanRecord(text, at, last, dialect);
  if (scanned === 'more') return -1;
  if (typeof scanned === 'string') {
    const end = lineEnd(text, at, dialect, true);
    if (scanned === 'open quote' && end === text.length)
      throw truncatedError(table.name, 'it ends inside a quoted cell');
    if (table.columns === null) throw formatError(`${table.name}: its header line has broken quotes.`);
    const what = scanned === 'open quote' ? 'a quoted cell does not end' : 'text follows a closing quote';
    addBad(output, 'unreadable_row', what, line(text, at, end));
    return end;
  }
  const { cells, end } = scanned;
  if (cells.length === 1 && cells[0]!.trim() === '') return end;
  if (table.columns === null) {
    const names = cells.map(cell => plainCell(cell).trim());
    table.columns = nameColumns(table.numbered ? cells.map(() => '') : names);
    table.named = table.numbered ? cells.length : names.findLastIndex(name => name !== '') + 1;
    if (!table.numbered) return end;
  }
  const { named } = table;
  if (last && cells.length < named && text[end - 1] !== dialect.newline)
    throw truncatedError(table.name, `its last row has ${cells.length} of ${named} cells and no line end`);
  addCells(table, table.columns, cells, output, () => line(text, at, end));
  return end;
}

/**
 * Extra cells are a fault only if they aren't empty, and missing cells count as empty, because spreadsheets
 * omit or add empty cells. A line with one cell is a note, not a row. A line that doesn't start like complete
 * rows is the second half of a row that was broken in two.
 */
function addCells(table: Table, columns: string[], cells: string[], output: Output, raw: () => string): void {
  const { length } = cells;
  const isShort = length < table.named;
  const isRow = isShort
    ? length > 1 && startsAsRow(table, cells[0]!)
    : !cells.slice(columns.length).some(isFilled);
  if (!isRow) {
    addBad(output, 'ragged_row', `the row has ${length} cells, but the header has ${columns.length}`, raw());
    return;
  }
  if (!isShort) noteStart(table, cells[0]!);
  const values: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) {
    const cell = cells[index] ?? '';
    values[columns[index]!] =
      cell === '' ? null : cell.charCodeAt(0) === EQUALS ? textCell(cell) : copyText(cell);
  }
  addRow(output, values, null);
  if (isShort) output.batch.rows.at(-1)!.short = `the row ends after ${length} of ${table.named} cells`;
}

const STARTS = 100;

function noteStart(table: Table, cell: string): void {
  if (table.starts.length < STARTS) table.starts.push(copyText(cell));
  else table.lastStart = cell;
}

/** Whether a line starts like other rows, by the pattern of its first cell, such as 9-9 for 12-0034. */
function startsAsRow({ starts, lastStart }: Table, cell: string): boolean {
  const form = formOf(cell);
  return (
    starts.length === 0 || starts.some(each => formOf(each) === form) || formOf(lastStart ?? '') === form
  );
}

const formOf = (cell: string): string =>
  plainCell(cell)
    .trim()
    .replace(/\d+/g, '9')
    .replace(/\p{L}+/gu, 'x');

const isFilled = (cell: string): boolean => cell.trim() !== '';

const EQUALS = 61;

/** Converts Excel's formula for text numbers, ="00012345", to the text. */
function plainCell(cell: string): string {
  const text = /^="((?:[^"]|"")*)"\s*$/.exec(cell)?.[1];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

const textCell = (cell: string): string | null => plainCell(cell) || null;

function scanRecord(text: string, start: number, last: boolean, dialect: Dialect): Scanned {
  const { delimiter, quote, newline } = dialect;
  const eol = text.indexOf(newline, start);
  if (eol === -1 && !last && (quote === '' || text.indexOf(quote, start) === -1)) return 'more';
  const end = eol === -1 ? text.length : eol;
  const cells = text.slice(start, contentEnd(text, start, end));
  if (quote === '' || cells.indexOf(quote) === -1) {
    return eol === -1 && !last
      ? 'more'
      : { cells: cells.split(delimiter), end: Math.min(text.length, end + 1) };
  }
  return scanQuoted(text, start, last, dialect);
}

/**
 * Scans a record with quotes, which may contain delimiters, line ends, and doubled quotes. Slower than
 * splitting.
 */
function scanQuoted(text: string, start: number, last: boolean, dialect: Dialect): Scanned {
  const { delimiter, quote, newline } = dialect;
  const cells: string[] = [];
  let eol = text.indexOf(newline, start);
  let at = start;
  for (;;) {
    if (eol !== -1 && eol < at) eol = text.indexOf(newline, at);
    if (text[at] === '=' && text[at + 1] === quote) {
      if (eol === -1 && !last) return 'more';
      if (isFormula(text, at, eol === -1 ? text.length : eol, dialect)) at++;
    }
    if (text[at] === quote) {
      const close = closingQuote(text, at + 1, quote);
      if (close === -1) return last ? 'open quote' : 'more';
      // A quote at the very end of the text may be the first half of a doubled quote.
      if (close + 1 === text.length && !last) return 'more';
      cells.push(unquote(text.slice(at + 1, close), quote));
      at = close + 1;
      if (text[at] === '\r' && newline === '\n') {
        if (at + 1 === text.length && !last) return 'more';
        if (at + 1 === text.length || text[at + 1] === newline) at++;
      }
      if (at >= text.length) return { cells, end: text.length };
      if (text[at] === newline) return { cells, end: at + 1 };
      if (text[at] !== delimiter) return 'text after quote';
      at++;
      continue;
    }
    const comma = text.indexOf(delimiter, at);
    if (comma !== -1 && (eol === -1 || comma < eol)) {
      cells.push(text.slice(at, comma));
      at = comma + 1;
      continue;
    }
    if (eol === -1 && !last) return 'more';
    const end = eol === -1 ? text.length : eol;
    cells.push(text.slice(at, contentEnd(text, at, end)));
    return { cells, end: Math.min(text.length, end + 1) };
  }
}

/** Whether ="…" is a complete cell, because quoted text may contain delimiters. */
function isFormula(text: string, at: number, end: number, { quote, delimiter }: Dialect): boolean {
  const close = closingQuote(text, at + 2, quote);
  return close !== -1 && close < end && [undefined, delimiter, '\r', '\n'].includes(text[close + 1]);
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] !== quote) return at;
  }
  return -1;
}

const unquote = (cell: string, quote: string): string =>
  cell.indexOf(quote) === -1 ? cell : cell.replaceAll(quote + quote, quote);

const contentEnd = (text: string, start: number, end: number): number =>
  end > start && text[end - 1] === '\r' ? end - 1 : end;

/**
 * The index after the line that starts at `at`. Returns -1 if the line end isn't in `text` yet, unless
 * `last`.
 */
function lineEnd(text: string, at: number, dialect: Dialect, last: boolean): number {
  const eol = text.indexOf(dialect.newline, at);
  if (eol === -1) return last ? text.length : -1;
  return eol + 1;
}

function line(text: string, at: number, end: number): string {
  return text.slice(at, end).replace(/[\r\n]+$/, '');
}

/**
 * After an unclosed quote, only the first line is rejected. A single line that is too long is rejected
 * entirely.
 */
function skipLine(table: Table, held: string, output: Output): string {
  if (table.columns === null)
    throw formatError(`${table.name} has a header line without an end. Check its format.`);
  const end = lineEnd(held, 0, table.dialect!, false);
  if (end === -1) {
    addBad(output, 'row_too_long', `the line is longer than ${held.length} characters`, held);
    table.skipping = true;
    return '';
  }
  addBad(output, 'unreadable_row', 'a quoted cell does not end', line(held, 0, end));
  return held.slice(end);
}

function detectDialect(text: string, spec: InputSettings): Dialect {
  const quote = spec.quote ?? '"';
  // Exports from old Macintosh programs end lines with only a carriage return.
  const newline = text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
  return { delimiter: spec.delimiter ?? detectDelimiter(text, quote, newline), quote, newline };
}

/** The most frequent candidate outside quotes in the first line, or a comma if there is a single column. */
function detectDelimiter(text: string, quote: string, newline: string): string {
  const eol = text.indexOf(newline);
  const first = eol === -1 ? text : text.slice(0, eol);
  const bare =
    quote === ''
      ? first
      : first
          .split(quote)
          .filter((_, index) => index % 2 === 0)
          .join('');
  const counts = DELIMITERS.map(delimiter => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
