import { hash } from 'node:crypto';

/** A strong validator (RFC 9110 section 8.8.3): 128 bits of the SHA-256 of `content`, quoted. */
export function etagOf(content: Uint8Array | string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}
