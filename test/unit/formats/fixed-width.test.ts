import { expect, test } from 'vitest';
import { readerOf, values } from './make.ts';

const read = readerOf('fixed_width', 'roll.txt');
const layout = [
  { name: 'PIN', width: 4 },
  { name: 'OWNER', width: 6 },
  { name: 'ACRES', width: 5, start: 13 },
];

test('columns are where the layout says, trimmed, blank ones null; anything after the last is ignored', async () => {
  const text = '0001MÜLLER..  1.5 more\r\n\r\n0002\n0003ABC     12345\n';
  for (const encoding of [undefined, 'windows-1252'] as const) {
    const bytes = Buffer.from(text, encoding === undefined ? 'utf8' : 'latin1');
    const all = await read(bytes, { layout, ...(encoding && { encoding }) });
    expect(values(all)).toEqual([
      { PIN: '0001', OWNER: 'MÜLLER', ACRES: '1.5' },
      { PIN: '0002', OWNER: null, ACRES: null },
      { PIN: '0003', OWNER: 'ABC', ACRES: '12345' },
    ]);
    expect(all.rows.map(row => row.rowNo)).toEqual([1, 2, 3]);
  }
  expect((await read(`TITLE\n${text}`, { layout, skip_lines: 1 })).rows).toHaveLength(3);
});

test('a line that is too long is a bad row; a truncated last one, and a feed without a layout, are errors', async () => {
  const long = await read('x'.repeat(300), { layout }, { limits: { rowBytes: 100 } });
  expect(long.bad).toMatchObject([{ rowNo: 1, reason: 'row_too_long' }]);
  await expect(read('0001ABCDEF  1.5  \n0002ABC', { layout })).rejects.toMatchObject({ code: 'feed_source' });
  await expect(read('0001\n')).rejects.toThrow(/"layout"/);
  await expect(read('0001\n', { layout: [layout[0]!, layout[0]!] })).rejects.toThrow(/"PIN"/);
});
