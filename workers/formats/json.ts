import { limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { utf8Bytes } from './decode-text.ts';
import { parseJson } from './exact-json.ts';
import { addFeature, addObject } from './features.ts';
import { addBad, type FileRead, isFull, type Output } from './row-batch.ts';
import { useCrs } from './use-crs.ts';

/**
 * Newline-delimited GeoJSON, and RFC 8142 sequences. Coordinates are in degrees unless another CRS is known.
 */
export function readFeatureLines(reading: FileRead, crs: string[] | null = null): AsyncGenerator<void> {
  useCrs(reading.output, crs, reading.source.name);
  return readLines(reading, addFeature);
}

export function readObjectLines(reading: FileRead): AsyncGenerator<void> {
  return readLines(reading, addObject);
}

export async function* readLines(
  { source, spec, output, context }: FileRead,
  add: (output: Output, text: string) => void,
): AsyncGenerator<void> {
  const { rowBytes } = limitsOf(context);
  for await (const pieces of splitLines(utf8Bytes(source.bytes(), spec.encoding), rowBytes)) {
    for (const piece of pieces) {
      const text = piece.bytes.toString('utf8');
      if (piece.unended && !isJson(text)) throw truncatedError(source.name, 'its last line does not end');
      if (piece.tooLong) addBad(output, 'row_too_long', `the line is longer than ${rowBytes} bytes`, text);
      else add(output, text);
      if (isFull(output)) yield;
    }
  }
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** The bytes between separators, truncated if too long. `unended` if the file ends without a line end. */
type Piece = { bytes: Buffer; tooLong: boolean; unended?: true };

const LF = 0x0a;
/** The record separator that starts every text of an RFC 8142 sequence. */
const RS = 0x1e;

/**
 * Splits a byte stream into lines, or into the texts of an RFC 8142 sequence if it starts with a record
 * separator. Pieces longer than `maxBytes` keep only their first bytes. We don't use `readline`, because it
 * has no limit on line length and supports no other separator.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Piece[]> {
  let separator: number | null = null;
  let pending: Buffer = Buffer.alloc(0);
  // The start of a piece that is too long, kept while the rest of it is skipped.
  let head: Buffer | null = null;
  for await (const chunk of chunks) {
    separator ??= chunk[0] === RS ? RS : LF;
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const pieces: Piece[] = [];
    let start = 0;
    for (;;) {
      // The pending bytes contain no separator, so the search starts after them.
      const end = bytes.indexOf(separator, Math.max(start, start === 0 ? pending.length : 0));
      if (end === -1) break;
      if (head === null) addPiece(pieces, bytes.subarray(start, end));
      else pieces.push({ bytes: head, tooLong: true });
      head = null;
      start = end + 1;
    }
    pending = bytes.subarray(start);
    if (pending.length > maxBytes) head ??= Buffer.from(pending.subarray(0, HEAD_BYTES));
    if (head !== null) pending = Buffer.alloc(0);
    yield pieces;
  }
  const last: Piece[] = [];
  if (head !== null) last.push({ bytes: head, tooLong: true });
  else addPiece(last, pending);
  if (head === null && last.length > 0 && pending.at(-1) !== LF) last[0]!.unended = true;
  yield last;
}

/** Bytes kept from a piece that is too long, so that the rejected row can show them. */
const HEAD_BYTES = 64 * 1024;

function addPiece(pieces: Piece[], bytes: Buffer): void {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1]!)) end--;
  if (end > 0) pieces.push({ bytes: bytes.subarray(0, end), tooLong: false });
}

export const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
