import { zipSync } from 'fflate';
import { readSheet } from 'read-excel-file/node';
import { formatError, limitsOf, type OpenContext } from '../../shared/platform/http/download-context.ts';
import { checkColumns, nameColumns } from './column-names.ts';
import { addRow, chooseLayer, type FileRead, isFull, plainValue } from './row-batch.ts';
import type { LocalFile } from './source.ts';
import { memberStream, openArchive } from './zip.ts';

/** A sheet in an Excel workbook, whose first row has the column names. The library reads it all at once. */
export async function* readXlsx({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const file = await source.onDisk();
  const workbook = await checked(file, name, context);
  const sheet = await chosenSheet(workbook, spec.layer, name);
  const rows = await rowsOf(workbook, sheet);
  const table = rows.slice(spec.skip_lines ?? 0);
  const columns = columnsOf(table, spec.header, `${name}, sheet ${sheet}`);
  for (const cells of Array.isArray(spec.header) || spec.header === false ? table : table.slice(1)) {
    const values: Record<string, unknown> = {};
    for (const [at, column] of columns.entries()) values[column] = cellValue(cells[at]);
    if (cells.every(cell => cell === null)) output.rowNo++;
    else addRow(output, values, null);
    if (isFull(output)) yield;
  }
  file.advance(1);
}

/** Excel adds empty sheets to a new workbook. Ignore them. */
async function chosenSheet(workbook: Workbook, wanted: string | undefined, name: string): Promise<string> {
  const sheets: { name: string }[] = [];
  const all = await sheetNames(workbook);
  for (const sheet of all) {
    const isRead = all.length === 1 || wanted !== undefined;
    if (isRead || (await rowsOf(workbook, sheet)).some(cells => cells.some(cell => cell !== null)))
      sheets.push({ name: sheet });
  }
  return chooseLayer(
    sheets.length === 0 ? all.slice(0, 1).map(sheet => ({ name: sheet })) : sheets,
    wanted,
    name,
  ).name;
}

/** Whole numbers beyond 2^53 stay text, as in other formats. */
const rowsOf = (workbook: Workbook, sheet: string) =>
  readSheet(workbook, sheet, {
    parseNumber: text =>
      Number.isSafeInteger(Number(text)) || !/^-?\d{16,}$/.test(text) ? Number(text) : text,
  });

type Cells = readonly unknown[];

/** Names the columns. Ignores columns without a name and without values, which form the sheet's margin. */
function columnsOf(rows: readonly Cells[], header: FileRead['spec']['header'], name: string): string[] {
  if (Array.isArray(header)) return checkColumns(header, name);
  const [first] = rows;
  if (first === undefined)
    throw formatError(`${name} is empty. It has no row of column names. Check the file.`);
  if (header === false) return nameColumns(first.map(() => ''));
  const names = first.map(cell => (cell === null ? '' : String(plainValue(cell)).trim()));
  const width = rows.reduce(
    (most, cells) => Math.max(most, cells.findLastIndex(cell => cell !== null) + 1),
    0,
  );
  return nameColumns(names.slice(0, width));
}

const ERROR = /^#(N\/A|(NULL|DIV\/0|VALUE|REF|NAME|NUM|SPILL|CALC)[!?])$/;

/**
 * A formula's error is treated as an empty cell. Dates stay dates, so that parcel numbers that Excel turned
 * into dates can be recognized.
 */
function cellValue(cell: unknown): unknown {
  if (typeof cell === 'string' && ERROR.test(cell)) return null;
  const isDate = cell instanceof Date && !Number.isNaN(cell.getTime());
  return isDate ? cell : plainValue(cell ?? null);
}

type Workbook = string | Buffer;

/**
 * The path where the library expects the workbook. _rels/.rels may name another path (ECMA-376, part 2, 9.3).
 */
const WORKBOOK_PATH = 'xl/workbook.xml';

/**
 * Unpacks the members and limits their total size, because the library trusts the sizes that an archive
 * states.
 */
async function checked({ path }: LocalFile, name: string, context: OpenContext): Promise<Workbook> {
  const limits = limitsOf(context);
  const archive = await openArchive(path, name, limits).catch(cause => {
    throw formatError(
      `${name} is not a complete .xlsx workbook. Check the format and the file. Save an .xls file as .xlsx.`,
      cause,
    );
  });
  let left = limits.xlsxBytes;
  // The object has no prototype, because a zip can contain any file name.
  const members: Record<string, Buffer> = Object.create(null);
  const isUsual = archive.entries.some(({ fileNameRaw }) => fileNameRaw.toString() === WORKBOOK_PATH);
  try {
    for (const entry of archive.entries) {
      const chunks: Buffer[] = [];
      const stream = await memberStream(archive, entry, `${name}/${entry.fileName}`);
      for await (const chunk of stream) {
        left -= chunk.length;
        if (!isUsual) chunks.push(chunk);
        if (left >= 0) continue;
        throw formatError(
          `${name} unpacks to more than ${limits.xlsxBytes} bytes, the limit for workbooks. Save the sheet as CSV.`,
        );
      }
      members[entry.fileName] = Buffer.concat(chunks);
    }
  } finally {
    archive.close();
  }
  return isUsual ? path : Buffer.from(zipSync(atWorkbookPath(members, name), { level: 0 }));
}

/** If the workbook is in another folder, adds its members under their usual paths too. */
function atWorkbookPath(members: Record<string, Buffer>, name: string): Record<string, Buffer> {
  const relations = members['_rels/.rels']?.toString().match(/<[^<>]*Relationship\s[^<>]*>/g) ?? [];
  const relation = relations.find(each => /\/officeDocument["']/.test(each));
  const place = /\sTarget=["']\/?([^"']+)["']/.exec(relation ?? '')?.[1] ?? WORKBOOK_PATH;
  const [, folder = '', file] = /^(.*\/)?(.*)$/.exec(place)!;
  const [workbook, sheets] = [members[place], members[`${folder}_rels/${file}.rels`]];
  if (workbook === undefined || sheets === undefined)
    throw formatError(`${name} has no workbook. Check the format and the file. Save an .xls file as .xlsx.`);
  const siblings = Object.entries(members).filter(([path]) => path.startsWith(folder));
  return {
    ...members,
    ...Object.fromEntries(siblings.map(([path, bytes]) => [`xl/${path.slice(folder.length)}`, bytes])),
    [WORKBOOK_PATH]: workbook,
    'xl/_rels/workbook.xml.rels': sheets,
  };
}

/**
 * Requests a sheet that can't exist, because the library lists the sheets only in its error for a missing
 * one. No sheet can be named "".
 */
async function sheetNames(workbook: Workbook): Promise<string[]> {
  try {
    await readSheet(workbook, '');
    return [];
  } catch (error) {
    const { name, sheets } = error as Error & { sheets: string[] };
    if (name === 'SheetNotFoundError') return sheets;
    throw error;
  }
}
