import { describe, expect, test } from 'vitest';
import {
  contentHash,
  DISK_SAMPLING,
  HTTP_SAMPLING,
  type Sampling,
} from '../../../shared/raster/byte-source.ts';

const MIB = 2 ** 20;
const NONE = [0, 0] as const;

/**
 * The hash of a file of zeros with ones in a range of bytes, and how much of it was read in how many pieces.
 */
async function hashOf(size: number, ones: readonly [number, number], sampling: Sampling = DISK_SAMPLING) {
  let [read, pieces] = [0, 0];
  const hash = await contentHash(
    async (offset, length) => {
      const bytes = new Uint8Array(Math.min(length, size - offset));
      if (ones[0] < offset + length && ones[1] > offset) {
        bytes.fill(1, Math.max(0, ones[0] - offset), ones[1] - offset);
      }
      read += bytes.length;
      pieces++;
      return bytes.buffer;
    },
    size,
    sampling,
  );
  return { hash, read, pieces };
}

describe("a file's hash", () => {
  test('reads every byte of a small file', async () => {
    const size = 3 * MIB + 5;
    const plain = await hashOf(size, NONE);
    expect(plain.read).toBe(size);
    for (const at of [0, MIB - 1, MIB, 2 * MIB + 17, size - 1]) {
      expect((await hashOf(size, [at, at + 1])).hash).not.toBe(plain.hash);
    }
  });

  test('reads the same amount of a large file, whatever its size, and detects changes at its start, at its end, and of a fiftieth in between', async () => {
    for (const size of [500 * MIB, 4000 * MIB]) {
      const plain = await hashOf(size, NONE);
      expect(plain.read).toBeLessThan(5 * MIB);
      const starts = [0, 200 * 1024, size - 1, size - 200 * 1024];
      const points = starts.map(at => [at, at + 1] as const);
      const stretches = [0.01, 0.3, 0.5, 0.77, 0.97].map(at => [at * size, (at + 0.02) * size] as const);
      for (const ones of [...points, ...stretches]) {
        expect((await hashOf(size, ones)).hash).not.toBe(plain.hash);
      }
    }
  });

  test('misses a single cell that is overwritten in place between samples', async () => {
    expect((await hashOf(500 * MIB, [MIB, MIB + 4])).hash).toBe((await hashOf(500 * MIB, NONE)).hash);
  });

  test('over HTTP takes few requests', async () => {
    expect(await hashOf(500 * MIB, NONE, HTTP_SAMPLING)).toMatchObject({ pieces: 18 });
  });
});
