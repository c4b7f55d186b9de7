/**
 * RFC 4180, with a line of names. Texts that a spreadsheet would take for a formula begin with an apostrophe
 * (OWASP, CSV injection).
 */
export function csv(rows: readonly Record<string, unknown>[], columns: readonly string[]): string {
  const lines = rows.map(row => columns.map(column => csvCell(row[column])).join(','));
  return [columns.join(','), ...lines].join('\r\n');
}

const AMOUNT = /^-?\d+(\.\d+)?$/;

export function csvCell(value: unknown): string {
  const plain = value instanceof Date ? value.toISOString() : String(value ?? '');
  const isFormula = typeof value === 'string' && /^\s*[=+\-@\t\r\n]/.test(plain) && !AMOUNT.test(plain);
  const text = isFormula ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
