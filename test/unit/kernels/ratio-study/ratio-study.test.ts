import { describe, expect, test } from 'vitest';
import {
  biasInterval,
  slopeOnEstimates,
  studyRatios,
} from '../../../../shared/kernels/ratio-study/ratio-study.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { normal } from '../../../support/sales.ts';

/** IAAO, Standard on Ratio Studies, 2013, table 1-4: appraised value and sale price of 17 parcels. */
const TABLE_1_4: [estimate: number, price: number][] = [
  [87_200, 138_720],
  [38_240, 59_700],
  [96_320, 146_400],
  [68_610, 99_000],
  [32_960, 47_400],
  [50_560, 70_500],
  [61_360, 78_000],
  [47_360, 60_000],
  [56_580, 69_000],
  [47_040, 55_500],
  [136_000, 154_500],
  [98_000, 109_500],
  [56_000, 60_000],
  [159_100, 168_000],
  [128_000, 124_500],
  [132_000, 127_500],
  [160_000, 150_000],
];

const study = (pairs: readonly (readonly [number, number])[]) =>
  studyRatios(
    pairs.map(([estimate]) => estimate),
    pairs.map(([, price]) => price),
  )!;

describe('ratio study', () => {
  test("equals the figures of the standard's sample", () => {
    const { medianRatio, cod, prd, prb } = study(TABLE_1_4);
    expect([medianRatio.toFixed(2), cod.toFixed(1), prd.toFixed(2), prb.toFixed(3)]).toEqual([
      '0.82',
      '14.5',
      '0.98',
      '0.135',
    ]);
  });

  test('regresses with a constant, and finds the bias of a sample whose ratios grow by 13.5 % per doubling', () => {
    // numpy.polyfit of the same points.
    expect(study(TABLE_1_4).prb).toBeCloseTo(0.13549, 5);
  });

  test('finds a bias that was added', () => {
    // Ratios of 1, 1.05, 1.1 … from one doubling of the price to the next.
    const pairs = Array.from(
      { length: 9 },
      (_, i) => [1000 * 2 ** i * (1 + 0.05 * (i - 4)), 1000 * 2 ** i] as const,
    );
    expect(study(pairs).prb).toBeGreaterThan(0.04);
    expect(study(pairs).prb).toBeLessThan(0.055);
    expect(study(pairs).prd).toBeLessThan(1);
  });

  test('perfect estimates have no dispersion and no bias', () => {
    const perfect = study([
      [100, 100],
      [250, 250],
      [900, 900],
    ]);
    expect(perfect).toMatchObject({ mdape: 0, within10: 100, cod: 0, prd: 1, prb: 0, medianRatio: 1 });
  });

  test('counts errors by their share of the price, with inclusive bounds', () => {
    const { mdape, within10, within20, within25 } = study([
      [110, 100],
      [80, 100],
      [75, 100],
      [200, 100],
    ]);
    expect(mdape).toBeCloseTo(22.5, 9);
    expect([within10, within20, within25]).toEqual([25, 50, 75]);
  });

  test('is empty for fewer than two sales', () => {
    expect(studyRatios([100], [90])).toBeNull();
  });
});

describe('the bias that errors alone show', () => {
  const random = createRandom(3);
  const worth = Array.from({ length: 300 }, () => 40_000 * Math.exp(0.8 * normal(random)));
  const prices = worth.map(value => value * Math.exp(0.5 * normal(random)));

  test('contains the PRB of perfect estimates of noisy prices, which is far below 0', () => {
    const { low, high } = biasInterval(worth, prices)!;
    const { prb } = studyRatios(worth, prices)!;
    expect(prb).toBeLessThan(-0.1);
    expect(prb).toBeGreaterThan(low);
    expect(prb).toBeLessThan(high);
  });

  test('is none for perfect estimates, and unknown below two sales', () => {
    expect(biasInterval(worth, worth)).toEqual({ low: 0, high: 0 });
    expect(biasInterval([100], [90])).toBeNull();
  });

  test("doesn't show in the slope of prices on estimates, while a real bias does", () => {
    const perfect = slopeOnEstimates(worth, prices)!;
    expect(perfect.low).toBeLessThan(1);
    expect(perfect.high).toBeGreaterThan(1);
    // Dear land is valued too low: twice the worth counts as 1.3 times.
    const spared = slopeOnEstimates(
      worth.map(value => value ** 0.4),
      prices,
    )!;
    expect(spared.slope).toBeCloseTo(perfect.slope / 0.4, 9);
    expect(spared.low).toBeGreaterThan(1.5);
    expect(slopeOnEstimates([5, 5, 5], [4, 5, 6])).toBeNull();
    expect(slopeOnEstimates([5, 6], [4, 5])).toBeNull();
  });
});
