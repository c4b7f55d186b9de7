import { hash } from 'node:crypto';

/**
 * A 128-bit digest as the text of a uuid (16 bytes in the table): equal digests mean an unchanged row. Not for
 * security; truncated SHA-1 because it is the fastest that every OpenSSL build allows.
 */
export function digest(data: string | Uint8Array): string {
  return hash('sha1', data, 'hex').slice(0, 32);
}

/**
 * Remembers which keys a file has shown, in 8 bytes each: a duplicate must be noticed while its raw row is
 * still at hand, and a Set of a million strings would take a hundred megabytes. Two different keys may share a
 * 53-bit hash (once in some 10,000 files of a million rows); that only keeps a raw row that nobody asks for.
 * Open addressing with linear probing, at most two thirds full.
 */
export class SeenKeys {
  private slots = new Float64Array(1 << 14);
  private size = 0;

  /** Adds the key; true when it (or one of the same hash) was there before. */
  add(key: string): boolean {
    if (this.size * 3 > this.slots.length * 2) this.grow();
    return !this.insert(hash53(key));
  }

  private insert(hash: number): boolean {
    const mask = this.slots.length - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const slot = this.slots[i];
      if (slot === hash) return false;
      if (slot === 0) {
        this.slots[i] = hash;
        this.size++;
        return true;
      }
    }
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Float64Array(old.length * 2);
    this.size = 0;
    for (const hash of old) if (hash !== 0) this.insert(hash);
  }
}

/** cyrb53 by bryc (public domain): two 32-bit multiplicative hashes mixed to 53 bits; never 0 here. */
function hash53(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ c, 2654435761);
    h2 = Math.imul(h2 ^ c, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0) || 1;
}
