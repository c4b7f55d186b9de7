import { expect, test } from 'vitest';
import { LAND_TERMS, writeLandTerms } from '../../../../shared/kernels/valuation/land-effects.ts';
import { subjectTogether } from '../../../../shared/kernels/valuation/subject-together.ts';
import type { Subject } from '../../../../shared/kernels/valuation/valuation-types.ts';

const UNKNOWN = Number.NaN;
const landOf = (steepPercent: number, frontageFt: number, floodPercent = 0, wetlandsPercent = 0) =>
  writeLandTerms({ steepPercent, frontageFt, floodPercent, wetlandsPercent }, new Float64Array(LAND_TERMS));
const lot = (acres: number, more: Partial<Subject> = {}): Subject => ({
  lon: -72,
  lat: 43,
  acres,
  land: landOf(0, 0),
  assessed: 0,
  shore: 0,
  ...more,
});

test('shares and the opinion are weighted by acres, and frontage is added', () => {
  const whole = subjectTogether(
    [
      lot(30, { lon: -71, land: landOf(10, 300, 20, 40), assessed: 1 }),
      lot(10, { land: landOf(50, 500, 0, 0), assessed: -1 }),
    ],
    41,
  );
  expect(whole).toMatchObject({ lon: -71, lat: 43, acres: 41, assessed: 0.5, shore: 0 });
  const expected = landOf(20, 800, 15, 30);
  for (const [term, value] of whole.land!.entries()) expect(value).toBeCloseTo(expected[term]!, 12);
});

test('a lot whose figure is unknown is left out of it', () => {
  const whole = subjectTogether(
    [
      lot(30, { land: landOf(UNKNOWN, UNKNOWN), assessed: UNKNOWN }),
      lot(10, { land: landOf(50, 500), assessed: -1 }),
    ],
    40,
  );
  expect(whole.assessed).toBe(-1);
  expect([...whole.land!.subarray(0, 2)]).toEqual([...landOf(50, 500).subarray(0, 2)]);
  const nothing = subjectTogether([lot(30, { land: landOf(UNKNOWN, UNKNOWN), assessed: UNKNOWN })], 30);
  expect([nothing.assessed, ...nothing.land!.subarray(0, 2)]).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
});

test.each([
  [[0, 1], 1],
  [[UNKNOWN, 1], 1],
  [[0, 0], 0],
  [[0, UNKNOWN], UNKNOWN],
])('shores %j are together %j', ([a, b], together) => {
  expect(subjectTogether([lot(1, { shore: a! }), lot(1, { shore: b! })], 2).shore).toBe(together);
});

test('one lot stays as it is, and without land terms there are none', () => {
  const one = lot(10, { land: landOf(12, 340, 5, 6), assessed: 0.3 });
  const whole = subjectTogether([one], 10);
  expect({ ...whole, land: undefined }).toEqual({ ...one, land: undefined });
  for (const [term, value] of whole.land!.entries()) expect(value).toBeCloseTo(one.land![term]!, 12);
  expect(subjectTogether([lot(1, { land: undefined })], 1).land).toBeUndefined();
});
