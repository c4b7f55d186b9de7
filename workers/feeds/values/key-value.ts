import { FAILURES, type Failure } from './text-value.ts';

/** '4.66E+11' */
const ROUNDED = /^\d(\.\d*)?E\+\d{1,3}$|^\d\.\d+E\d{1,3}$/i;
const MONTH = '(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)';
/** '12-Jan', 'Mar-02', '2-Mar-12', '2012-03-02 00:00:00' */
const DATED = new RegExp(
  `^(\\d{1,2}-${MONTH}(-\\d{2,4})?|${MONTH}-\\d{2,4}|\\d{4}-\\d{2}-\\d{2}[ T]00:00:00.*)$`,
  'i',
);

/** Longer text is never a damaged number. */
const MAX_CHARS = 24;

/**
 * How a spreadsheet damaged a parcel number, or null if it didn't. A date cell always means damage. Text that
 * looks like a date is damage only in some formats.
 */
export function damageOf(text: string, raw: unknown): Failure | null {
  if (raw instanceof Date) return FAILURES.dated;
  if (text.length > MAX_CHARS) return null;
  if (ROUNDED.test(text)) return FAILURES.rounded;
  return DATED.test(text) ? FAILURES.dated : null;
}

/** Lines that reports and exports add below their rows: 'Grand total:', 'Total 2', '(59 rows affected)'. */
const TOTAL =
  /^\W*((GRAND|SUB|REPORT|PAGE|OVERALL)?-?TOTALS?(COUNT|ROWS|RECORDS|PARCELS)?|\d+RECORDS?|\d+ROWS?(AFFECTED|SELECTED|RETURNED|FOUND)|ENDOF(REPORT|FILE))[\W\d]*$/;

/** Whether a key, in upper case and without spaces, belongs to a totals row rather than a parcel. */
export const isTotal = (key: string): boolean => !/^\d[\d-]*$/.test(key) && TOTAL.test(key);
