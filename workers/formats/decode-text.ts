import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { formatError } from '../../shared/platform/http/download-context.ts';

/**
 * The encoding comes from the byte order mark, otherwise from the feed, otherwise from the first chunk with a
 * byte above 127: UTF-8 if that chunk is valid UTF-8, otherwise Windows-1252 for the rest of the file.
 * Windows-1252 also covers Latin-1. They differ only in control characters that rolls don't contain.
 */

/** Decodes chunks without splitting characters. @throws PlatError `feed_format` for an unknown encoding */
export async function* decodeText(chunks: AsyncIterable<Buffer>, declared?: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of utf8Bytes(chunks, declared)) yield decoder.decode(bytes, { stream: true });
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** The stream as UTF-8 bytes without a byte order mark, transcoded if it isn't UTF-8. */
export async function* utf8Bytes(chunks: AsyncIterable<Buffer>, declared?: string): AsyncGenerator<Buffer> {
  let decoder: ReturnType<typeof iconv.getDecoder> | null = null;
  for await (const { encoding, bytes } of chosen(chunks, declared)) {
    if (encoding === 'ascii' || encoding === 'utf8') {
      yield bytes;
      continue;
    }
    decoder ??= iconv.getDecoder(encoding);
    yield Buffer.from(decoder.write(bytes));
  }
  const rest = decoder?.end();
  if (rest) yield Buffer.from(rest);
}

type Chosen = { encoding: string; bytes: Buffer };

/** The chunks with their encoding: 'ascii' until it is known, then the encoding chosen by the rules above. */
async function* chosen(chunks: AsyncIterable<Buffer>, declared: string | undefined): AsyncGenerator<Chosen> {
  let encoding = declared === undefined ? undefined : encodingName(declared);
  let pending: Buffer = Buffer.alloc(0);
  let start = true;
  for await (const chunk of chunks) {
    let bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    pending = Buffer.alloc(0);
    if (start) {
      if (bytes.length < 3) {
        pending = bytes;
        continue;
      }
      start = false;
      const mark = byteOrderMark(bytes);
      if (mark !== undefined) {
        encoding = mark.encoding;
        bytes = bytes.subarray(mark.length);
      }
    }
    if (encoding !== undefined) {
      yield { encoding, bytes };
      continue;
    }
    const whole = completeLength(bytes);
    pending = bytes.subarray(whole);
    bytes = bytes.subarray(0, whole);
    if (!isAscii(bytes)) {
      encoding = isUtf8(bytes) ? 'utf8' : 'windows-1252';
      bytes = Buffer.concat([bytes, pending]);
      pending = Buffer.alloc(0);
    }
    yield { encoding: encoding ?? 'ascii', bytes };
  }
  if (pending.length > 0)
    yield { encoding: encoding ?? (isUtf8(pending) ? 'utf8' : 'windows-1252'), bytes: pending };
}

function byteOrderMark(bytes: Buffer): { encoding: string; length: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** The chunk's length without a UTF-8 character that is split at its end. */
export function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < needed ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/**
 * iconv-lite's name for an encoding such as "UTF-8", "1252", "ANSI 1252", "88591", or "65001".
 * @throws PlatError `feed_format`
 */
export function encodingName(name: string): string {
  const plain = name.trim().toLowerCase();
  const page = /^(?:ansi|cp|oem|windows|ibm)?[ -]?(\d+)$/.exec(plain)?.[1];
  if (plain === 'utf-8' || plain === 'utf8' || page === '65001') return 'utf8';
  if (plain === 'latin1' || plain === 'iso-8859-1' || page === '88591') return 'latin1';
  const candidate = page?.startsWith('8859')
    ? `iso-8859-${page.slice(4)}`
    : page === undefined
      ? plain
      : `cp${page}`;
  if (iconv.encodingExists(candidate)) return candidate;
  throw formatError(`Unknown encoding "${name}". Set one such as "utf-8" or "windows-1252" in the feed.`);
}
