import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { limitsOf, type OpenContext, sourceError } from '../../shared/net/context.ts';

/** Large reads: below 256 KB the cost of a turn of the event loop shows, above 1 MB nothing is gained. */
export const CHUNK_BYTES = 2 ** 20;

/** Counts what has been read of all the files of one source, and tells it onwards. */
export type Progress = { expect(bytes: number): void; add(bytes: number): void };

/** @param totalKnown false when further files will be opened later, so that a total would be wrong */
export function trackProgress(context: OpenContext, totalKnown: boolean): Progress {
  let read = 0;
  let total = 0;
  return {
    expect: bytes => {
      total += bytes;
    },
    add: bytes => {
      read += bytes;
      context.onBytes?.(read, totalKnown ? total : null);
    },
  };
}

/** Whether a file begins as a zip or a gzip does; names are not trusted, downloads often have none. */
export async function sniff(path: string): Promise<'zip' | 'gzip' | 'plain'> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(4);
    await file.read(head, 0, 4, 0);
    const magic = head.toString('hex');
    if (magic.startsWith('1f8b')) return 'gzip';
    // "PK" and a local file header, or the end record of an empty archive.
    return magic === '504b0304' || magic === '504b0506' ? 'zip' : 'plain';
  } finally {
    await file.close();
  }
}

/** The bytes of a file, unpacked when it is a gzip. */
export async function* fileBytes(
  path: string,
  name: string,
  gzip: boolean,
  context: OpenContext,
  progress: Progress,
): AsyncGenerator<Buffer> {
  yield* unpacked(createReadStream(path, { highWaterMark: CHUNK_BYTES }), name, gzip, context, progress);
}

/**
 * The chunks of a stream, unpacked when `gzip`, counted as they are before unpacking. Pulled one by one: nothing
 * runs ahead of the consumer by more than the streams' own buffers.
 * @throws PlatError `feed_source` for a file that is cut off, damaged, or grows past `expandedBytes`.
 */
export async function* unpacked(
  packed: Readable,
  name: string,
  gzip: boolean,
  context: OpenContext,
  progress: Progress,
): AsyncGenerator<Buffer> {
  const { expandedBytes } = limitsOf(context);
  const gunzip = gzip ? createGunzip({ chunkSize: CHUNK_BYTES / 4 }) : null;
  // The error of either stream reaches the loop below through the last one.
  const stream = gunzip === null ? packed : pipeline(packed, gunzip, () => {});
  let taken = 0;
  let expanded = 0;
  try {
    for await (const chunk of stream) {
      context.signal.throwIfAborted();
      expanded += chunk.length;
      const consumed = gunzip?.bytesWritten ?? expanded;
      progress.add(consumed - taken);
      taken = consumed;
      if (expanded > expandedBytes) {
        throw sourceError(
          `${name} unpacks to more than ${expandedBytes} bytes. Split it into smaller files.`,
        );
      }
      yield chunk as Buffer;
    }
  } catch (cause) {
    context.signal.throwIfAborted();
    if (cause instanceof Error && cause.name === 'PlatError') throw cause;
    throw sourceError(
      `${name} is cut off or damaged (${(cause as Error).message}). Fetch or copy it again.`,
      { cause },
    );
  } finally {
    packed.destroy();
    stream.destroy();
  }
}
