import { makeZip } from './make.ts';

const xml = (name: string, attributes: string, content: string) =>
  `<?xml version="1.0"?><${name} xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ${attributes}>${content}</${name}>`;

/** A workbook of sheets whose rows are cells as XML; style 1 is a date. */
export function workbook(sheets: Record<string, string[][]>, epoch1904 = false): Buffer {
  const names = Object.keys(sheets);
  const relation = (i: number) =>
    `<Relationship Id="r${i}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/s${i}.xml"/>`;
  const members: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': xml(
      'workbook',
      '',
      `<workbookPr ${epoch1904 ? 'date1904="1"' : ''}/><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i}"/>`).join('')}</sheets>`,
    ),
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names.map((_, i) => relation(i)).join('')}<Relationship Id="st" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': xml(
      'styleSheet',
      '',
      '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
    ),
  };
  for (const [i, rows] of Object.values(sheets).entries()) {
    const cells = (row: string[], r: number) =>
      row.map((cell, c) => cell.replace('<c', `<c r="${String.fromCharCode(65 + c)}${r + 1}"`)).join('');
    members[`xl/worksheets/s${i}.xml`] = xml(
      'worksheet',
      '',
      `<sheetData>${rows.map((row, r) => `<row r="${r + 1}">${cells(row, r)}</row>`).join('')}</sheetData>`,
    );
  }
  return makeZip(members);
}

export const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
export const number = (value: number) => `<c><v>${value}</v></c>`;
export const date = (serial: number) => `<c s="1"><v>${serial}</v></c>`;
export const error = (value: string) => `<c t="e"><v>${value}</v></c>`;
