import fc from 'fast-check';
import { mean } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { fitProcess } from '../../shared/kernels/valuation/gaussian-process.ts';
import { type KrigedSales, prepareKriging } from '../../shared/kernels/valuation/kriging.ts';
import { newChosenComps } from '../../shared/kernels/valuation/select.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { runs } from '../support/runs.ts';
import { fitTo, generateSales, joined, MARKET, randomPlace, trueLogPrice } from '../support/sales.ts';

const { asOfDay, county } = MARKET;
/** The market's own line and trend. */
const LINE = {
  elasticity: -0.6,
  time: { knots: [asOfDay - 3_652.5, asOfDay], logs: Float64Array.of(-0.5, 0), covariances: [] },
};

const columnsOf = ({ count, lon, lat, acres, soldDay, price, county: fips, shore }: Comps): KrigedSales => ({
  count,
  lon,
  lat,
  logAcres: acres.map(Math.log),
  day: soldDay,
  county: fips,
  logPpa: price.map((one, i) => Math.log(one / acres[i]!)),
  shore: shore ?? new Float64Array(count).fill(Number.NaN),
});
const kriged = (sales: Comps, meters = 5_000) =>
  prepareKriging(columnsOf(sales), county, asOfDay, { meters, logAcres: 1, days: 1_000 })(LINE);

/** Solves a system by elimination with pivots. */
function solvePlainly(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, values[i]!]);
  for (let p = 0; p < rows.length; p++) {
    const best = rows.slice(p).reduce((most, row) => (Math.abs(row[p]!) > Math.abs(most[p]!) ? row : most));
    rows.splice(rows.indexOf(best), 1);
    rows.splice(p, 0, best);
    for (const row of rows) {
      if (row === best) continue;
      const factor = row[p]! / best[p]!;
      for (let k = p; k < row.length; k++) row[k]! -= factor * best[k]!;
    }
  }
  return rows.map((row, i) => row[rows.length]! / row[i]!);
}

const points = fc
  .array(fc.tuple(fc.double({ min: 0, max: 5, noNaN: true }), fc.double({ min: -2, max: 2, noNaN: true })), {
    minLength: 1,
    maxLength: 12,
  })
  .map(all => ({ at: all.map(([x]) => x), values: all.map(([, value]) => value) }));
const alike = (a: number, b: number) => 1 + Math.exp(-((a - b) ** 2) / 2);

describe('a Gaussian process', () => {
  test('predicts what solving the whole system gives, with less weight for values that are far off', () => {
    fc.assert(
      fc.property(points, fc.double({ min: 0.1, max: 1, noNaN: true }), ({ at, values }, noise) => {
        const matrix = at.map(a => at.map(b => alike(a, b)));
        let weights = at.map(() => 1);
        let expected: number[] = [];
        for (let round = 0; round < 3; round++) {
          const noisy = matrix.map((row, i) =>
            row.map((one, j) => (i === j ? one + noise / weights[i]! : one)),
          );
          expected = solvePlainly(noisy, values);
          if (round === 2) break;
          const fitted = matrix.map(row => row.reduce((sum, one, j) => sum + one * expected[j]!, 0));
          weights = values.map((value, i) => Math.max(0.05, 5 / (4 + (value - fitted[i]!) ** 2 / noise)));
        }
        const { coefficients } = fitProcess(
          Float64Array.from(matrix.flat()),
          Float64Array.from(values),
          noise,
        );
        for (const [i, one] of expected.entries()) expect(coefficients[i]).toBeCloseTo(one, 6);
      }),
      { numRuns: runs(200) },
    );
  });

  test('returns the values themselves when nothing is noise', () => {
    const at = [0, 1, 2.5, 4];
    const matrix = at.map(a => at.map(b => alike(a, b)));
    const values = [0.3, -1, 2, 0];
    const { coefficients } = fitProcess(Float64Array.from(matrix.flat()), Float64Array.from(values), 1e-10);
    for (const [i, row] of matrix.entries())
      expect(row.reduce((sum, one, j) => sum + one * coefficients[j]!, 0)).toBeCloseTo(values[i]!, 4);
  });
});

describe('the level of a neighborhood', () => {
  const sales = generateSales(MARKET, 1_500, 1);

  test('is found to 15 % on average', () => {
    const { at } = kriged(sales);
    const random = createRandom(2);
    const errors = Array.from({ length: 300 }, () => {
      const place = randomPlace(MARKET, random);
      const truth = trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay);
      return Math.abs(at(place, asOfDay, -1).logPpa + Math.log(place.acres) - truth);
    });
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.15);
  });

  test('is not changed by sales in a county far away', () => {
    const far = generateSales({ ...MARKET, county: 30_031, west: -111 }, 50, 3);
    const [alone, beside] = [kriged(sales), kriged(joined(sales, far))];
    const random = createRandom(5);
    for (let i = 0; i < 50; i++) {
      const place = randomPlace(MARKET, random);
      expect(beside.at(place, asOfDay, -1).logPpa).toBeCloseTo(alone.at(place, asOfDay, -1).logPpa, 9);
    }
  });

  test('values more acres higher at one place, in thin and thick markets', () => {
    for (const [count, noise] of [
      [12, 0.5],
      [60, 0.5],
      [600, 0.3],
    ] as const)
      for (const seed of [1, 2, 3]) {
        const { at } = kriged(generateSales({ ...MARKET, noise }, count, seed), 16_000);
        const random = createRandom(10 + seed);
        for (let i = 0; i < 20; i++) {
          const place = randomPlace(MARKET, random);
          let last = 0;
          for (let acres = 0.1; acres < 100; acres *= 1.06) {
            const value = acres * Math.exp(at({ ...place, acres }, asOfDay, -1).logPpa);
            expect(value).toBeGreaterThan(last);
            last = value;
          }
        }
      }
  });

  test('follows its own sales when it drifts away from the county', () => {
    const west = (lon: number) => lon < MARKET.west + 0.25;
    const drifting: Comps = {
      ...sales,
      // For five years, prices in the west have risen by 15% per year more than in the east.
      price: sales.price.map((one, i) =>
        west(sales.lon[i]!)
          ? one * Math.exp(0.15 * Math.max(0, 5 - (asOfDay - sales.soldDay[i]!) / 365.25))
          : one,
      ),
    };
    const { at } = kriged(drifting);
    const random = createRandom(6);
    const errors = [true, false].map(isWest => {
      const places = Array.from({ length: 300 }, () => randomPlace(MARKET, random)).filter(
        ({ lon }) => west(lon) === isWest,
      );
      return mean(
        places.map(place => {
          const truth = trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay);
          return at(place, asOfDay, -1).logPpa + Math.log(place.acres) - truth - (isWest ? 0.15 * 5 : 0);
        }),
      );
    });
    expect(errors[0]).toBeGreaterThan(-0.15);
    expect(Math.abs(errors[1]!)).toBeLessThan(0.1);
  });

  test('is unknown with two sales', () => {
    expect(
      kriged(generateSales(MARKET, 2, 1)).at(randomPlace(MARKET, createRandom(1)), asOfDay, -1).logPpa,
    ).toBeNaN();
  });

  test('is moved by a sale at the place, unless that sale is excluded', () => {
    const last = sales.soldDay.indexOf(sales.soldDay.reduce((a, b) => Math.max(a, b)));
    const place = { lon: sales.lon[last]!, lat: sales.lat[last]!, acres: sales.acres[last]! };
    const dear: Comps = { ...sales, price: sales.price.map((one, i) => (i === last ? 1.3 * one : one)) };
    const level = (comps: Comps, exclude: number) => kriged(comps).at(place, asOfDay, exclude).logPpa;
    expect(level(dear, -1)).toBeGreaterThan(level(sales, -1) + 0.01);
    expect(Math.abs(level(dear, last) - level(sales, last))).toBeLessThan(0.01);
  });
});

describe('a shore', () => {
  /** One sale in five is on a shore, which multiplies its price by four. */
  function onShores(count: number, seed: number, effect: number): Comps {
    const random = createRandom(50 + seed);
    const sales = generateSales({ ...MARKET, noise: 0.3 }, count, seed);
    const shore = sales.price.map((): number => (random() < 0.2 ? 1 : 0));
    return {
      ...sales,
      shore,
      price: sales.price.map((one, i) => one * Math.exp(effect * shore[i]!)),
    };
  }

  test('adjusts comps on other land, by a factor of six at most', () => {
    const chosen = newChosenComps();
    const value = createValuer(fitTo(onShores(300, 8, Math.log(4))).model, chosen);
    const place = randomPlace(MARKET, createRandom(3));
    const [on, off] = [1, 0].map(shore => value({ ...place, shore })!.meanAdjustedPrice);
    expect(on! / off!).toBeGreaterThan(2.5);
    expect(on! / off!).toBeLessThan(5.5);
    expect(value(place)!.meanAdjustedPrice).toBeLessThan(on!);
    const huge = createValuer(fitTo(onShores(300, 9, Math.log(20))).model, chosen);
    huge({ ...place, shore: 1 });
    const moves = [...chosen.land.subarray(0, chosen.count)];
    expect(Math.max(...moves)).toBeLessThanOrEqual(Math.log(6) + 1e-9);
    expect(new Set(moves.map(move => Math.sign(Math.round(move * 100)))).has(-1)).toBe(false);
  });

  test('has the effect that sales show, pulled toward none where they are few', () => {
    const effectOf = (count: number, effect: number, seed = 7) =>
      kriged(onShores(count, seed, effect)).at(randomPlace(MARKET, createRandom(1)), asOfDay, -1).shore;
    expect(effectOf(300, Math.log(4))).toBeGreaterThan(Math.log(3));
    expect(effectOf(300, Math.log(4))).toBeLessThan(Math.log(5));
    expect(Math.abs(effectOf(300, 0))).toBeLessThan(0.25);
    const ofFew = mean(Array.from({ length: 20 }, (_, seed) => effectOf(15, Math.log(4), seed)));
    expect(ofFew).toBeGreaterThan(0.5);
    expect(ofFew).toBeLessThan(Math.log(4));
  });
});
