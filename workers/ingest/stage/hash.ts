import { hash } from 'node:crypto';

/**
 * A 128-bit digest as the text of a uuid (16 bytes in the table): equal digests mean an unchanged row. Not for
 * security; truncated SHA-1 because it is the fastest that every OpenSSL build allows.
 */
export function digest(data: string | Uint8Array): string {
  return hash('sha1', data, 'hex').slice(0, 32);
}

/** Bits in 32 MB: of a million keys some two thousand share theirs with another. */
const BITS = 2 ** 28;

/**
 * Remembers which keys a file has shown, as a duplicate must be noticed while its raw row is still at hand; a Set would take a hundred
 * megabytes a million. A key that shares its bit with another only keeps a raw row that nobody asks for.
 */
export class SeenKeys {
  private readonly bits = new Uint8Array(BITS / 8);

  /** Adds the key; true when it (or one of the same bit) was there before. */
  add(key: string): boolean {
    const bit = hash32(key) % BITS;
    const mask = 1 << (bit & 7);
    const seen = (this.bits[bit >>> 3]! & mask) !== 0;
    this.bits[bit >>> 3]! |= mask;
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
