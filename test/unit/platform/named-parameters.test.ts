import { expect, test } from 'vitest';
import { bindValues, parameterNames } from '../../../shared/platform/named-parameters.ts';

test('names become numbers, one per name, in the order of their first occurrence', () => {
  expect(bindValues('select :b::int + :a - :b', { a: 1, b: 2 })).toEqual({
    text: 'select $1::int + $2 - $1',
    values: [2, 1],
  });
});

test.each([
  ['a cast', 'select x::text'],
  ['a string', "select 'it''s :a', E'\\\\ :b'"],
  ['a quoted name', 'select "a:b", ":c"'],
  ['a comment', '-- :a\nselect 1 /* :b */'],
  ['a dollar-quoted text', 'do $$ begin :a; end $$; select $x$ :b $x$'],
  ['a slice', 'select a[1 + b(c):], a[lower:upper], a[(x):y]'],
])('a colon in %s is no parameter', (_what, text) => {
  expect(parameterNames(text)).toEqual([]);
  expect(bindValues(text, {}).text).toBe(text);
});

test('null is a value', () => {
  expect(bindValues('select :a', { a: null })).toEqual({ text: 'select $1', values: [null] });
});

test('missing and surplus values are errors with their names', () => {
  expect(() => bindValues('select :fips, :id', { fips: 1 })).toThrow(/\bid: select/);
  expect(() => bindValues('select :fips', { fips: 1, zip: 2 })).toThrow(/parameter.*\bzip\b/);
});
