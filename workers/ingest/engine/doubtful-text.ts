import { type Notation, newNotation, noteNotation } from '../../feeds/values/number-notation.ts';
import { displayValue } from '../../feeds/values/text-value.ts';
import type { TargetSpec } from '../../feeds/values/value-parser.ts';

/** UTF-8 that was read as Latin-1 (Ã‘ for Ñ), and the mark of a byte that could not be read at all. */
const MISREAD =
  /[ÃÂ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2044\u20ac\u2122]|â€|\ufffd/;

const NUMERIC = new Set<TargetSpec['type']>(['number', 'money', 'integer', 'degrees']);

type Noted = { notation: Notation; isMoney: boolean; misread: number; example: string | null };

/** Values that Plat can read, but may misread: numbers with a decimal comma, and text in another encoding. */
export function doubtfulText() {
  const columns = new Map<string, Noted>();
  return {
    note(column: string, spec: TargetSpec, raw: unknown): void {
      if (typeof raw !== 'string') return;
      const noted = columns.get(column) ?? newNoted(spec);
      columns.set(column, noted);
      if (NUMERIC.has(spec.type)) noteNotation(noted.notation, raw);
      else if (MISREAD.test(raw)) {
        noted.misread++;
        noted.example ??= raw;
      }
    },
    warnings(part: string): string[] {
      const all = [...columns];
      const isEuropean = all.some(([, { notation }]) => notation.comma > 0 && notation.point === 0);
      return all.flatMap(([column, noted]) => [
        ...notationWarning(part, column, noted, isEuropean),
        ...misreadWarning(part, column, noted),
      ]);
    },
  };
}

const newNoted = ({ type, unit }: TargetSpec): Noted => ({
  notation: newNotation(),
  isMoney: type === 'money' || unit === 'USD',
  misread: 0,
  example: null,
});

function notationWarning(
  part: string,
  column: string,
  { notation: { comma, either, point, example }, isMoney }: Noted,
  isEuropean: boolean,
): string[] {
  if (comma + either === 0 || point > 0 || (comma === 0 && !isMoney && !isEuropean)) return [];
  const what =
    comma > 0 ? 'use a decimal comma, or points between thousands' : 'may use points between thousands';
  return [
    `${part}: ${comma + either} numbers for ${column} ${what}, such as ${displayValue(example)}. If 51.000 means fifty-one thousand, set decimal: "," for ${column}.`,
  ];
}

function misreadWarning(part: string, column: string, { misread, example }: Noted): string[] {
  if (misread === 0) return [];
  return [
    `${part}: ${misread} texts for ${column} seem to have the wrong encoding, such as ${displayValue(example)}. Set "encoding" to the encoding of the file, such as utf-8 or windows-1252.`,
  ];
}
