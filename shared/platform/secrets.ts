import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, because digests have one length. */
export function sameSecret(candidate: string, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(candidate), digest(expected));
}
