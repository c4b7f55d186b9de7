import { hash } from 'node:crypto';

/**
 * A 128-bit digest as the text of a uuid (16 bytes in the table): equal digests mean an unchanged row. Not for
 * security; truncated SHA-1 because it is the fastest that every OpenSSL build allows.
 */
export function digest(data: string | Uint8Array): string {
  return hash('sha1', data, 'hex').slice(0, 32);
}
