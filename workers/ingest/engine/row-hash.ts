import { hash } from 'node:crypto';

/**
 * A 128-bit digest as the text of a uuid (16 bytes in the table). Equal digests mean an unchanged row. It
 * isn't for security: it is a truncated SHA-1, which is the fastest hash in every OpenSSL build.
 */
export const digest = (data: string | Uint8Array): string => hash('sha1', data, 'hex').slice(0, 32);

/** The number of bits in 32 MB. Among a million keys, about two thousand share a bit with another key. */
const BITS = 2 ** 28;
/**
 * Pages are allocated on demand, because allocating 32 MB up front costs 0.1 s of garbage collection even for
 * a small file.
 */
const PAGE_BITS = 2 ** 15;

/**
 * Remembers the keys seen in a file, to detect duplicates while the raw row is available. A Set would take
 * 100 MB per million keys. If two keys share a bit, a raw row is kept unnecessarily.
 */
export class SeenKeys {
  private readonly pages = new Array<Uint8Array | undefined>(BITS / PAGE_BITS).fill(undefined);

  /** Adds the key. Returns true if this key, or another one with the same bit, was added before. */
  add(key: string): boolean {
    const bit = hash32(key) % BITS;
    const number = Math.floor(bit / PAGE_BITS);
    this.pages[number] ??= new Uint8Array(PAGE_BITS / 8);
    const page = this.pages[number];
    const at = (bit % PAGE_BITS) >>> 3;
    const mask = 1 << (bit & 7);
    const seen = (page[at]! & mask) !== 0;
    page[at]! |= mask;
    return seen;
  }
}

/** FNV-1a, with the final mixing of MurmurHash3 (A. Appleby, public domain). */
function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
