import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withholdCounts } from '../../../api/v1/parcels/filter/withhold-counts.ts';
import { runs } from '../../support/runs.ts';

const counts = (...pairs: [number, number][]) => new Map(pairs);

test('counts are exact from 25 up and withheld below, never approximate', () => {
  const nothing = { count: null, at_most: 25 };
  expect(withholdCounts(counts([33019, 25]), [33019])).toEqual({
    count: 25,
    at_most: 25,
    counties: [{ fips: 33019, count: 25, at_most: 25 }],
  });
  for (const few of [counts(), counts([33019, 24])])
    expect(withholdCounts(few, [33019])).toEqual({ ...nothing, counties: [{ fips: 33019, ...nothing }] });
  expect(withholdCounts(counts([33019, 20], [23019, 20]), [33019, 23019])).toEqual({
    count: 40,
    at_most: 40,
    counties: [
      { fips: 23019, ...nothing },
      { fips: 33019, ...nothing },
    ],
  });
});

test("a county's count below 25 can't be derived by subtracting the others from the total", () => {
  const all = [33001, 33003, 33005];
  const answer = withholdCounts(counts([33001, 1000], [33003, 70], [33005, 3]), all);
  expect(answer).toEqual({
    count: 1073,
    at_most: 1073,
    counties: [
      { fips: 33001, count: 1000, at_most: 1000 },
      { fips: 33003, count: null, at_most: 73 },
      { fips: 33005, count: null, at_most: 25 },
    ],
  });
  // A county without any is as silent as one with a few.
  const [first] = withholdCounts(counts([33001, 1000]), [33001, 33003]).counties;
  expect(first).toEqual({ fips: 33001, count: null, at_most: 1000 });
  // One that was not asked for by name, and has a few, is not listed, and not told either.
  expect(withholdCounts(counts([33001, 1000], [33003, 2]), []).counties).toEqual([
    { fips: 33001, count: null, at_most: 1002 },
  ]);
});

const county = fc.integer({ min: 1001, max: 1012 });
const some = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 3_000 }));

test('no response reveals, for any set of counties, a count below 25, or a bound below it', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(county, some), { selector: ([fips]) => fips, maxLength: 8 }),
      fc.uniqueArray(county, { maxLength: 8 }),
      (pairs, asked) => {
        const given = new Map(pairs);
        const total = pairs.reduce((sum, [, count]) => sum + count, 0);
        const answer = withholdCounts(given, asked);
        expect(answer.count).toBe(total < 25 ? null : total);
        expect(answer.at_most).toBeGreaterThanOrEqual(total);
        let rest = total;
        for (const { fips, count, at_most } of answer.counties) {
          expect(at_most).toBeGreaterThanOrEqual(given.get(fips) ?? 0);
          if (count === null) continue;
          expect(count).toBe(given.get(fips));
          expect(count).toBeGreaterThanOrEqual(25);
          rest -= count;
        }
        const isWithheld = answer.counties.some(({ count }) => count === null);
        if (answer.count !== null && (isWithheld || rest > 0)) expect(rest).toBeGreaterThanOrEqual(25);
      },
    ),
    { numRuns: runs(2_000) },
  );
});
