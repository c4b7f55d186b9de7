import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { formatError, truncatedError } from '../../shared/platform/http/download-context.ts';
import { checkColumns, nameColumns } from './column-names.ts';
import { completeLength, encodingName } from './decode-text.ts';
import type { InputSettings } from './input-settings.ts';
import { addRow, copyText, type FileRead, isFull } from './row-batch.ts';
import type { SourceFile } from './source.ts';

/**
 * dBASE III to 7 and FoxPro tables, as described by http://www.dbase.com/Knowledgebase/INT/db7_file_fmt.htm
 * and https://learn.microsoft.com/en-us/previous-versions/visualstudio/foxpro/st4a0s68(v=vs.80). This is our
 * own reader: the one in `shapefile` turns blank dates into 1899-11-30 and ignores deletion flags. `dbffile`
 * needs a path (no zip, no gzip) and yields NaN and Invalid Date for lost values.
 */

type Field = { name: string; type: string; offset: number; length: number };

type Header = { fields: Field[]; records: number; headerBytes: number; recordBytes: number; decode: Decode };

/** @param isFull whether the text may have been cut at the end of its field */
type Decode = (bytes: Buffer, isFull?: boolean) => string;

export type DbfRecord = Record<string, unknown>;

/** dBASE only: deleted records are skipped, but keep their row numbers. */
export async function* readDbf({ source, spec, output }: FileRead): AsyncGenerator<void> {
  const cpg = await source.sibling('.cpg');
  for await (const records of dbfRecords(source, spec, cpg)) {
    for (const record of records) {
      if (record === null) output.rowNo++;
      else addRow(output, record, null);
      if (isFull(output)) yield;
    }
  }
}

/**
 * The records of a table in file order, one array per chunk, null for a deleted record. Cells are trimmed at
 * the end, and null if blank. Dates are 'YYYY-MM-DD'. Memo columns are skipped. Text is in the feed's
 * encoding, otherwise the `.cpg` file's, otherwise the header's, otherwise Windows-1252. A value that is
 * valid UTF-8 is always read as UTF-8.
 * @throws PlatError `feed_format` if it is not a dBASE table, `feed_source` if it ends before its last record
 */
export async function* dbfRecords(
  source: SourceFile,
  spec: Pick<InputSettings, 'encoding' | 'header'>,
  cpg: SourceFile | null,
): AsyncGenerator<(DbfRecord | null)[]> {
  const stated = cpg === null ? undefined : await readCpg(cpg);
  let header: Header | null = null;
  let pending: Buffer = Buffer.alloc(0);
  let left = Number.POSITIVE_INFINITY;
  for await (const chunk of source.bytes()) {
    let bytes: Buffer = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (header === null) {
      header = parseHeader(bytes, spec, stated, source.name);
      if (header === null) {
        pending = bytes;
        continue;
      }
      left = header.records;
      bytes = bytes.subarray(header.headerBytes);
    }
    const records: (DbfRecord | null)[] = [];
    let at = 0;
    for (; left > 0 && at + header.recordBytes <= bytes.length; at += header.recordBytes, left--) {
      records.push(parseRecord(bytes, at, header));
    }
    pending = bytes.subarray(at);
    yield records;
    if (left === 0) return;
  }
  if (header === null) throw notDbase(source.name);
  throw truncatedError(source.name, `it has ${header.records - left} of ${header.records} records`);
}

/** Returns null until the bytes include the whole header. */
function parseHeader(
  bytes: Buffer,
  { encoding, header: names }: Pick<InputSettings, 'encoding' | 'header'>,
  cpg: string | undefined,
  name: string,
): Header | null {
  if (bytes.length < 32) return null;
  const version = bytes[0]!;
  const headerBytes = bytes.readUInt16LE(8);
  const recordBytes = bytes.readUInt16LE(10);
  // The low three bits are 3 for dBASE III and 5, and 0 for Visual FoxPro. dBASE 7 (4) has longer
  // descriptors.
  const isDbf = [0, 2, 3, 5].includes(version & 7);
  if (!isDbf || headerBytes < 33 || recordBytes < 2) throw notDbase(name);
  if (bytes.length < headerBytes) return null;
  const decode = decoderOf(encoding, cpg, bytes[29]!);
  const fields = readFields(bytes.subarray(32, headerBytes), recordBytes, decode, name);
  const own = fields.map(field => field.name);
  const columns = Array.isArray(names) ? checkColumns(names, name) : nameColumns(own);
  renameFields(fields, columns, name);
  return { fields, records: bytes.readUInt32LE(4), headerBytes, recordBytes, decode };
}

function readFields(descriptors: Buffer, recordBytes: number, decode: Decode, name: string): Field[] {
  const read = (longText: boolean): { fields: Field[]; bytes: number } => {
    const fields: Field[] = [];
    let offset = 1; // behind the deletion flag
    for (let at = 0; at + 32 <= descriptors.length && descriptors[at] !== 0x0d; at += 32) {
      const raw = descriptors.subarray(at, at + 11);
      const end = raw.indexOf(0);
      const type = String.fromCharCode(descriptors[at + 11]!);
      const high = longText && type === 'C' ? descriptors[at + 17]! * 256 : 0;
      const length = descriptors[at + 16]! + high;
      fields.push({ name: decode(end === -1 ? raw : raw.subarray(0, end)).trim(), type, offset, length });
      offset += length;
    }
    return { fields, bytes: offset };
  };
  // For lengths over 255, Clipper stores the high byte where other programs store the number of decimals.
  const layout = [read(false), read(true)].find(each => each.bytes === recordBytes);
  if (layout === undefined || layout.fields.length === 0) throw notDbase(name);
  return layout.fields;
}

function renameFields(fields: Field[], names: string[], name: string): void {
  if (names.length !== fields.length) {
    throw formatError(`${name} has ${fields.length} columns, but the feed's header lists ${names.length}.`);
  }
  fields.forEach((field, index) => {
    field.name = names[index]!;
  });
}

const DELETED = 0x2a;

function parseRecord(bytes: Buffer, at: number, header: Header): DbfRecord | null {
  if (bytes[at] === DELETED) return null;
  const raw = bytes.subarray(at, at + header.recordBytes);
  // In Latin-1, each byte is a character, so the record is decoded once and split at the fields' offsets.
  const text = raw.toString('latin1');
  const ascii = isAscii(raw);
  const record: DbfRecord = {};
  for (const { name, type, offset, length } of header.fields) {
    const cell = text.slice(offset, offset + length);
    let value: unknown;
    if (type === 'N' || type === 'F') value = parseNumber(cell);
    else if (type === 'D') value = parseDate(cell);
    else if (type === 'L') value = parseLogical(cell);
    else if (BINARY.has(type)) value = parseBinary(raw.subarray(offset, offset + length), type);
    else value = parseText(cell, ascii, header.decode, length);
    if (value !== undefined) record[name] = value;
  }
  return record;
}

const BINARY = new Set('I+OBYT@MGP0');

/** Returns undefined for data in other files (memos, pictures), and for FoxPro's null flags. */
function parseBinary(bytes: Buffer, type: string): unknown {
  if (type === 'I' || type === '+') return bytes.length === 4 ? bytes.readInt32LE(0) : null;
  if (bytes.length !== 8 || 'MGP0'.includes(type)) return undefined;
  if (type === 'Y') return Number(bytes.readBigInt64LE(0)) / 10_000;
  return type === 'T' || type === '@' ? parseDateTime(bytes) : bytes.readDoubleLE(0);
}

function parseText(cell: string, ascii: boolean, decode: Decode, length: number): string | null {
  const text = cell.replace(/[ \0]+$/, '');
  if (text === '') return null;
  return ascii ? copyText(text) : decode(Buffer.from(text, 'latin1'), text.length === length);
}

/** A number that did not fit is written as asterisks. It stays that way, and the mapping counts it. */
function parseNumber(cell: string): number | string | null {
  const text = withoutNul(cell).trim();
  if (text === '') return null;
  const number = Number(text);
  if (Number.isNaN(number)) return text;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

function parseDate(cell: string): string | null {
  const text = withoutNul(cell).trim();
  if (text === '' || /^0+$/.test(text)) return null;
  return /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : text;
}

/** Some writers fill empty cells with NUL instead of spaces. */
const withoutNul = (cell: string): string => (cell.includes('\0') ? cell.replaceAll('\0', ' ') : cell);

function parseLogical(cell: string): boolean | null {
  if (cell === '') return null;
  if ('TtYy'.includes(cell)) return true;
  return 'FfNn'.includes(cell) ? false : null;
}

/** The Julian day number and the milliseconds since midnight. The Unix epoch is day 2,440,588. */
function parseDateTime(bytes: Buffer): string | null {
  const day = bytes.readInt32LE(0);
  if (day <= 0 || bytes[0] === 0x20) return null;
  const date = new Date((day - 2_440_588) * 86_400_000 + bytes.readInt32LE(4));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * Code pages by language byte. Excludes 0 and 0x57 ("current ANSI"), which programs often set without
 * knowing.
 */
const LANGUAGES: Record<number, string> = {
  1: 'cp437',
  2: 'cp850',
  3: 'windows-1252',
  100: 'cp852',
  101: 'cp866',
  200: 'windows-1250',
  201: 'windows-1251',
};

/**
 * The feed's setting is used as is. A .cpg file or a language byte is often wrong. So text that is valid
 * UTF-8 is read as UTF-8 even if they name a single-byte encoding, and other text is never read as UTF-8,
 * even if they name it.
 */
function decoderOf(declared: string | undefined, cpg: string | undefined, language: number): Decode {
  const encoding = declared === undefined ? undefined : encodingName(declared);
  const stated = cpg === undefined ? LANGUAGES[language] : encodingName(cpg);
  const single = stated === undefined || isSingleByte(stated) ? stated : undefined;
  return (bytes, isFull = false) => {
    if (isAscii(bytes)) return bytes.toString('latin1');
    if (encoding !== undefined) return iconv.decode(bytes, encoding);
    if (stated !== undefined && stated !== single && stated !== 'utf8') return iconv.decode(bytes, stated);
    const whole = isFull ? bytes.subarray(0, completeLength(bytes)) : bytes;
    const isText = isUtf8(whole) && (!isAscii(whole) || stated === 'utf8');
    return isText ? whole.toString('utf8') : iconv.decode(bytes, single ?? 'windows-1252');
  };
}

const isSingleByte = (encoding: string): boolean =>
  /^(latin1|iso-8859-\d+|(windows-|cp)(125\d|[478]\d\d))$/.test(encoding);

async function readCpg(cpg: SourceFile): Promise<string | undefined> {
  for await (const bytes of cpg.bytes())
    return (
      bytes
        .toString('latin1', 0, 40)
        .replace(/^\u00ef\u00bb\u00bf/, '')
        .trim() || undefined
    );
  return undefined;
}

function notDbase(name: string): Error {
  return formatError(`${name} is not a dBASE table. Check the feed's format and the file.`);
}
