import { strToU8, Zip, ZipDeflate } from 'fflate';
import { escapeXml } from '../../shared/drawing/xml.ts';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { type FileWriter, isNumber } from './file-writer.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts of a workbook other than its sheet (ECMA-376). Style 1 is a date. */
const FRAME: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Parcels" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};
/** The timestamp for every entry, so that the same rows produce the same bytes. */
const MODIFIED = new Date(2000, 0, 1);

const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews>';

/** Excel's serial number for 1970-01-01. */
const EPOCH_SERIAL = 25_569;

/**
 * The file is written as it grows, because libraries would hold all rows in memory. Text is stored as inline
 * strings, never as formulas.
 */
export function openXlsx(columns: readonly ExportColumn[]): FileWriter {
  let written: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk);
  });
  const open = (name: string): ZipDeflate => {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = MODIFIED;
    zip.add(entry);
    return entry;
  };
  for (const [name, text] of Object.entries(FRAME)) open(name).push(strToU8(XML + text), true);
  const sheet = open('xl/worksheets/sheet1.xml');
  const letters = columns.map((_, i) => lettersOf(i));
  const writeCell = columns.map(column => {
    if (isNumber(column)) return numberCell;
    if (column.type === 'boolean') return booleanCell;
    return column.type === 'date' ? dayCell : textCell;
  });
  let row = 1;
  const line = (cells: readonly string[], write: readonly WriteCell[]): string => {
    const filled = cells.map((cell, i) => (cell === '' ? '' : write[i]!(`r="${letters[i]}${row}"`, cell)));
    return `<row r="${row++}">${filled.join('')}</row>`;
  };
  const names = columns.map(({ name }) => name);
  const head = line(
    names,
    names.map(() => textCell),
  );
  sheet.push(strToU8(`${XML}<worksheet xmlns="${MAIN}">${FROZEN}<sheetData>${head}`));
  const flush = (): Uint8Array => {
    const bytes = Buffer.concat(written);
    written = [];
    return bytes;
  };
  return {
    write(rows) {
      sheet.push(strToU8(rows.map(({ cells }) => line(cells, writeCell)).join('')));
      return flush();
    },
    end() {
      sheet.push(strToU8('</sheetData></worksheet>'), true);
      zip.end();
      return [flush()];
    },
  };
}

type WriteCell = (at: string, cell: string) => string;

/** A, B … Z, AA, AB … */
const lettersOf = (i: number): string =>
  (i < 26 ? '' : lettersOf(Math.floor(i / 26) - 1)) + String.fromCharCode(65 + (i % 26));

const numberCell: WriteCell = (at, cell) => `<c ${at}><v>${cell}</v></c>`;
const booleanCell: WriteCell = (at, cell) => `<c ${at} t="b"><v>${cell === 't' ? 1 : 0}</v></c>`;
const textCell: WriteCell = (at, text) =>
  `<c ${at} t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;

/** Excel has no dates before 1900 and is a day off before March 1900, so write those dates as text. */
const dayCell: WriteCell = (at, day) =>
  day < '1900-03-01'
    ? textCell(at, day)
    : `<c ${at} s="1"><v>${Date.parse(`${day}T00:00:00Z`) / 86_400_000 + EPOCH_SERIAL}</v></c>`;
