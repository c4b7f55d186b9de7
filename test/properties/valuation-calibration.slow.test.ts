import { describe, expect, test } from 'vitest';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom, type Random } from '../bench/generate/random.ts';
import {
  fitTo,
  generateSales,
  MARKET,
  normal,
  onFewDays,
  randomPlace,
  trueLogPrice,
} from '../support/sales.ts';

const { asOfDay, west } = MARKET;

/** Noise of ln(price) at a place. */
type Noise = (random: Random, lon: number) => number;

const quiet: Noise = random => 0.4 * normal(random);
/** The west of the county is quiet, its east wild. */
const twofold: Noise = (random, lon) => (lon < west + 0.25 ? 0.1 : 0.6) * normal(random);
/** One price in twelve is far off, as a shore or a view makes it. */
const heavy: Noise = random => (random() < 0.08 ? 2 : 0.25) * normal(random);

function noisySales(count: number, seed: number, noise: Noise): Comps {
  const random = createRandom(1_000 + seed);
  const sales = generateSales({ ...MARKET, noise: 0 }, count, seed);
  return { ...sales, price: sales.price.map((price, i) => price * Math.exp(noise(random, sales.lon[i]!))) };
}

type Result = { confidence: number; hit: number; inside: number; low: number; truth: number; error: number };

/** What is done to the sales of a market, and by what all prices have risen since, as a logarithm. */
type Change = { sales(sales: Comps): Comps; risen: number };
const NONE: Change = { sales: sales => sales, risen: 0 };

/** Estimates of further sales by a market of so many sales, those out of support left out. */
function valueMarket(count: number, seed: number, noise: Noise, { sales, risen }: Change): Result[] {
  const value = createValuer(fitTo(sales(noisySales(count, seed, noise)), asOfDay).model);
  const random = createRandom(2_000 + seed);
  return Array.from({ length: 600 }, () => {
    const place = randomPlace(MARKET, random);
    const truth = Math.exp(risen + trueLogPrice(MARKET, place.lon, place.lat, place.acres, asOfDay));
    const price = truth * Math.exp(noise(random, place.lon));
    const { confidence, meanAdjustedPrice, low, high, outOfSupport } = value(place)!;
    const hit = Math.abs(meanAdjustedPrice - price) <= 0.25 * price ? 100 : 0;
    const inside = low <= price && price <= high ? 100 : 0;
    const error = Math.log(meanAdjustedPrice / truth);
    return { confidence, hit, inside, low, truth, error, outOfSupport };
  }).filter(({ outOfSupport }) => !outOfSupport);
}

/** Several tests look at the same markets. */
const unchanged = new Map<string, Result[]>();

function valueNext(count: number, seeds: number, noise: Noise, change = NONE): Result[][] {
  return Array.from({ length: seeds }, (_, seed) => {
    if (change !== NONE) return valueMarket(count, seed, noise, change);
    const key = `${count} ${seed} ${noise.name}`;
    const results = unchanged.get(key) ?? valueMarket(count, seed, noise, NONE);
    unchanged.set(key, results);
    return results;
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanOf = (results: readonly Result[], name: keyof Result) => mean(results.map(result => result[name]));

/** Means of the half with the higher confidence less those of the other half. */
function gap(results: readonly Result[]) {
  const sorted = [...results].sort((a, b) => a.confidence - b.confidence);
  const [low, high] = [sorted.slice(0, sorted.length / 2), sorted.slice(sorted.length / 2)];
  return {
    said: meanOf(high, 'confidence') - meanOf(low, 'confidence'),
    was: meanOf(high, 'hit') - meanOf(low, 'hit'),
  };
}

describe('80 % intervals', () => {
  test.each([
    ['normal noise, 120 sales', 120, quiet],
    ['normal noise, 400 sales', 400, quiet],
    ['noise that is not the same everywhere, 400 sales', 400, twofold],
    ['heavy tails, outliers among the prices', 400, heavy],
  ] as const)(
    'hold 77 to 83 percent of the next prices: %s',
    (_, count, noise) => {
      const covered = valueNext(count, 12, noise).map(results => meanOf(results, 'inside'));
      expect(mean(covered)).toBeGreaterThan(77);
      expect(mean(covered)).toBeLessThan(83);
    },
    60_000,
  );

  test('are not those of gifts where many sales are gifts', () => {
    const given = (sales: Comps): Comps => {
      const random = createRandom(5);
      return { ...sales, price: sales.price.map(price => (random() < 0.12 ? price / 20 : price)) };
    };
    const results = valueNext(1_000, 3, quiet, { sales: given, risen: 0 }).flat();
    // One in eight gifts would otherwise lie below a twentieth.
    expect(mean(results.map(({ low, truth }) => low / truth))).toBeGreaterThan(0.3);
    expect(meanOf(results, 'inside')).toBeGreaterThan(77);
  });

  test('hold while the market turns, and estimates follow it', () => {
    // Prices rose by the usual 5 % a year, and by 60 % more within the last two years.
    const risen = 0.47;
    const rise = (sales: Comps): Comps => ({
      ...sales,
      price: sales.price.map(
        (price, i) => price * Math.exp(risen * Math.max(0, 1 - (asOfDay - sales.soldDay[i]!) / 730)),
      ),
    });
    const results = valueNext(2_000, 3, quiet, { sales: rise, risen }).flat();
    // Half of the last year's rise.
    expect(meanOf(results, 'error')).toBeGreaterThan(-0.15);
    expect(meanOf(results, 'inside')).toBeGreaterThan(75);
    expect(meanOf(results, 'inside')).toBeLessThan(85);
  });
});

describe('confidence', () => {
  test('does not differ between estimates without evidence that the errors do', () => {
    const results = valueNext(120, 12, quiet);
    expect(mean(results.map(own => gap(own).said))).toBeLessThan(4);
    const [said, was] = [meanOf(results.flat(), 'confidence'), meanOf(results.flat(), 'hit')];
    expect(Math.abs(said - was)).toBeLessThan(4);
  });

  test('tells quiet places from wild ones the better, the more sales there are', () => {
    const gaps = [60, 400, 2_000].map(count => {
      // Of 60 sales what was so differs from market to market by ten points and more.
      const markets = count > 1_000 ? 2 : count > 100 ? 6 : 30;
      const own = valueNext(count, markets, twofold).map(gap);
      return { said: mean(own.map(({ said }) => said)), was: mean(own.map(({ was }) => was)) };
    });
    expect(gaps[1]!.said).toBeGreaterThan(gaps[0]!.said + 15);
    expect(gaps[2]!.said).toBeGreaterThan(gaps[1]!.said);
    // And never says more than was so.
    for (const { said, was } of gaps) expect(said).toBeLessThan(was + 3);
  });
});

describe('a backtest reports its own certainty', () => {
  const options = { fromDay: asOfDay - 300, toDay: asOfDay };

  test('confidence ranks errors reliably with many varied sales, not with few uniform ones', () => {
    const sure = backtest(onFewDays(noisySales(1_500, 41, twofold), 100), options);
    expect(sure.valued).toBeGreaterThan(100);
    expect(sure.ordering!.points).toBeGreaterThan(30);
    expect(sure.ordering!.low).toBeGreaterThan(20);
    expect(sure.ordering!.percent).toBe(100);
    const unsure = backtest(onFewDays(noisySales(400, 42, quiet), 100), options);
    expect(unsure.ordering!.low).toBeLessThan(0);
    expect(unsure.ordering!.high).toBeGreaterThan(0);
    expect(unsure.coverageRange!.low).toBeLessThan(unsure.coverage!);
    expect(unsure.coverageRange!.high).toBeGreaterThan(unsure.coverage!);
  });

  test('the bias that errors alone would cause is reported', () => {
    const { methods, prbByChance, slope } = backtest(
      onFewDays(
        noisySales(1_000, 43, random => 0.6 * normal(random)),
        100,
      ),
      options,
    );
    // Far below 0, as the noise makes it.
    expect(methods.model!.prb).toBeLessThan(-0.1);
    expect(methods.model!.prb).toBeGreaterThan(prbByChance!.low - 0.05);
    expect(methods.model!.prb).toBeLessThan(prbByChance!.high + 0.05);
    expect(slope!.low).toBeLessThan(1);
    expect(slope!.high).toBeGreaterThan(1);
  });
});
