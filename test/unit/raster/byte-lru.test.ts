import { expect, test } from 'vitest';
import { ByteLru, loadOnce } from '../../../shared/raster/byte-lru.ts';

test('what was not used for longest makes room; the bound holds', () => {
  const cache = new ByteLru<string>(10);
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 4);
  expect(cache.get('a')).toBe('A');
  cache.set('c', 'C', 4);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
  expect(cache.bytes).toBe(8);
});

test('one value larger than the bound is kept alone', () => {
  const cache = new ByteLru<string>(10);
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 40);
  expect([cache.get('a'), cache.get('b'), cache.bytes]).toEqual([undefined, 'B', 40]);
  cache.set('b', 'b', 3);
  expect([cache.get('b'), cache.bytes]).toEqual(['b', 3]);
});

test('a value is loaded once; a failed load is tried again', async () => {
  const cache = new ByteLru<Promise<number>>(10);
  let loads = 0;
  const load = (fails: boolean) =>
    loadOnce(cache, 'a', 1, async () => {
      loads++;
      if (fails) throw new Error('no');
      return loads;
    });
  const [first, second] = [load(true), load(true)];
  await expect(first).rejects.toThrow('no');
  await expect(second).rejects.toThrow('no');
  expect(loads).toBe(1);
  expect(await load(false)).toBe(2);
  expect(await load(false)).toBe(2);
});
