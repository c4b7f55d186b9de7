import { expect, test } from 'vitest';
import { batch } from '../../../api/http/batch.ts';

test('what arrives while a batch runs goes together, in order, and each call gets its own outcome', async () => {
  const batches: number[][] = [];
  let finish = () => {};
  const double = batch<number, number>(async items => {
    batches.push(items);
    await new Promise<void>(resolve => {
      finish = resolve;
    });
    return items.map(item => item * 2);
  });
  const first = [double(1), double(2)];
  await turn();
  const second = [double(3), double(4), double(5)];
  await turn();
  expect(batches).toEqual([[1, 2]]);
  finish();
  expect(await Promise.all(first)).toEqual([2, 4]);
  finish();
  expect(await Promise.all(second)).toEqual([6, 8, 10]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test('a batch that fails fails its own calls only', async () => {
  const run = batch<string, string>(async items => {
    if (items.includes('bad')) throw new Error('failed');
    return items;
  });
  const failing = Promise.allSettled([run('bad'), run('with it')]);
  expect((await failing).map(result => result.status)).toEqual(['rejected', 'rejected']);
  expect(await run('later')).toBe('later');
});

test('a thousand calls at a time at most', async () => {
  const sizes: number[] = [];
  const run = batch<number, number>(async items => {
    sizes.push(items.length);
    return items;
  });
  const outcomes = await Promise.all(Array.from({ length: 2_500 }, (_, index) => run(index)));
  expect(outcomes).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
  expect(sizes).toEqual([1_000, 1_000, 500]);
});

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(() => setImmediate(resolve)));
}
