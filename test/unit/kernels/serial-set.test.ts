import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keepOnly,
  membersBelow,
  membersFrom,
  serialSetOf,
  sizeOf,
  toBitmap,
  unionOf,
} from '../../../shared/kernels/serials/serial-set.ts';

const serial = fc.oneof(fc.nat(200), fc.nat(5_000), fc.constantFrom(0, 31, 32, 63, 64, 2_000_000));
const serials = fc.array(serial, { maxLength: 60 });
const ascending = (list: Iterable<number>) => [...new Set(list)].sort((a, b) => a - b);
const members = (set: Uint32Array) => membersFrom(set, 0, 0, Number.POSITIVE_INFINITY);

/** As int4send writes them. */
function asList(list: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(list.length * 4);
  list.forEach((value, at) => {
    bytes.writeInt32BE(value, at * 4);
  });
  return bytes;
}

test('lists and bitmaps are united, repeats and any order included', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(serials, fc.boolean()), { maxLength: 4 }), lists => {
      const stored = lists.map(([list, is_bitmap]) => ({
        serials: is_bitmap ? toBitmap(serialSetOf(list)) : asList(list),
        is_bitmap,
      }));
      const set = unionOf(stored);
      const expected = ascending(lists.flatMap(([list]) => list));
      expect(members(set)).toEqual(expected);
      expect(sizeOf(set)).toBe(expected.length);
    }),
  );
});

test('bytes that begin anywhere in a buffer are read', () => {
  const inside = Buffer.concat([Buffer.from('abc'), asList([7, 40])]).subarray(3);
  expect(members(unionOf([{ serials: inside, is_bitmap: false }]))).toEqual([7, 40]);
});

test('a bitmap has serial s in bit s % 8 of byte s / 8', () => {
  expect([...toBitmap(serialSetOf([0, 9, 31, 33]))]).toEqual([1, 2, 0, 128, 2, 0, 0, 0]);
});

test('a set keeps only what one of the lists has, time after time', () => {
  fc.assert(
    fc.property(serials, fc.array(fc.array(serials, { maxLength: 3 }), { maxLength: 4 }), (first, steps) => {
      const set = serialSetOf(first);
      for (const lists of steps)
        keepOnly(
          set,
          lists.map((list, at) =>
            at % 2 === 0
              ? { serials: asList(list), is_bitmap: false }
              : { serials: toBitmap(serialSetOf(list)), is_bitmap: true },
          ),
        );
      const expected = first.filter(value => steps.every(lists => lists.some(list => list.includes(value))));
      expect(members(set)).toEqual(ascending(expected));
    }),
  );
});

test('members are read in order from a place, some left out, and backwards below a place', () => {
  fc.assert(
    fc.property(serials, serial, fc.nat(40), fc.nat(30), (list, place, skip, count) => {
      const set = serialSetOf(list);
      const sorted = ascending(list);
      expect(membersFrom(set, place, skip, count)).toEqual(
        sorted.filter(value => value >= place).slice(skip, skip + count),
      );
      expect(membersBelow(set, place, count)).toEqual(
        sorted
          .filter(value => value < place)
          .reverse()
          .slice(0, count),
      );
    }),
  );
});
