import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { limitsOf, type OpenContext, sourceError } from '../../shared/platform/http/download-context.ts';

/** Read size. Below 256 KB, event loop overhead slows down reading. Above 1 MB, there is no gain. */
export const CHUNK_BYTES = 2 ** 20;

/** Maximum size of an unpacked file. */
export function maxUnpackedBytes(context: OpenContext, packedBytes: number): number {
  const { expandedBytes, uncheckedRatioBytes, expandedRatio } = limitsOf(context);
  return Math.min(expandedBytes, uncheckedRatioBytes + expandedRatio * packedBytes);
}

/**
 * The chunks of a stream, decompressed if `gzip`. Progress is measured in compressed bytes. Chunks are pulled
 * one by one, so reading never runs ahead of the consumer by more than the stream buffers.
 * @throws PlatError `feed_source` for a file that is incomplete, damaged, or larger than `most` bytes
 */
export async function* unpacked(
  start: () => Readable | Promise<Readable>,
  name: string,
  gzip: boolean,
  most: number,
  context: OpenContext,
  progress: { add(bytes: number): void },
): AsyncGenerator<Buffer> {
  const packed = await start();
  const gunzip = gzip ? createGunzip({ chunkSize: CHUNK_BYTES / 4 }) : null;
  // The loop below receives errors from either stream through the last one.
  const stream = gunzip === null ? packed : pipeline(packed, gunzip, () => {});
  let counted = 0;
  let expanded = 0;
  try {
    for await (const chunk of stream) {
      context.signal.throwIfAborted();
      expanded += chunk.length;
      const consumed = gunzip?.bytesWritten ?? expanded;
      progress.add(consumed - counted);
      counted = consumed;
      if (expanded > most) throw tooLargeUnpacked(name, most);
      yield chunk as Buffer;
    }
  } catch (cause) {
    context.signal.throwIfAborted();
    if (cause instanceof Error && cause.name === 'PlatError') throw cause;
    throw sourceError(
      `${name} is incomplete or damaged (${(cause as Error).message}). Download or copy it again.`,
      { cause },
    );
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

export const tooLargeUnpacked = (name: string, limit: number): Error =>
  sourceError(`${name} unpacks to more than ${limit} bytes. Split it into smaller files.`);
