import { createHash } from 'node:crypto';

/** The strong validator of a response body (RFC 9110 section 8.8.3): 128 bits of its SHA-256, quoted. */
export function etagOf(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
