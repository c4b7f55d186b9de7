import { expect, test } from 'vitest';
import { type Column, sortHeads, sortRows } from '../../../api/pages/market/sort-table.ts';

type Row = { name: string; value: number | null };
const COLUMNS: Column<Row>[] = [
  { key: 'value', label: 'Value', value: row => row.value },
  { key: 'name', label: 'Name', value: row => row.name, first: 'ascending' },
];

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
  const row = (name: string, value: number | null) => ({ name, value });
  const rows = [row('A', 1), row('B', 2), row('C', null)];
  expect(
    sortRows(rows, COLUMNS, sort)
      .map(({ name }) => name)
      .join(''),
  ).toBe(order);
});

test.each([
  ['value', ['descending', undefined], ['-value', 'name']],
  ['-value', ['ascending', undefined], ['value', 'name']],
  ['name', [undefined, 'ascending'], ['value', '-name']],
  ['-name', [undefined, 'descending'], ['value', 'name']],
])('heads of markets sorted by %s', (sort, sorts, links) => {
  const heads = sortHeads(new URL('http://plat.example/markets?bucket=1&sort=x'), COLUMNS, sort);
  expect(heads.map(head => head.sort)).toEqual(sorts);
  expect(heads.map(head => new URLSearchParams(head.href.split('?')[1]).get('sort'))).toEqual(links);
  expect(heads[0]!.href).toContain('bucket=1');
});
