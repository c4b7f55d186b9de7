import { hash, timingSafeEqual } from 'node:crypto';

/** Compares digests, which all have the same length, in constant time. */
export function sameSecret(candidate: string, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(candidate), digest(expected));
}
