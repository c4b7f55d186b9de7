import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Estimate, shrink } from '../../../../shared/kernels/valuation/shrink.ts';

const KNOWN: Estimate = { value: -0.5, variance: 0.25 };
const together = (...parts: Estimate[]): Estimate => {
  const precision = parts.reduce((sum, { variance }) => sum + 1 / variance, 0);
  return {
    value: parts.reduce((sum, { value, variance }) => sum + value / variance, 0) / precision,
    variance: 1 / precision,
  };
};

const estimate = fc.record({
  value: fc.double({ min: -2, max: 2, noNaN: true }),
  variance: fc.double({ min: 0.001, max: 4, noNaN: true }),
});

describe('a county is drawn', () => {
  test('to what is known without sales when it is alone, once', () => {
    fc.assert(
      fc.property(estimate, own => {
        const { counties, states, nation } = shrink(new Map([[33_019, own]]), KNOWN);
        const expected = together(own, KNOWN);
        for (const believed of [counties.get(33_019)!, states.get(33)!, nation]) {
          expect(believed.value).toBeCloseTo(expected.value, 9);
          expect(believed.variance).toBeCloseTo(expected.variance, 9);
        }
      }),
    );
  });

  test('together with counties that do not differ from it, each of which counts once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 4, noNaN: true }), { minLength: 2, maxLength: 8 }),
        variances => {
          // Of one value: nothing tells that counties or states differ.
          const all = variances.map(variance => ({ value: 0.3, variance }));
          const { counties } = shrink(new Map(all.map((own, i) => [(30 + (i % 3)) * 1000 + i, own])), KNOWN);
          const expected = together(...all, KNOWN);
          for (const believed of counties.values()) {
            expect(believed.value).toBeCloseTo(expected.value, 6);
            expect(believed.variance).toBeCloseTo(expected.variance, 6);
          }
        },
      ),
    );
  });

  test('the less, the more its own sales say, and not at all where the others differ widely', () => {
    const others: [number, Estimate][] = [-2, -1, 1, 2].map((value, i) => [
      33_001 + i,
      { value, variance: 0.001 },
    ]);
    const believed = (variance: number) =>
      shrink(new Map([...others, [33_099, { value: 0.7, variance }]]), KNOWN).counties.get(33_099)!.value;
    expect(believed(0.001)).toBeCloseTo(0.7, 2);
    expect(Math.abs(believed(1) - 0.7)).toBeGreaterThan(Math.abs(believed(0.1) - 0.7));
  });
});

test('an estimate that says nothing is what the others say, and counts for nothing', () => {
  const some: [number, Estimate][] = [
    [33_001, { value: 0.2, variance: 0.02 }],
    [33_003, { value: 0.4, variance: 0.03 }],
  ];
  const silent: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };
  const without = shrink(new Map(some), KNOWN);
  const beside = shrink(new Map([...some, [33_005, silent], [50_001, silent]]), KNOWN);
  expect(beside.counties.get(33_001)).toEqual(without.counties.get(33_001));
  expect(beside.counties.get(33_005)!.value).toBeCloseTo(without.states.get(33)!.value, 9);
  expect(beside.counties.get(50_001)!.value).toBeCloseTo(without.nation.value, 9);
  expect(shrink(new Map([[50_001, silent]]), KNOWN).counties.get(50_001)).toEqual(KNOWN);
  expect(shrink(new Map(), KNOWN).nation).toEqual(KNOWN);
});
