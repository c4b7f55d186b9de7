import { describe, expect, test } from 'vitest';
import { likeLiteral, WORD_TABLE, wordsOf } from '../../../../shared/kernels/owner/owner-words.ts';
import { containsAnyWord } from '../../../support/owner-words.ts';

describe('words', () => {
  test.each([
    ['SMITH JOHN', 'SMITH JOHN'],
    [' smith,  john ', 'SMITH JOHN'],
    ["O'Neil", 'ONEIL'],
    ['O’Neil', 'ONEIL'],
    ['Müller-Łopez', 'MULLER LOPEZ'],
    ['Mu\u0308ller', 'MULLER'],
    ['R&B', 'R B'],
    ['L.L.C.', 'L L C'],
    ['50%_\\', '50'],
    ['Straße', 'STRAßE'],
    ['a\tb\u00a0c', 'A B C'],
    ['', ''],
    [' - ', ''],
  ])('of %j are %j', (text, words) => expect(wordsOf(text)).toBe(words));

  test('each character has one meaning', () => {
    expect(new Set(WORD_TABLE.from).size).toBe(WORD_TABLE.from.length);
    expect(WORD_TABLE.to.length).toBeLessThan(WORD_TABLE.from.length);
  });
});

describe('a list of words', () => {
  test.each([
    ['SMITH, JOHN', ['smith'], true],
    ['SMITHSON, JOHN', ['smith'], false],
    ['SMITH, JOHN', ['jones', 'john'], true],
    ['SMITH, JOHN', ['smith john'], true],
    ['SMITH, A JOHN', ['smith john'], false],
    ["O'NEIL PAT", ['oneil'], true],
    ['ACME L.L.C.', ['l.l.c.'], true],
    ['ACME', ['%'], false],
    ['ACME', [''], false],
    ['ACME', ['_CME', 'A%'], false],
    ['ACME', [], false],
    ['', ['acme'], false],
  ])('%s holds any of %j: %s', (name, words, found) => {
    expect(containsAnyWord(name, words)).toBe(found);
  });
});

test('metacharacters of LIKE are literal', () => {
  expect(likeLiteral('50%_\\x')).toBe('50\\%\\_\\\\x');
});
