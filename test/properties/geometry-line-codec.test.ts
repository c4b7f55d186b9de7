import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, toE7 } from '../../shared/geo/codec.ts';
import { decodeLines, encodeLines } from '../../shared/geo/line-codec.ts';
import type { Position } from '../../shared/geo/types.ts';

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const position: fc.Arbitrary<Position> = fc.tuple(degrees(180), degrees(90));

/** Steps between nothing at all, less than the grid, a street's and half the world's. */
const step = fc.oneof(fc.constant(0), degrees(4e-8), degrees(1e-3), degrees(170));
const line: fc.Arbitrary<Position[]> = fc
  .tuple(position, fc.array(fc.tuple(step, step), { minLength: 1, maxLength: 12 }))
  .map(([start, steps]) => {
    const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
    const path: Position[] = [start];
    for (const [lon, lat] of steps) {
      const [x, y] = path.at(-1)!;
      path.push([clamp(x + lon, 180), clamp(y + lat, 90)]);
    }
    return path;
  });
const lines = fc.array(line, { maxLength: 5 });

/** What storage may leave of a line: its positions on the grid, each once in a row, and never fewer than two. */
function onGrid(path: Position[]): string[] {
  const cells = path.map(([lon, lat]) => `${toE7(lon) || 0} ${toE7(lat) || 0}`);
  const kept = cells.filter((cell, i) => i === 0 || cell !== cells[i - 1]);
  return kept.length === 1 ? [kept[0]!, kept[0]!] : kept;
}

test('lines survive storage to half of 1e-7 degrees, line by line, and a second time without change', () => {
  fc.assert(
    fc.property(lines, given => {
      const decoded = decodeLines(encodeLines(given));
      expect(decoded.map(onGrid)).toEqual(given.map(onGrid));
      expect(decodeLines(encodeLines(decoded))).toEqual(decoded);
    }),
    { numRuns: 500 },
  );
});

test('bytes cut short anywhere are refused', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), fc.nat(), (given, at) => {
      const bytes = encodeLines(given);
      expect(() => decodeLines(bytes.subarray(0, at % bytes.length))).toThrow(/line bytes/);
    }),
  );
});

test('more positions than the working buffer holds', () => {
  const long = Array.from({ length: 50_000 }, (_, i): Position => [i % 2 ? 170 : -170, i / 1e6]);
  expect(decodeLines(encodeLines([long, long]))).toEqual([long, long]);
});

test('the bytes are those of the format: version, counts, zigzag differences that run on across lines', () => {
  const given: Position[][] = [
    [
      [0, 0],
      [0.0000001, -0.0000064],
    ],
    [
      [0.0000001, -0.0000064],
      [0.0000002, -0.0000064],
    ],
  ];
  expect([...encodeLines(given)]).toEqual([101, 2, 2, 0, 0, 2, 127, 2, 0, 0, 2, 0]);
});

describe('bytes that are no lines are refused with the reason', () => {
  const good = encodeLines([
    [
      [1, 2],
      [3, 4],
    ],
  ]);
  test.each<[string, Uint8Array, RegExp]>([
    ['none', new Uint8Array(), /empty/],
    ['a boundary', encodeBoundary([]), /version 1; this program reads version 101/],
    ['left over', Uint8Array.of(...good, 0), /1 of \d+ are left over/],
    ['a count beyond the end', Uint8Array.of(101, 255, 255, 255, 255, 15), /4294967295 items announced/],
  ])('%s', (_, bytes, message) => {
    expect(() => decodeLines(bytes)).toThrow(message);
  });

  test('and lines are no boundary', () => {
    expect(() => decodeBoundary(good)).toThrow(/version 101; this program reads version 1/);
  });
});
