/**
 * Formats rows as CSV (RFC 4180) with a header line. Cells that a spreadsheet would read as a formula are
 * prefixed with an apostrophe (OWASP, CSV injection).
 */
export function csv(rows: readonly Record<string, unknown>[], columns: readonly string[]): string {
  const lines = rows.map(row => columns.map(column => csvCell(row[column])).join(','));
  return [columns.join(','), ...lines].join('\r\n');
}

/** Spreadsheets treat the full-width forms of these signs like the signs themselves. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;
const AMOUNT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

export function csvCell(value: unknown): string {
  const plain = value instanceof Date ? value.toISOString() : String(value ?? '');
  const text = FORMULA.test(plain) && !AMOUNT.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
