import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  narrowed,
  placeOf,
  type StoredSerials,
  serialsOf,
  toBitmap,
  unionOf,
} from '../../../shared/kernels/serials/serials.ts';

const serial = fc.oneof(fc.nat(200), fc.nat(5_000), fc.constantFrom(0, 31, 32, 63, 64, 2_000_000));
/** Some lists are long enough to be sorted by bits. */
const serials = fc.oneof(
  fc.array(serial, { maxLength: 60 }),
  fc.array(serial, { minLength: 2_100, maxLength: 2_200, size: 'max' }),
);
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
      expect([...unionOf(lists.map(list => list.stored))]).toEqual(
        ascending(lists.flatMap(({ list }) => list)),
      );
    }),
  );
});

test('bytes that begin anywhere in a buffer are read', () => {
  const inside = Buffer.concat([Buffer.from('abc'), asList([40, 7])]).subarray(3);
  expect([...unionOf([{ serials: inside, is_bitmap: false }])]).toEqual([7, 40]);
});

test('a bitmap has serial s in bit s % 8 of byte s / 8', () => {
  expect([...toBitmap(serialsOf([0, 9, 31, 33]))]).toEqual([1, 2, 0, 128, 2]);
  expect([...toBitmap(serialsOf([]))]).toEqual([]);
});

test('serials are narrowed to what one of the lists has, time after time', () => {
  fc.assert(
    fc.property(serials, fc.array(fc.array(stored, { maxLength: 3 }), { maxLength: 4 }), (first, steps) => {
      const found = steps.reduce(
        (left, lists) =>
          narrowed(
            left,
            lists.map(list => list.stored),
          ),
        serialsOf(first),
      );
      const expected = first.filter(value =>
        steps.every(lists => lists.some(({ list }) => list.includes(value))),
      );
      expect([...found]).toEqual(ascending(expected));
    }),
  );
});

test('the place of a serial is how many are less', () => {
  fc.assert(
    fc.property(serials, serial, (list, wanted) => {
      const sorted = ascending(list);
      expect(placeOf(serialsOf(list), wanted)).toBe(sorted.filter(value => value < wanted).length);
    }),
  );
});
