import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allOf,
  bytesOf,
  commonOf,
  type Serials,
  type StoredSerials,
  serialsOf,
  takenAfter,
  takenBefore,
  takenFrom,
  toBitmap,
  unionOf,
} from '../../../shared/kernels/serials/serials.ts';

/** The last of a large county is rare: each makes a quarter of a megabyte of bits. */
const serial = fc.oneof(
  { weight: 6, arbitrary: fc.nat(200) },
  { weight: 6, arbitrary: fc.nat(5_000) },
  { weight: 4, arbitrary: fc.constantFrom(0, 31, 32, 63, 64) },
  { weight: 1, arbitrary: fc.constantFrom(300_000, 300_031, 300_032, 300_063, 2_000_000) },
);
/** Long enough to be sorted by bits, and below 5,001 so dense that they stay bits. Drawing each takes seconds. */
const many = fc
  .tuple(fc.integer({ min: 2_100, max: 2_200 }), fc.constantFrom(5_001, 300_001), fc.nat(2 ** 31 - 3))
  .map(([length, below, seed]) => {
    let state = seed + 1;
    return Array.from({ length }, () => {
      // Park and Miller's generator, https://doi.org/10.1145/63039.63042
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    });
  });
const serials = fc.oneof(fc.array(serial, { maxLength: 60 }), many);
/** Thousands of numbers are compared faster than one by one. */
const text = (serials: Serials) => [...allOf(serials)].join();
const ascending = (list: Iterable<number>) => [...new Set(list)].sort((a, b) => a - b);

/** As int4send writes them. */
function asList(list: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(list.length * 4);
  list.forEach((value, at) => {
    bytes.writeInt32BE(value, at * 4);
  });
  return bytes;
}

const stored = fc.tuple(serials, fc.boolean()).map(([list, is_bitmap]) => ({
  list,
  stored: { serials: is_bitmap ? toBitmap(serialsOf(list)) : asList(list), is_bitmap } as StoredSerials,
}));

test('lists and bitmaps are united, repeats and any order included, time after time', () => {
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 4 }), lists => {
      const union = unionOf(lists.map(list => list.stored));
      const expected = ascending(lists.flatMap(({ list }) => list));
      expect(text(union)).toBe(expected.join());
      expect(union.size).toBe(expected.length);
    }),
  );
});

test('bytes that begin anywhere in a buffer are read', () => {
  const inside = Buffer.concat([Buffer.from('abc'), asList([40, 7])]).subarray(3);
  expect(allOf(unionOf([{ serials: inside, is_bitmap: false }]))).toEqual([7, 40]);
});

test('a bitmap has serial s in bit s % 8 of byte s / 8', () => {
  expect([...toBitmap(serialsOf([0, 9, 31, 33]))]).toEqual([1, 2, 0, 128, 2]);
  expect([...toBitmap(serialsOf([]))]).toEqual([]);
});

/** As a list or as bits, as the numbers will have it. */
const either = fc.tuple(serials, fc.boolean()).map(([list, is_bitmap]) => ({
  list: ascending(list),
  serials: unionOf([
    { serials: is_bitmap ? toBitmap(serialsOf(list)) : asList(list), is_bitmap } as StoredSerials,
  ]),
}));

test('any choice of many parcels takes no more room than a bit for each', () => {
  const dense = unionOf([{ serials: Buffer.alloc(250_000, 255), is_bitmap: true }]);
  expect([dense.size, bytesOf(dense)]).toEqual([2_000_000, 250_000]);
  const sparse = unionOf([{ serials: toBitmap(serialsOf([1, 1_999_999])), is_bitmap: true }]);
  expect([sparse.size, bytesOf(sparse)]).toEqual([2, 8]);
});

test('a bitmap is stored as it was read', () => {
  fc.assert(
    fc.property(either, ({ list, serials }) => {
      const expected = Buffer.from(toBitmap(serialsOf(list)));
      expect(expected.equals(toBitmap(serials))).toBe(true);
    }),
  );
});

test('what two have in common is what both have, which stay as they are', () => {
  fc.assert(
    fc.property(either, either, (one, other) => {
      const both: Serials = commonOf(one.serials, other.serials);
      const others = new Set(other.list);
      const expected = one.list.filter(value => others.has(value));
      expect(text(both)).toBe(expected.join());
      expect(both.size).toBe(expected.length);
      expect(text(one.serials)).toBe(one.list.join());
      expect(text(other.serials)).toBe(other.list.join());
    }),
  );
});

test('some are taken from a place on, and after or before a serial', () => {
  const count = fc.nat(150);
  fc.assert(
    fc.property(either, serial, fc.nat(3_000), count, ({ list, serials }, wanted, place, count) => {
      expect(takenFrom(serials, place, count)).toEqual(list.slice(place, place + count));
      const after = list.filter(value => value > wanted);
      expect(takenAfter(serials, wanted, count)).toEqual(after.slice(0, count));
      const before = list.filter(value => value < wanted).reverse();
      expect(takenBefore(serials, wanted, count)).toEqual(before.slice(0, count));
    }),
  );
});
