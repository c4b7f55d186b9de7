import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import { createNearest } from '../../shared/kernels/valuation/nearest.ts';
import { newChosenComps } from '../../shared/kernels/valuation/select.ts';
import { ACTIVE, type Comps, SOLD } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { runs } from '../support/runs.ts';
import {
  emptyComps,
  fitTo,
  generateSales,
  joined,
  levelAt,
  MARKET,
  normal,
  onFewDays,
  randomPlace,
  trendOf,
  trueLogPrice,
} from '../support/sales.ts';

/** The chord of the haversine: R. W. Sinnott, Virtues of the Haversine, 1984; 2R sin(angle / 2). */
function distanceM(lonA: number, latA: number, lonB: number, latB: number): number {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
  return 2 * 6_371_008.8 * Math.sqrt(half(latB - latA) + cos(latA) * cos(latB) * half(lonB - lonA));
}

const sales = generateSales(MARKET, 4_000, 1);
const fitted = fitTo(sales, MARKET.asOfDay);
const { county, asOfDay } = MARKET;

describe('the comps that are the fewest steps away', () => {
  const point = fc.record({
    lon: fc.double({ min: -94, max: -93, noNaN: true }),
    lat: fc.double({ min: 41, max: 42, noNaN: true }),
    logAcres: fc.double({ min: -2, max: 5, noNaN: true }),
    day: fc.integer({ min: 0, max: 300 }),
  });
  const steps = fc.record({
    meters: fc.double({ min: 100, max: 50_000, noNaN: true }),
    logAcres: fc.double({ min: 0.1, max: 3, noNaN: true }),
    days: fc.double({ min: 10, max: 4_000, noNaN: true }),
  });

  test('are those of a plain look at all of them; later ones are not known', () => {
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 120 }),
        point,
        steps,
        fc.integer({ min: 1, max: 15 }),
        fc.integer({ min: -1, max: 20 }),
        (points, place, unit, most, exclude) => {
          const nearest = createNearest(
            {
              count: points.length,
              lon: Float64Array.from(points, ({ lon }) => lon),
              lat: Float64Array.from(points, ({ lat }) => lat),
              logAcres: Float64Array.from(points, ({ logAcres }) => logAcres),
              day: Int32Array.from(points, ({ day }) => day),
            },
            15,
          );
          // What was asked before does not matter.
          for (const before of points.slice(0, 5)) nearest.find(before, unit, most, 8);
          const found = nearest.find(place, unit, most, 8, exclude);
          const plain = points
            .map(({ lon, lat, logAcres, day }, index) => ({
              index,
              known: day <= place.day && index !== exclude,
              steps:
                distanceM(lon, lat, place.lon, place.lat) / unit.meters +
                Math.abs(logAcres - place.logAcres) / unit.logAcres +
                (place.day - day) / unit.days,
            }))
            .filter(({ known, steps }) => known && steps <= 8)
            .sort((a, b) => a.steps - b.steps || a.index - b.index)
            .slice(0, most);
          expect(found).toBe(plain.length);
          for (const [i, expected] of plain.entries())
            expect(nearest.steps[i]).toBeCloseTo(expected.steps, 6);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe('on sales with known effects', () => {
  test('elasticity and trend are found within 10 %', () => {
    const { elasticity, time } = fitted.model.effects;
    expect(Math.abs(elasticity / MARKET.elasticity - 1)).toBeLessThan(0.1);
    expect(Math.abs(trendOf(time) / MARKET.trend - 1)).toBeLessThan(0.1);
  });

  test('a fifth of the sales in family deals at a tenth of the price does not move them', () => {
    const random = createRandom(5);
    const gifts: Comps = { ...sales, price: sales.price.map(price => (random() < 0.2 ? price / 10 : price)) };
    const { elasticity, time } = fitTo(gifts, asOfDay).model.effects;
    expect(Math.abs(elasticity / MARKET.elasticity - 1)).toBeLessThan(0.1);
    expect(Math.abs(trendOf(time) / MARKET.trend - 1)).toBeLessThan(0.15);
  });

  test('the price level of places is found within 10 %', () => {
    const random = createRandom(2);
    const places = Array.from({ length: 500 }, () => randomPlace(MARKET, random));
    const found = places.map(({ lon, lat }) => fitted.model.surface.levelAt(lon, lat, county, asOfDay));
    const truth = places.map(({ lon, lat }) => Math.log(8_000) + levelAt(MARKET, lon, lat));
    const rms = Math.sqrt(found.reduce((sum, one, i) => sum + (one - truth[i]!) ** 2, 0) / found.length);
    expect(rms).toBeLessThan(0.1);
  });

  test('estimates are right on average, and 80 % intervals hold 77 to 83 % of the prices', () => {
    const random = createRandom(3);
    const value = createValuer(fitted.model);
    let inside = 0;
    let bias = 0;
    const count = 3_000;
    for (let i = 0; i < count; i++) {
      const place = randomPlace(MARKET, random);
      const log = trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay);
      const price = Math.exp(log + MARKET.noise * normal(random));
      const valuation = value(place)!;
      if (valuation.low <= price && price <= valuation.high) inside++;
      bias += Math.log(valuation.meanAdjustedPrice) - log;
    }
    expect(inside / count).toBeGreaterThan(0.77);
    expect(inside / count).toBeLessThan(0.83);
    expect(Math.abs(bias / count)).toBeLessThan(0.04);
  });

  test('confidence orders the errors, and says how many estimates are within 25 %', () => {
    // The west of the county is quiet, its east wild.
    const random = createRandom(8);
    const wild = (lon: number) => (lon < MARKET.west + 0.25 ? 0.1 : 0.6);
    const noisy = generateSales({ ...MARKET, noise: 0 }, 4_000, 7);
    for (let i = 0; i < noisy.count; i++)
      noisy.price[i] = noisy.price[i]! * Math.exp(wild(noisy.lon[i]!) * normal(random));
    const value = createValuer(fitTo(noisy, asOfDay).model);
    const results = Array.from({ length: 3_000 }, () => {
      const place = randomPlace(MARKET, random);
      const log = trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay);
      const price = Math.exp(log + wild(place.lon) * normal(random));
      const { confidence, meanAdjustedPrice, outOfSupport } = value(place)!;
      return { confidence, outOfSupport, within: Math.abs(meanAdjustedPrice - price) <= 0.25 * price };
    }).filter(({ outOfSupport }) => !outOfSupport);
    results.sort((a, b) => a.confidence - b.confidence);
    const thirds = [0, 1, 2].map(third =>
      results.slice((third * results.length) / 3, ((third + 1) * results.length) / 3),
    );
    const share = (part: typeof results) => (100 * part.filter(({ within }) => within).length) / part.length;
    const said = (part: typeof results) =>
      part.reduce((sum, { confidence }) => sum + confidence, 0) / part.length;
    expect(share(thirds[0]!)).toBeLessThan(share(thirds[1]!));
    expect(share(thirds[1]!)).toBeLessThan(share(thirds[2]!));
    for (const part of thirds) expect(Math.abs(share(part) - said(part))).toBeLessThan(12);
  });

  test('the markup of asking prices over sale prices is removed', () => {
    const listed = generateSales({ ...MARKET, noise: 0.1 }, 300, 9);
    for (let i = 0; i < listed.count; i++) {
      const log = trueLogPrice(MARKET, listed.lon[i]!, listed.lat[i]!, listed.acres[i]!, asOfDay);
      listed.price[i] = 1.2 * Math.exp(log);
      listed.status[i] = ACTIVE;
    }
    const ratio = Math.exp(fitTo(joined(sales, listed), asOfDay).model.discount.log);
    expect(ratio).toBeGreaterThan(0.9 / 1.2);
    expect(ratio).toBeLessThan(1.1 / 1.2);
  });
});

describe('effects of counties with few sales', () => {
  const others = new Map(
    [0, 1, 2, 3, 4, 5].map(i => {
      const market = { ...MARKET, county: 19_001 + 2 * i, elasticity: -0.6 + 0.02 * (i - 2.5) };
      return [market.county, fitTo(generateSales(market, 400, 20 + i), asOfDay, market.county).estimates];
    }),
  );
  const elasticity = (comps: Comps) => fitTo(comps, asOfDay, county, others).model.effects.elasticity;

  test('are pulled toward the estimates of other counties', () => {
    for (const seed of [1, 2, 3])
      expect(Math.abs(elasticity(generateSales({ ...MARKET, noise: 1.5 }, 10, seed)) + 0.6)).toBeLessThan(
        0.1,
      );
    expect(elasticity(emptyComps(0))).toBeCloseTo(-0.6, 1);
  });

  test('many sales outweigh the estimates of other counties', () => {
    expect(elasticity(generateSales({ ...MARKET, elasticity: 0.1 }, 1_500, 23))).toBeCloseTo(0.1, 1);
  });
});

describe('nothing is known before its day', () => {
  test('a later sale moves no valuation, however it is priced', () => {
    const earlier = createValuer(fitted.model);
    const planted = emptyComps(50);
    planted.lon.fill(MARKET.west + 0.2);
    planted.lat.fill(MARKET.south + 0.2);
    planted.acres.fill(5);
    planted.price.fill(25_000);
    planted.county.fill(county);
    planted.soldDay.fill(asOfDay + 1);
    const later = createValuer(fitTo(joined(sales, planted), asOfDay).model);
    const random = createRandom(11);
    for (let i = 0; i < 100; i++) {
      const subject = { ...randomPlace(MARKET, random) };
      expect(later(subject)).toEqual(earlier(subject));
    }
    planted.soldDay.fill(asOfDay);
    const known = createValuer(fitTo(joined(sales, planted), asOfDay).model);
    const beside = { lon: MARKET.west + 0.2, lat: MARKET.south + 0.2, acres: 5 };
    expect(known(beside)!.meanPrice).toBeCloseTo(25_000, 6);
    expect(earlier(beside)!.meanPrice).not.toBeCloseTo(25_000, 0);
  });

  test("a subject's own sale is left out when asked", () => {
    const chosen = newChosenComps();
    const value = createValuer(fitted.model, chosen);
    const own = 17;
    const subject = { lon: sales.lon[own]!, lat: sales.lat[own]!, acres: sales.acres[own]! };
    expect(value({ ...subject, exclude: own })).not.toBeNull();
    expect([...chosen.source.subarray(0, chosen.count)]).not.toContain(own);
    value(subject);
    expect([...chosen.source.subarray(0, chosen.count)]).toContain(own);
  });
});

describe('sales that say nothing about the market', () => {
  test('are excluded by their price, whichever comps are near them', () => {
    const gift = emptyComps(1);
    gift.lon[0] = MARKET.west + 0.2;
    gift.lat[0] = MARKET.south + 0.2;
    gift.acres[0] = 10;
    gift.price[0] = 500;
    gift.county[0] = county;
    gift.soldDay[0] = asOfDay - 10;
    const { outliers } = fitTo(joined(sales, gift), asOfDay);
    expect(outliers.has(sales.count)).toBe(true);
    expect(outliers.size).toBeLessThan(sales.count * 0.01);
  });

  test('stay the same when later sales arrive', () => {
    const until = asOfDay - 1_000;
    const then = fitTo(sales, until).outliers;
    const now = fitTo(sales, asOfDay).outliers;
    // The elasticity is another, so a sale at the very edge may be judged anew; nothing else.
    const moved = [...now].filter(i => sales.soldDay[i]! <= until && !then.has(i));
    expect(moved.length).toBeLessThanOrEqual(2);
  });
});

test('a backtest uses only earlier sales, the same for all methods', () => {
  const some = onFewDays(generateSales(MARKET, 400, 31), 40);
  const options = { fromDay: asOfDay - 240, toDay: asOfDay };
  const result = backtest(some, options);
  expect(result.sales).toBe(some.soldDay.filter(day => day >= asOfDay - 240).length);
  expect(result.methods.model!.sales).toBe(result.valued);
  expect(result.methods.county_bucket!.sales).toBe(result.valued);
  expect(result.methods.model!.mdape).toBeLessThan(result.methods.county_bucket!.mdape);
  expect(result.methods.model!.mdape).toBeLessThan(result.methods.nearest_5_ppa!.mdape);
  expect(result.better.county_bucket!.percent).toBeGreaterThan(90);
  // What is sold after the period is not there for it.
  const later: Comps = {
    ...some,
    price: some.price.map((price, i) => (some.soldDay[i]! > asOfDay - 120 ? price * 50 : price)),
  };
  const first = { fromDay: asOfDay - 240, toDay: asOfDay - 120 };
  expect(backtest(later, first)).toEqual(backtest(some, first));
  expect(backtest({ ...some, status: new Uint8Array(some.count).fill(SOLD + 1) }, options)).toMatchObject({
    sales: 0,
    valued: 0,
    coverage: null,
  });
});
