import { tidyText } from './text-value.ts';

/**
 * European numbers: a comma before the decimals, and points between thousands. A column declares them with
 * `decimal: ","`. Without it, 51.000 is 51.
 */

/** '2,5', '1.234,50', '1.234.567', '-48,1', '(1.200,00)': not American numbers. */
const COMMA = /^\(?[-+]?[$€]?\s?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3}){2,})\)?$/;
/** '51.000': fifty-one, or fifty-one thousand. */
const EITHER = /^\(?[-+]?[$€]?\s?\d{1,3}\.\d{3}\)?$/;
/** '12.5', '1,234.5', '51000.000', '1,234,567'. */
const POINT = /^\(?[-+]?[$€]?\s?(\d+(,\d{3})*\.\d*|\d{1,3}(,\d{3}){2,})\)?$/;

const WRITTEN = /^\(?[-+]?[$€]?\s?(\d{1,3}(\.\d{3})+|\d+)(,\d*)?\)?$/;

/** Converts a number with a decimal comma for parseNumber. Anything else becomes text that it rejects. */
export function decimalPoint(raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  const text = tidyText(raw);
  if (text === null) return raw;
  if (!WRITTEN.test(text)) return /\d/.test(text) ? `?${text}` : text;
  return text.replace(/[.€]/g, '').replace(',', '.');
}

/** The number of cells in each notation, and the first ambiguous one. */
export type Notation = { comma: number; either: number; point: number; example: string | null };

export const newNotation = (): Notation => ({ comma: 0, either: 0, point: 0, example: null });

export function noteNotation(notation: Notation, raw: unknown): void {
  const text = typeof raw === 'string' ? tidyText(raw) : null;
  if (text === null) return;
  if (COMMA.test(text)) notation.comma++;
  else if (EITHER.test(text)) notation.either++;
  else {
    if (POINT.test(text)) notation.point++;
    return;
  }
  notation.example ??= text;
}
