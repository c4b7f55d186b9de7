import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexBytes, indexWords, wordsHolding } from '../../../api/v1/properties/word-index.ts';

/** Few letters, so that pieces stand in many words and more than once; some outside Latin-1 and of two units. */
const unit = fc.constantFrom(...'AAABBC-,&\n\tÉŁ', '𝒜', '\u00a0');
const word = fc.string({ unit, minLength: 1, maxLength: 8 });
const asText = (words: readonly string[]) => ` ${words.join(' ')} `;

test('a piece of any length is found in the words that hold it, each once, in their order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { maxLength: 200 }),
      fc.string({ unit, minLength: 1, maxLength: 5 }),
      (words, piece) => {
        const expected = words.filter(candidate => candidate.includes(piece));
        const index = indexWords(asText(words));
        expect(wordsHolding(index, piece, 1_000)).toEqual(expected);
        if (expected.length > 0) {
          expect(wordsHolding(index, piece, expected.length)).toEqual(expected);
          expect(wordsHolding(index, piece, expected.length - 1)).toBeUndefined();
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('nothing is found where there are no words', () => {
  expect(wordsHolding(indexWords(''), 'SMITH', 10)).toEqual([]);
  expect(wordsHolding(indexWords(''), 'NG', 10)).toEqual([]);
});

test('it takes some seven bytes a character', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `WORD${at * 7919}`);
  const text = asText(words);
  expect(indexBytes(indexWords(text)) / text.length).toBeLessThan(7.5);
  expect(wordsHolding(indexWords(text), '7919', 20_000)).toEqual(words.filter(one => one.includes('7919')));
});
