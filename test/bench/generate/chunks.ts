import { createWriteStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Large enough that writing costs little compared with building the text, and small enough that its memory
 * doesn't matter.
 */
const CHUNK_CHARS = 1 << 18;

type Pieces = Iterable<string> | AsyncIterable<string>;

/** Collects pieces of text into chunks that are large enough to write. */
export async function* chunked(pieces: Pieces): AsyncGenerator<string> {
  // Awaiting a million pieces would take a second, and pieces from a synchronous iterator don't need it.
  const source = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]();
  let parts: string[] = [];
  let chars = 0;
  for (;;) {
    const next = source.next();
    const { done, value } = next instanceof Promise ? await next : next;
    if (done) break;
    parts.push(value);
    chars += value.length;
    if (chars < CHUNK_CHARS) continue;
    yield parts.join('');
    parts = [];
    chars = 0;
  }
  if (chars > 0) yield parts.join('');
}

/**
 * Writes text to a file as fast as the file accepts it, building the next chunk while the last one is
 * written. Compresses it if the name ends in .gz.
 */
export async function writeText(file: string, pieces: Pieces): Promise<void> {
  const pack = file.endsWith('.gz') ? createGzip({ level: 1 }) : new PassThrough();
  await pipeline(Readable.from(chunked(pieces), { highWaterMark: 2 }), pack, createWriteStream(file));
}

/** A row in COPY's text format. https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
export function copyLine(values: Iterable<unknown>): string {
  let line = '';
  for (const value of values) {
    if (value === null || value === undefined) line += '\\N\t';
    else line += `${String(value).replace(/[\\\t\n\r]/g, escapeCopy)}\t`;
  }
  return `${line.slice(0, -1)}\n`;
}

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeCopy(character: string): string {
  return COPY_ESCAPES[character]!;
}
