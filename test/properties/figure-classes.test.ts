import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyFifths, roundNumber } from '../../shared/kernels/figure-classes.ts';
import { runs } from '../support/runs.ts';

const figures = fc.array(fc.double({ min: 0.01, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 60 });

test('every figure is in one class, which starts at or below it', () => {
  fc.assert(
    fc.property(figures, all => {
      const { breaks, counts } = classifyFifths(Float64Array.from(all));
      expect(breaks).toEqual(breaks.toSorted((a, b) => a - b));
      expect(new Set(breaks).size).toBe(breaks.length);
      const edges = [Number.NEGATIVE_INFINITY, ...breaks, Number.POSITIVE_INFINITY];
      expect(counts).toEqual(
        edges.slice(1).map((to, at) => all.filter(one => one >= edges[at]! && one < to).length),
      );
    }),
    { numRuns: runs(300) },
  );
});

test('breaks are the smallest figures with at least a fifth, two fifths, and so on, rounded', () => {
  fc.assert(
    fc.property(figures, all => {
      const fifths = [1, 2, 3, 4].map(
        n =>
          all
            .filter(one => all.filter(other => other <= one).length * 5 >= n * all.length)
            .sort((a, b) => a - b)[0]!,
      );
      expect(classifyFifths(Float64Array.from(all)).breaks).toEqual([...new Set(fifths.map(roundNumber))]);
    }),
    { numRuns: runs(300) },
  );
});
