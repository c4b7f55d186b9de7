import { hash } from 'node:crypto';

/**
 * A 128-bit digest as the text of a uuid (16 bytes in the table): equal digests mean an
 * unchanged row. Not for security; truncated SHA-1 because it is the fastest that every OpenSSL build allows.
 */
export const digest = (data: string | Uint8Array): string => hash('sha1', data, 'hex').slice(0, 32);

/** Bits in 32 MB: of a million keys some two thousand share theirs with another. */
const BITS = 2 ** 28;
/** Pages are allocated when needed, because 32 MB at once cost a small file 0.1 s of garbage collection. */
const PAGE_BITS = 2 ** 15;

/**
 * Remembers which keys a file has shown, as a duplicate must be noticed while its raw row is still at hand; a
 * Set would take a hundred megabytes a million. A key that shares its bit with another only keeps a raw row
 * that nobody asks for.
 */
export class SeenKeys {
  private readonly pages = new Array<Uint8Array | undefined>(BITS / PAGE_BITS).fill(undefined);

  /** Adds the key; true when it (or one of the same bit) was there before. */
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

/** FNV-1a, its bits mixed as MurmurHash3 does in the end (A. Appleby, public domain). */
function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
