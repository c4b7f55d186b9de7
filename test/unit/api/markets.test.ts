import { expect, test } from 'vitest';
import { type Row, sortRows } from '../../../api/pages/market/markets-page.tsx';

test.each([
  ['value', 'BAC'],
  ['-value', 'ABC'],
  ['name', 'ABC'],
  ['-name', 'CBA'],
  // What is none of the columns is the value, whatever objects inherit.
  ['x', 'BAC'],
  ['__proto__', 'BAC'],
  ['constructor', 'BAC'],
])('markets sorted by %s', (sort, order) => {
  const row = (name: string, value: number | null) => ({ name, state: 'NH', value }) as Row;
  const rows = [row('A', 1), row('B', 2), row('C', null)];
  expect(
    sortRows(rows, sort)
      .map(({ name }) => name)
      .join(''),
  ).toBe(order);
});
