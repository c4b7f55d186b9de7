import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import {
  dailyInterest,
  freshnessOf,
  gradeScore,
  gradeWeights,
  LETTER_GRADES,
  listingGrade,
  type Peers,
  perAcre,
  priceAdvantage,
  priceAtAdvantage,
  tractionScore,
} from '../../shared/kernels/deal-grade.ts';
import { runs as share } from '../support/runs.ts';

const cents = fc.bigInt({ min: 1n, max: 999_999_999_999n });
const acres = fc.double({ min: 0.01, max: 10_000, noNaN: true });
const figures = fc.array(fc.double({ min: 0.01, max: 100_000, noNaN: true }), { maxLength: 40 });

/** Figures of others, among which the own one may be. */
const others: fc.Arbitrary<Peers & { without: number[] }> = fc
  .tuple(figures, fc.option(fc.double({ min: 0.01, max: 100_000, noNaN: true })))
  .map(([without, own]) => ({
    own,
    without,
    ascending: Float64Array.from(own === null ? without : [...without, own]).sort(),
  }));

describe('price advantage', () => {
  test('is the share of the others that ask more per acre', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 100_000, noNaN: true }), others, (ppa, all) => {
        const { without } = all;
        const plain = Math.round((100 * without.filter(other => other > ppa).length) / without.length);
        expect(priceAdvantage(ppa, all)).toBe(without.length === 0 ? null : plain);
      }),
    );
  });

  test('never falls when the price does', () => {
    fc.assert(
      fc.property(cents, cents, acres, others, (a, b, size, all) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const at = (price: bigint) => priceAdvantage(perAcre(price, size), all) ?? 0;
        expect(at(low)).toBeGreaterThanOrEqual(at(high));
      }),
    );
  });

  test('is reached at the price that promises it, and not at a cent more', () => {
    fc.assert(
      fc.property(acres, others, fc.integer({ min: 1, max: 100 }), (size, all, wanted) => {
        const price = priceAtAdvantage(size, all, wanted);
        if (price === null) return;
        expect(priceAdvantage(perAcre(price, size), all)).toBeGreaterThanOrEqual(wanted);
        expect(priceAdvantage(perAcre(price + 1n, size), all)).toBeLessThan(wanted);
      }),
      { numRuns: share(500) },
    );
  });
});

describe('traction', () => {
  const interest = fc.double({ min: 0, max: 200, noNaN: true });

  test('is the share of the others with less interest, ties half; without ten of them a curve of its own', () => {
    fc.assert(
      fc.property(interest, others, (own, all) => {
        const { without } = all;
        const lower = without.filter(other => other < own).length;
        const ties = without.filter(other => other === own).length;
        const plain =
          own === 0
            ? 0
            : without.length < 10
              ? Math.round(100 * (1 - Math.exp(-own / 20)))
              : Math.round((100 * (lower + ties / 2)) / without.length);
        expect(tractionScore(own, all)).toBe(plain);
      }),
      { numRuns: share(500) },
    );
  });

  test('never falls with another view or save', () => {
    const times = fc.nat(10_000);
    fc.assert(
      fc.property(times, times, fc.nat(900), others, (views, saves, days, all) => {
        const at = (v: number, s: number) => tractionScore(dailyInterest(v, s, days), all);
        expect(at(views + 1, saves)).toBeGreaterThanOrEqual(at(views, saves));
        expect(at(views, saves + 1)).toBeGreaterThanOrEqual(at(views, saves));
      }),
    );
  });
});

describe('grade', () => {
  const part = fc.option(fc.double({ min: 0, max: 100, noNaN: true }));
  const parts = fc.record({ priceAdvantage: part, traction: part, freshness: part });

  test('never gets worse when a part gets better', () => {
    const rank = (score: number | null) => LETTER_GRADES.indexOf(listingGrade(score) as never);
    fc.assert(
      fc.property(parts, fc.constantFrom('priceAdvantage', 'traction', 'freshness'), (given, name) => {
        const value = given[name as keyof typeof given];
        if (value === null) return;
        const better = gradeScore({ ...given, [name]: Math.min(100, value + 7) });
        expect(rank(better)).toBeLessThanOrEqual(rank(gradeScore(given)));
      }),
    );
  });

  test('lies between the parts that are known, and equal parts are the score', () => {
    fc.assert(
      fc.property(parts, given => {
        const known = Object.values(given).filter(value => value !== null);
        const score = gradeScore(given);
        if (known.length === 0) expect(score).toBeNull();
        else {
          expect(score).toBeGreaterThanOrEqual(Math.min(...known) - 1e-9);
          expect(score).toBeLessThanOrEqual(Math.max(...known) + 1e-9);
        }
      }),
    );
  });

  test('the weights of the known parts add up to 100, and lead to the score', () => {
    fc.assert(
      fc.property(parts, given => {
        const score = gradeScore(given);
        const weights = Object.entries(gradeWeights(given));
        expect(weights.map(([name]) => name).toSorted()).toEqual(
          Object.entries(given)
            .flatMap(([name, value]) => (value === null ? [] : name))
            .toSorted(),
        );
        if (score === null) return;
        expect(weights.reduce((sum, [, weight]) => sum + weight, 0)).toBeCloseTo(100);
        const mean = weights.reduce(
          (sum, [name, weight]) => sum + weight * given[name as keyof typeof given]!,
          0,
        );
        expect(mean / 100).toBeCloseTo(score);
      }),
    );
  });

  test.each([
    [100, 'A+'],
    [93, 'A+'],
    [92.99, 'A'],
    [85, 'A'],
    [78, 'A-'],
    [71, 'B+'],
    [64, 'B'],
    [57, 'B-'],
    [50, 'C+'],
    [43, 'C'],
    [36, 'C-'],
    [20, 'D'],
    [19.99, 'F'],
    [0, 'F'],
  ])('%d is %s', (score, letter) => {
    expect(listingGrade(score)).toBe(letter);
  });

  test('weights: 0.45 price, 0.35 traction, 0.20 days; what is missing goes to the others', () => {
    expect(gradeScore({ priceAdvantage: 100, traction: 0, freshness: 0 })).toBeCloseTo(45);
    expect(gradeScore({ priceAdvantage: 0, traction: 100, freshness: 0 })).toBeCloseTo(35);
    expect(gradeScore({ priceAdvantage: null, traction: 0, freshness: 100 })).toBeCloseTo((100 * 20) / 55);
    expect(freshnessOf(180, 180)).toBeCloseTo(36.79, 2);
    expect(freshnessOf(null, 180)).toBeNull();
  });
});

test('amounts are decimal from end to end', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n }), amount => {
      expect(toCents(fromCents(amount))).toBe(amount);
    }),
  );
  expect([toCents('18400'), toCents('0.5'), fromCents(5n), fromCents(-1_840_050n)]).toEqual([
    1_840_000n,
    50n,
    '0.05',
    '-18400.50',
  ]);
  expect(() => toCents('1e5')).toThrow(RangeError);
});
