import { wordsOf } from '../../shared/kernels/owner/owner-words.ts';

/**
 * Whether a name contains any of the entries as whole words, ignoring case. The words of an entry must be
 * adjacent and in that order.
 */
export function containsAnyWord(name: string, words: readonly string[]): boolean {
  const wanted = words.map(wordsOf).filter(word => word !== '');
  return wanted.some(word => ` ${wordsOf(name)} `.includes(` ${word} `));
}
