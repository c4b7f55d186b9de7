import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLOPE_GRADES } from '../../shared/domain/land.ts';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import {
  LAND_TERMS,
  landAt,
  landOf,
  MOST_LAND_FACTOR,
  STEEP_GRADE,
} from '../../shared/kernels/valuation/land.ts';
import { fitModel, restoreModel } from '../../shared/kernels/valuation/model.ts';
import { newChosen } from '../../shared/kernels/valuation/select.ts';
import type { Comps } from '../../shared/kernels/valuation/types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { landEffect, NO_LAND, onLand, randomLand, TRUE_LAND } from '../support/generated-land.ts';
import {
  emptyComps,
  generateSales,
  joined,
  MARKET,
  randomPlace,
  trueLogPrice,
} from '../support/generated-sales.ts';

const { county, asOfDay } = MARKET;
const plain = generateSales(MARKET, 4_000, 1);
const sales = onLand(plain, TRUE_LAND, 2);
const fitted = fitModel(sales, asOfDay);

const unknown = () => new Float64Array(LAND_TERMS).fill(Number.NaN);

function joinedOnLand(...parts: Comps[]): Comps {
  const land = parts.flatMap(part => [...part.land!]);
  return { ...joined(...parts), land: Float64Array.from(land) };
}

describe('what land does to prices', () => {
  test('is found to 10 % of what it is, and does not take from size and time', () => {
    const { elasticity, trend, land } = fitted.model.effectsOf(county);
    for (const [k, effect] of TRUE_LAND.entries())
      expect(Math.abs(land!.effects[k]! / effect - 1)).toBeLessThan(0.1);
    expect(Math.abs(elasticity / MARKET.elasticity - 1)).toBeLessThan(0.1);
    expect(Math.abs(trend / MARKET.trend - 1)).toBeLessThan(0.1);
  });

  test('is found as well where the figures of a third of the sales are unknown', () => {
    const { land } = fitModel(onLand(plain, TRUE_LAND, 2, 0.33), asOfDay).model.effectsOf(county);
    for (const [k, effect] of TRUE_LAND.entries())
      expect(Math.abs(land!.effects[k]! / effect - 1)).toBeLessThan(0.15);
  });

  test('is found where it is alone: the others stay without effect', () => {
    const { land } = fitModel(onLand(plain, [0, 0, -0.5, 0], 3), asOfDay).model.effectsOf(county);
    expect(land!.effects[2]).toBeCloseTo(-0.5, 1);
    expect([0, 1, 3].map(k => land!.effects[k])).toEqual([0, 0, 0]);
  });

  test('is left alone where there is nothing: at most 1 of 100 effects is seen that is none', () => {
    let seen = 0;
    const counties = 60;
    for (let i = 0; i < counties; i++) {
      const noisy = generateSales({ ...MARKET, noise: i % 2 === 0 ? 0.25 : 0.8 }, 250, 100 + i);
      const { land } = fitModel(onLand(noisy, NO_LAND, 200 + i), asOfDay).model.effectsOf(county);
      seen += land?.effects.filter(effect => effect !== 0).length ?? 0;
    }
    // 2.4 are expected at most; 6 or more would come by chance once in 20 times.
    expect(seen).toBeLessThan(6);
  });

  test('of one county is not that of the next, which has none', () => {
    const beside = onLand(generateSales({ ...MARKET, county: 19_155, west: -93 }, 2_000, 4), NO_LAND, 5);
    const { effectsOf } = fitModel(joinedOnLand(sales, beside), asOfDay).model;
    for (const [k, effect] of TRUE_LAND.entries())
      expect(Math.abs(effectsOf(county).land!.effects[k]! / effect - 1)).toBeLessThan(0.12);
    expect(effectsOf(19_155).land).toBeNull();
  });

  test('in all counties of a state is believed in one of few sales too, but not where they differ', () => {
    const state = (flood: readonly number[]) =>
      flood.map((effect, i) =>
        onLand(
          generateSales({ ...MARKET, county: 19_001 + 2 * i, west: -100 + i }, 500, 20 + i),
          [0, 0, effect, 0],
          30 + i,
        ),
      );
    const few = onLand(generateSales({ ...MARKET, county: 19_099, west: -93 }, 15, 40), [0, 0, -0.8, 0], 41);
    const alike = fitModel(joinedOnLand(...state([-0.8, -0.8, -0.8, -0.8]), few), asOfDay).model;
    expect(alike.effectsOf(19_099).land!.effects[2]).toBeCloseTo(-0.8, 0);
    expect(alike.effectsOf(19_077).land!.effects[2]).toBeCloseTo(-0.8, 0);
    const unlike = fitModel(joinedOnLand(...state([-1.2, 0.6, -0.8, 0]), few), asOfDay).model;
    expect(unlike.effectsOf(19_099).land).toBeNull();
    expect(unlike.effectsOf(19_001).land!.effects[2]).toBeCloseTo(-1.2, 0);
    // Alone, so few sales say nothing.
    expect(fitModel(few, asOfDay).model.effectsOf(19_099).land).toBeNull();
  });

  test('is asked of no sale that is not known on the day', () => {
    const until = asOfDay - 700;
    const changed: Comps = {
      ...sales,
      land: sales.land!.map((term, i) =>
        sales.soldDay[Math.floor(i / LAND_TERMS)]! > until ? 1 - term : term,
      ),
    };
    expect(fitModel(changed, until).parameters).toEqual(fitModel(sales, until).parameters);
  });
});

describe('estimates', () => {
  test('are nearer to the truth with the land than without', () => {
    const some = onLand(generateSales(MARKET, 700, 31), TRUE_LAND, 32);
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
      bias += Math.abs(Math.log(value({ ...place, county, land })!.meanAdjustedPrice) - truth) / 500;
    }
    expect(bias).toBeLessThan(0.15);
  });

  const term = fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 3, noNaN: true }));
  const anyLand = fc.tuple(term, term, term, term).map(terms => Float64Array.from(terms));
  const partly = onLand(plain, TRUE_LAND, 2, 0.5);
  const partlyFitted = fitModel(partly, asOfDay);

  test('add to each comp what is known of both, within the bound; a comp of unknown land is left as it is', () => {
    const chosen = newChosen();
    const value = createValuer(partlyFitted.model, chosen);
    const { effects } = partlyFitted.model.effectsOf(county).land!;
    const random = createRandom(9);
    let [moved, left] = [0, 0];
    fc.assert(
      fc.property(anyLand, land => {
        value({ ...randomPlace(MARKET, random), county, land });
        for (let i = 0; i < chosen.count; i++) {
          const own = landAt(partly.land, chosen.source[i]!)!;
          const known = [0, 1, 2, 3].filter(k => !Number.isNaN(own[k]! + land[k]!));
          const sum = known.reduce((total, k) => total + effects[k]! * (land[k]! - own[k]!), 0);
          const most = Math.log(MOST_LAND_FACTOR);
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

  test('of a parcel of unknown land are those of a model that knows no land of it', () => {
    const value = createValuer(fitted.model);
    const random = createRandom(10);
    for (let i = 0; i < 100; i++) {
      const place = { ...randomPlace(MARKET, random), county };
      expect(value({ ...place, land: unknown() })).toEqual(value(place));
    }
  });

  test('are never moved by more than the bound, however large the effect', () => {
    const steep = onLand(plain, [-4, 0, 0, 0], 2);
    const chosen = newChosen();
    const { model } = fitModel(steep, asOfDay);
    expect(model.effectsOf(county).land!.effects[0]).toBeLessThan(-3);
    createValuer(
      model,
      chosen,
    )({ ...randomPlace(MARKET, createRandom(1)), county, land: Float64Array.of(1, 0, 0, 0) });
    const moves = [...chosen.land.subarray(0, chosen.count)];
    expect(Math.min(...moves)).toBeCloseTo(-Math.log(MOST_LAND_FACTOR), 12);
  });

  test('of a part of the comps are those of all of them, with the model as it was stored', () => {
    const [west, south, size] = [MARKET.west + 0.1, MARKET.south + 0.1, 0.3];
    const kept = Array.from({ length: partly.count }, (_, i) => i).filter(
      i =>
        Math.abs(partly.lon[i]! - west - size / 2) < size / 2 &&
        Math.abs(partly.lat[i]! - south - size / 2) < size / 2,
    );
    const part: Comps = { ...emptyComps(kept.length), land: landOf(partly.land, kept) };
    for (const name of ['lon', 'lat', 'acres', 'price', 'soldDay', 'county'] as const)
      for (const [at, i] of kept.entries()) part[name][at] = partly[name][i]!;
    const outliers = new Set(kept.flatMap((i, at) => (partlyFitted.outliers.has(i) ? [at] : [])));
    const parameters = JSON.parse(JSON.stringify(partlyFitted.parameters));
    const restored = createValuer(restoreModel(parameters, part, outliers));
    const value = createValuer(partlyFitted.model);
    const random = createRandom(12);
    for (let i = 0; i < 100; i++) {
      const acres = Math.exp(2 * random());
      const place = {
        lon: west + size / 2 + random() * 0.01,
        lat: south + size / 2 + random() * 0.01,
        acres,
      };
      const subject = { ...place, county, land: randomLand(random, acres) };
      expect(restored(subject)).toEqual(value(subject));
    }
  });
});

test('a sale that is cheap for its land is no outlier', () => {
  const wet = onLand(plain, [0, 0, 0, -2.2], 2);
  const { outliers } = fitModel(wet, asOfDay);
  const own = Array.from({ length: wet.count }, (_, i) => i).filter(i => landAt(wet.land, i)![3]! > 0.8);
  expect(own.filter(i => outliers.has(i)).length / own.length).toBeLessThan(0.03);
});

test('steep is what the sixth of the slope shares counts', () => {
  expect(SLOPE_GRADES[5]).toBe(STEEP_GRADE);
});
