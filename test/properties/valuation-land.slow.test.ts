import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import {
  LAND_TERMS,
  landAt,
  MAX_LAND_FACTOR,
  STEEP_GRADE,
} from '../../shared/kernels/valuation/land-effects.ts';
import { newChosenComps } from '../../shared/kernels/valuation/select.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { SLOPE_GRADES } from '../../shared/model/land-layers.ts';
import { createRandom } from '../bench/generate/random.ts';
import { landEffect, NO_LAND, onLand, randomLand, TRUE_LAND } from '../support/generated-land.ts';
import {
  fitTo,
  generateSales,
  MARKET,
  onFewDays,
  randomPlace,
  trendOf,
  trueLogPrice,
} from '../support/sales.ts';

const { asOfDay } = MARKET;
const plain = generateSales(MARKET, 4_000, 1);
const sales = onLand(plain, TRUE_LAND, 2);
const fitted = fitTo(sales, asOfDay);

const unknown = () => new Float64Array(LAND_TERMS).fill(Number.NaN);

describe('the effect of land on prices', () => {
  test('is found within 10 %, without changing those of size and time', () => {
    const { elasticity, time, land } = fitted.model.effects;
    for (const [k, effect] of TRUE_LAND.entries())
      expect(Math.abs(land!.effects[k]! / effect - 1)).toBeLessThan(0.1);
    expect(Math.abs(elasticity / MARKET.elasticity - 1)).toBeLessThan(0.1);
    expect(Math.abs(trendOf(time) / MARKET.trend - 1)).toBeLessThan(0.1);
  });

  test('is also found if the figures of a third of the sales are unknown', () => {
    const { land } = fitTo(onLand(plain, TRUE_LAND, 2, 0.33), asOfDay).model.effects;
    for (const [k, effect] of TRUE_LAND.entries())
      expect(Math.abs(land!.effects[k]! / effect - 1)).toBeLessThan(0.15);
  });

  test('is found alone, and the others stay without effect', () => {
    const { land } = fitTo(onLand(plain, [0, 0, -0.5, 0], 3), asOfDay).model.effects;
    expect(land!.effects[2]).toBeCloseTo(-0.5, 1);
    expect([0, 1, 3].map(k => land!.effects[k])).toEqual([0, 0, 0]);
  });

  test('is not found where there is none: at most 1 of 100 effects is false', () => {
    let seen = 0;
    const counties = 30;
    for (let i = 0; i < counties; i++) {
      const noisy = generateSales({ ...MARKET, noise: i % 2 === 0 ? 0.25 : 0.8 }, 250, 100 + i);
      const { land } = fitTo(onLand(noisy, NO_LAND, 200 + i), asOfDay).model.effects;
      seen += land?.effects.filter(effect => effect !== 0).length ?? 0;
    }
    // 1.2 are expected at most; 4 or more would come by chance once in 30 times.
    expect(seen).toBeLessThan(4);
  });

  test('is borrowed for a county with few sales if all other counties agree on it', () => {
    const few = onLand(generateSales({ ...MARKET, county: 19_099 }, 15, 40), [0, 0, -0.8, 0], 41);
    const beside = (flood: readonly number[]) => {
      const others = flood.map((effect, i) => {
        const comps = onLand(generateSales(MARKET, 500, 20 + i), [0, 0, effect, 0], 30 + i);
        return [19_001 + 2 * i, fitTo(comps, asOfDay).estimates] as const;
      });
      return fitTo(few, asOfDay, 19_099, new Map(others)).model.effects.land;
    };
    expect(beside([-0.8, -0.8, -0.8, -0.8, -0.8, -0.8])!.effects[2]).toBeCloseTo(-0.8, 0);
    expect(beside([-1.2, 0.6, -0.8, 0])).toBeNull();
    // Alone, so few sales say nothing.
    expect(beside([])).toBeNull();
  });

  test('uses only sales known on the date', () => {
    const until = asOfDay - 700;
    const changed: Comps = {
      ...sales,
      land: sales.land!.map((term, i) =>
        sales.soldDay[Math.floor(i / LAND_TERMS)]! > until ? 1 - term : term,
      ),
    };
    expect(fitTo(changed, until).estimates).toEqual(fitTo(sales, until).estimates);
  });
});

describe('estimates', () => {
  test('are nearer to the truth with the land than without', () => {
    const some = onLand(onFewDays(generateSales(MARKET, 700, 31), 60), TRUE_LAND, 32);
    const options = { fromDay: asOfDay - 120, toDay: asOfDay };
    const withLand = backtest(some, options).methods.model!.mdape;
    const without = backtest({ ...some, land: undefined }, options).methods.model!.mdape;
    expect(withLand).toBeLessThan(0.85 * without);
  });

  test('follow the land of the parcel', () => {
    const value = createValuer(fitted.model);
    const random = createRandom(7);
    let bias = 0;
    for (let i = 0; i < 500; i++) {
      const place = randomPlace(MARKET, random);
      const land = randomLand(random, place.acres);
      const truth =
        trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay) + landEffect(TRUE_LAND, land);
      bias += Math.abs(Math.log(value({ ...place, land })!.meanAdjustedPrice) - truth) / 500;
    }
    expect(bias).toBeLessThan(0.15);
  });

  const term = fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 3, noNaN: true }));
  const anyLand = fc.tuple(term, term, term, term).map(terms => Float64Array.from(terms));
  const partly = onLand(plain, TRUE_LAND, 2, 0.5);
  const partlyFitted = fitTo(partly, asOfDay);

  test('add to each comp what is known of both, within the bound; a comp of unknown land is left as it is', () => {
    const chosen = newChosenComps();
    const value = createValuer(partlyFitted.model, chosen);
    const { effects } = partlyFitted.model.effects.land!;
    const random = createRandom(9);
    let [moved, left] = [0, 0];
    fc.assert(
      fc.property(anyLand, land => {
        value({ ...randomPlace(MARKET, random), land });
        for (let i = 0; i < chosen.count; i++) {
          const own = landAt(partly.land, chosen.source[i]!)!;
          const known = [0, 1, 2, 3].filter(k => !Number.isNaN(own[k]! + land[k]!));
          const sum = known.reduce((total, k) => total + effects[k]! * (land[k]! - own[k]!), 0);
          const most = Math.log(MAX_LAND_FACTOR);
          if (known.length === 0) expect(chosen.land[i]).toBeNaN();
          else expect(chosen.land[i]).toBeCloseTo(Math.max(-most, Math.min(most, sum)), 12);
          if (known.length === 0) left++;
          else moved++;
          const market = chosen.market[i]!;
          const all = [chosen.size, chosen.time, chosen.location, chosen.asking].map(column => column[i]!);
          const without = market.logPpa[chosen.entry[i]!]! + all.reduce((total, one) => total + one, 0);
          expect(chosen.adjusted[i]).toBeCloseTo(without + (known.length === 0 ? 0 : chosen.land[i]!), 12);
        }
      }),
      { numRuns: 200 },
    );
    expect(Math.min(moved, left)).toBeGreaterThan(50);
  });

  test('for a parcel of unknown land are the same as without land', () => {
    const value = createValuer(fitted.model);
    const random = createRandom(10);
    for (let i = 0; i < 100; i++) {
      const place = { ...randomPlace(MARKET, random) };
      expect(value({ ...place, land: unknown() })).toEqual(value(place));
    }
  });

  test('are never moved by more than the bound, however large the effect', () => {
    const steep = onLand(plain, [-4, 0, 0, 0], 2);
    const chosen = newChosenComps();
    const { model } = fitTo(steep, asOfDay);
    expect(model.effects.land!.effects[0]).toBeLessThan(-3);
    createValuer(
      model,
      chosen,
    )({ ...randomPlace(MARKET, createRandom(1)), land: Float64Array.of(1, 0, 0, 0) });
    const moves = [...chosen.land.subarray(0, chosen.count)];
    expect(Math.min(...moves)).toBeCloseTo(-Math.log(MAX_LAND_FACTOR), 12);
  });
});

test('a sale that is cheap for its land is no outlier', () => {
  const wet = onLand(plain, [0, 0, 0, -2.2], 2);
  const { outliers } = fitTo(wet, asOfDay);
  const own = Array.from({ length: wet.count }, (_, i) => i).filter(i => landAt(wet.land, i)![3]! > 0.8);
  expect(own.filter(i => outliers.has(i)).length / own.length).toBeLessThan(0.03);
});

test('steep is what the sixth of the slope shares counts', () => {
  expect(SLOPE_GRADES[5]).toBe(STEEP_GRADE);
});
