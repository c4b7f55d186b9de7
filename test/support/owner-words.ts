import { wordsOf } from '../../shared/kernels/owner/owner-words.ts';

/**
 * Whether a name contains any of the words, whole and regardless of case; several in one must stand side by
 * side in that order.
 */
export function containsAnyWord(name: string, words: readonly string[]): boolean {
  const wanted = words.map(wordsOf).filter(word => word !== '');
  return wanted.some(word => ` ${wordsOf(name)} `.includes(` ${word} `));
}
