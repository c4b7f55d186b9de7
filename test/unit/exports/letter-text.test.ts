import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EXAMPLE_LETTER,
  LETTER_FIELDS,
  letterProblem,
  MAX_LETTER,
  mergeLetter,
  SUGGESTED_LETTER,
} from '../../../shared/exports/letter-text.ts';

const HEAD = { sender: 'Land Co', sender_address: '1 Elm St\nKeene, NH 03431', date: 'November 30, 2026' };
const merge = (text: string, cells: object = {}) => mergeLetter(text, { ...EXAMPLE_LETTER, ...cells }, HEAD);

describe('the text of a letter', () => {
  test.each([
    ['Dear {nobody}, {offer} {Offer}', ['{nobody}', '{Offer}']],
    ['{}', ['{}']],
    ['{ offer }', ['{ offer }']],
    ['{__proto__} {constructor}', ['{__proto__}', '{constructor}']],
  ])('%j names unknown fields', (text, unknown) => {
    const problem = letterProblem(text)!;
    expect(problem.slice(0, problem.indexOf(':')).split(', ')).toEqual(unknown);
  });

  test.each(['Hello', 'a { b', 'a } b', '{\n}', LETTER_FIELDS.map(name => `{${name}}`).join('')])(
    '%j is accepted',
    text => expect(letterProblem(text)).toBeUndefined(),
  );

  test('an empty letter is refused', () => expect(letterProblem(' \n ')).toBeDefined());

  test('the suggested letter is a valid one, and has no empty fields', () => {
    expect(letterProblem(SUGGESTED_LETTER)).toBeUndefined();
    expect(SUGGESTED_LETTER.length).toBeLessThan(MAX_LETTER);
    const letter = merge(SUGGESTED_LETTER);
    expect(letter).toMatch(
      /^Land Co\n1 Elm St\nKeene, NH 03431\n\nNovember 30, 2026\n\nAda L and John McKay\n/,
    );
    expect(letter).not.toMatch(/[{}]|undefined|NaN|Up to/);
  });
});

describe('merging', () => {
  test('prices and figures are written for readers', () =>
    expect(
      merge('{offer} {offer_high} {acres} {parcels}', {
        offer: '12300',
        offer_high: '1500000',
        acres: '1234.5',
        parcels: '1200',
      }),
    ).toBe('$12,300 $1,500,000 1,234.5 1,200'));

  test('lines whose fields are all empty are left out', () => {
    const text = 'Offer: {offer}\nTo: {offer_high}\n\n{company}\n{mail_city} {company}\nend';
    expect(merge(text)).toBe('Offer: $9,000\n\nFort Ann \nend');
  });

  test('values are not read as fields or patterns', () =>
    expect(merge('{full_name}', { full_name: '{offer} $& $1' })).toBe('{offer} $& $1'));

  test('text without fields stays as it is', () =>
    fc.assert(fc.property(fc.string(), text => text.includes('{') || merge(text) === text)));
});
