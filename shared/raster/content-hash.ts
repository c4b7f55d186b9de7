import { createHash } from 'node:crypto';

/** Bytes of a file from `offset`, fewer than `length` where it ends. */
export type ReadRange = (offset: number, length: number) => Promise<ArrayBuffer>;

export type Sampling = {
  /** Files up to this size are read whole. */
  wholeBytes: number;
  /** Of the beginning and of the end each: where TIFF writers put directories, with the offset and length of every block. */
  endBytes: number;
  /** Pieces of PIECE_BYTES in between, evenly spaced. */
  pieces: number;
};

/** 4.5 MB of a large file, milliseconds on a disk. */
export const ON_DISK: Sampling = { wholeBytes: 8 * 2 ** 20, endBytes: 256 * 1024, pieces: 62 };

/** 18 requests. */
export const OVER_HTTP: Sampling = { wholeBytes: 2 ** 20, endBytes: 128 * 1024, pieces: 16 };

const PIECE_BYTES = 64 * 1024;

/**
 * A hash of the content that takes equally long for files of any size: of the whole file when it is small, of samples when it
 * is large. What it cannot see: cells that are overwritten in place, between two samples, in an uncompressed file. Of a
 * compressed file nearly every change shifts what follows and the offsets in the directory.
 */
export async function contentHash(read: ReadRange, size: number, sampling: Sampling): Promise<string> {
  const hash = createHash('sha256');
  for (const [offset, length] of rangesOf(size, sampling)) {
    hash.update(new Uint8Array(await read(offset, length)));
  }
  return hash.digest('hex').slice(0, 32);
}

function rangesOf(size: number, { wholeBytes, endBytes, pieces }: Sampling): [number, number][] {
  const ranges: [number, number][] = [];
  if (size <= wholeBytes) {
    for (let at = 0; at < size; at += 2 ** 20) ranges.push([at, Math.min(2 ** 20, size - at)]);
    return ranges;
  }
  ranges.push([0, endBytes], [size - endBytes, endBytes]);
  const step = (size - 2 * endBytes) / pieces;
  for (let i = 0; i < pieces; i++) ranges.push([Math.floor(endBytes + (i + 0.5) * step), PIECE_BYTES]);
  return ranges;
}
