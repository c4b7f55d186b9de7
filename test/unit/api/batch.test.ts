import { afterEach, describe, expect, test, vi } from 'vitest';
import { batch } from '../../../api/http/batch.ts';

test('calls that arrive while a batch runs go together, in order, and each gets its own outcome', async () => {
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

test('a batch that fails fails only its own calls', async () => {
  const run = batch<string, string>(async items => {
    if (items.includes('bad')) throw new Error('failed');
    return items;
  });
  const failing = Promise.allSettled([run('bad'), run('with it')]);
  expect((await failing).map(result => result.status)).toEqual(['rejected', 'rejected']);
  expect(await run('later')).toBe('later');
});

test('a batch has up to a thousand calls', async () => {
  const sizes: number[] = [];
  const run = batch<number, number>(async items => {
    sizes.push(items.length);
    return items;
  });
  const outcomes = await Promise.all(Array.from({ length: 2_500 }, (_, index) => run(index)));
  expect(outcomes).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
  expect(sizes).toEqual([1_000, 1_000, 500]);
});

describe('a batch that pauses for calls on their way', () => {
  const PAUSE_MS = 50;
  afterEach(() => vi.useRealTimers());

  /** Time stands still: what is done without `pass` was not waited for. */
  function open(enough: () => number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sizes: number[] = [];
    const add = batch<number, number>(
      async items => {
        sizes.push(items.length);
        return items;
      },
      { ms: PAUSE_MS, enough },
    );
    const addMany = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => add(index)));
    return { sizes, addMany };
  }

  test('delays no single caller, whatever else is in progress', async () => {
    const { sizes, addMany } = open(() => 1_000);
    for (let n = 0; n < 20; n++) await addMany(1);
    expect(sizes).toEqual(Array(20).fill(1));
  });

  test('runs as soon as enough have arrived', async () => {
    let enough = 20;
    const { sizes, addMany } = open(() => enough);
    await addMany(20);
    const early = addMany(15);
    await turn();
    expect(sizes).toEqual([20]);
    await Promise.all([early, addMany(5)]);
    expect(sizes).toEqual([20, 20]);
    enough = 8;
    await addMany(8);
    expect(sizes).toEqual([20, 20, 8]);
  });

  test("runs without those that don't arrive in time, and no longer pauses after a small batch", async () => {
    const { sizes, addMany } = open(() => 1_000);
    await addMany(20);
    const few = addMany(3);
    await turn();
    vi.advanceTimersByTime(PAUSE_MS - 1);
    await turn();
    expect(sizes).toEqual([20]);
    vi.advanceTimersByTime(1);
    await few;
    expect(sizes).toEqual([20, 3]);
    await addMany(2);
    expect(sizes).toEqual([20, 3, 2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes a thousand without a pause, and the rest after one', async () => {
    const { sizes, addMany } = open(() => 5_000);
    await addMany(10);
    const all = addMany(1_500);
    await turn();
    await turn();
    expect(sizes).toEqual([10, 1_000]);
    vi.advanceTimersByTime(PAUSE_MS);
    await all;
    expect(sizes).toEqual([10, 1_000, 500]);
  });
});

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(() => setImmediate(resolve)));
}
