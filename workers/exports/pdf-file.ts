import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { mostRows } from '../../shared/exports/export-request.ts';
import { type LetterCells, type LetterHead, mergeLetter } from '../../shared/exports/letter-text.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { FileWriter } from './file-writer.ts';

/** A .woff file, because the library can't take parts of a .woff2 font. */
const FONT = '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff';

type LetterOptions = {
  text: string;
  head: LetterHead;
  asOf: Date;
};

/** Letters for printing, each on its own US letter page. A longer letter continues on the next page. */
export function openLetters(
  columns: readonly ExportColumn[],
  { text, head, asOf }: LetterOptions,
): FileWriter {
  const names = columns.map(({ name }) => name);
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: 72,
    autoFirstPage: false,
    // The same rows produce the same bytes.
    info: { Title: 'Letters', Creator: 'Plat', CreationDate: asOf },
  });
  pdf.font(createRequire(import.meta.url).resolve(FONT)).fontSize(11);
  const printable = printableIn(pdf);
  const flush = (): Uint8Array => pdf.read() ?? Buffer.alloc(0);
  let letters = 0;
  return {
    write(rows) {
      letters += rows.length;
      if (letters > mostRows('pdf')) throw tooManyLetters();
      for (const { cells } of rows) {
        const byName = Object.fromEntries(names.map((name, i) => [name, cells[i]!])) as LetterCells;
        pdf.addPage().text(printable(mergeLetter(text, byName, head)), { lineGap: 2 });
      }
      return flush();
    },
    end() {
      // A PDF needs at least one page.
      if (letters === 0) pdf.addPage();
      pdf.end();
      return [flush()];
    },
  };
}

const tooManyLetters = (): PlatError =>
  new PlatError('validation_error', 'Rejected: format. See details for the reasons.', {
    details: { format: [`allows up to ${mostRows('pdf')} letters for pdf, and there are more`] },
  });

/** Replaces characters that the font doesn't have with their base letter, or else a question mark. */
function printableIn(pdf: PDFKit.PDFDocument): (text: string) => string {
  // The library has no public way to ask.
  const { font } = (pdf as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
    ._font;
  const has = (sign: string): boolean => sign === '\n' || font.hasGlyphForCodePoint(sign.codePointAt(0)!);
  const replaced = (sign: string): string => {
    const bases = [...sign.normalize('NFKD')].filter(part => !/\p{M}/u.test(part));
    return bases.length > 0 && bases.every(has) ? bases.join('') : '?';
  };
  return text =>
    [...text.normalize('NFC')]
      .map(sign => (has(sign) ? sign : /\s/.test(sign) ? ' ' : replaced(sign)))
      .join('');
}
