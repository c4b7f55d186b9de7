import { expect, test } from 'vitest';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createRandom } from '../bench/generate/random.ts';
import { generateSales, MARKET, normal } from '../support/sales.ts';

const EVERY = 300;

/**
 * Sales of lots that differ by more than place, size and time tell (a view, a shore), and what the assessor
 * held each for. @param knows of what they differ by @param off by so much besides
 */
function assessed(count: number, knows: number, off: number, seed: number): Comps {
  const sales = generateSales({ ...MARKET, noise: 0.35 }, count, seed);
  // A backtest fits its model for every day of sale.
  sales.soldDay = sales.soldDay.map(
    day => MARKET.asOfDay - EVERY * Math.floor((MARKET.asOfDay - day) / EVERY),
  );
  const random = createRandom(1000 + seed);
  const column = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const quality = normal(random);
    sales.price[i]! *= Math.exp(0.4 * quality);
    column[i] = 0.4 * knows * quality + off * normal(random);
  }
  return { ...sales, assessed: column };
}

function errors(sales: Comps) {
  const options = { fromDay: MARKET.asOfDay - 3 * EVERY, toDay: MARKET.asOfDay };
  const study = (comps: Comps) => backtest(comps, options);
  const [beside, without] = [study(sales), study({ ...sales, assessed: undefined })];
  return {
    beside: beside.methods.model!.mdape,
    without: without.methods.model!.mdape,
    coverage: beside.coverage!,
  };
}

test('an assessor who knows what land is like makes values better', () => {
  for (const seed of [1, 2]) {
    const { beside, without, coverage } = errors(assessed(400, 1, 0.2, seed));
    expect(beside).toBeLessThan(without - 1);
    expect(coverage).toBeGreaterThan(70);
    expect(coverage).toBeLessThan(92);
  }
});

test('one who knows nothing makes none worse', () => {
  for (const seed of [1, 2]) {
    const { beside, without } = errors(assessed(400, 0, 0.5, seed));
    expect(beside).toBeLessThan(without + 0.5);
  }
});
