import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowestPrice, otherPrice } from '../../api/pages/deals/deals-price.tsx';
import type { Deal } from '../../api/v1/deals/deal-schema.ts';
import { fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import { isCounted, type Listing, type Market, peersIn, ppaOf } from '../../workers/deals/deal-market.ts';
import type { DealLot, ListingFacts } from '../../workers/deals/find-listings.ts';
import { gradeDeal } from '../../workers/deals/grade-deals.ts';

/** Reasons why a generated deal's valuation doesn't count. */
const FAULTS = {
  none: {},
  out_of_support: { out_of_support: true },
  too_wide: { low: 1 },
  exempt: { land_use_code: 'EXEMPT-MUNIC' },
  acres_mismatch: { calculated_acres: 1_000 },
  no_value: { adjusted: null, low: null, high: null, out_of_support: null },
} as const satisfies Record<string, Partial<DealLot>>;

const factor = fc.double({ min: -1.5, max: 1.5, noNaN: true }).map(Math.exp);
const generated = fc.record({
  acres: fc.double({ min: 0.2, max: 80, noNaN: true }),
  ppa: fc.double({ min: 300, max: 60_000, noNaN: true }),
  elasticity: fc.double({ min: -1, max: 0, noNaN: true }),
  /** Asking price as a share of the value. */
  asked: fc.double({ min: 0.2, max: 3, noNaN: true }),
  days: fc.nat(900),
  medianDays: fc.integer({ min: 20, max: 400 }),
  views: fc.option(fc.nat(500)),
  width: fc.double({ min: 1.1, max: 3, noNaN: true }),
  fault: fc.oneof(
    fc.constant('none' as const),
    fc.constantFrom(...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])),
  ),
  // Counties with few or many listings.
  listings: fc.oneof(
    fc.array(fc.tuple(factor, factor), { maxLength: 6 }),
    fc.array(fc.tuple(factor, factor), { minLength: 40, maxLength: 80 }),
  ),
  isListed: fc.boolean(),
  spend: fc.constantFrom(0, 0.1, 0.5, 2),
  expected: fc.option(fc.double({ min: 0.5, max: 2, noNaN: true })),
});
type Generated = typeof generated extends fc.Arbitrary<infer Value> ? Value : never;

const listing = (id: number, acres: number, cents: number): Listing =>
  ({ id: String(id), status: 'ACTIVE', acres, cents, views: null, saves: null }) as Listing;

function marketOf({ acres, ppa, elasticity, medianDays, listings }: Generated, own: Listing | null): Market {
  const others = listings.map(([size, price], i) =>
    listing(i, acres * size, Math.round(100 * ppa * price * acres * size * size ** elasticity)),
  );
  const counted = [...others, ...(own === null ? [] : [own])].filter(isCounted);
  return {
    asOf: '2026-11-30',
    perAcre: Float64Array.from(counted, ppaOf).sort(),
    elasticity,
    like: peersIn(counted, elasticity),
    interest: new Float64Array(),
    timeToSell: () => ({ bucket: null, medianDays, sales: 0 }),
  } as unknown as Market;
}

function graded(deal: Generated) {
  const { acres, ppa, asked, days, views, width, fault, isListed, spend, expected } = deal;
  const mean = Math.max(10_000, Math.round(100 * ppa * acres));
  const cents = BigInt(Math.round(asked * mean));
  const own = isListed ? listing(-1, acres, Number(cents)) : null;
  const facts = { listing: own, acreage: acres, days, views, saves: null } as ListingFacts;
  const lot = {
    fips: 33_019,
    property_id: 1,
    acres,
    stated_acres: acres,
    calculated_acres: null,
    land_use_code: null,
    retired: false,
    adjusted: mean,
    low: Math.round(mean / width),
    high: Math.round(mean * width),
    out_of_support: false,
    ...FAULTS[fault],
  } as DealLot;
  const costs = {
    agent_fee: null,
    misc_costs: null,
    closing_costs: null,
    purchase_price: fromCents(BigInt(Math.round(spend * mean))),
    expected_sell_price: expected === null ? null : fromCents(BigInt(Math.round(expected * mean))),
  };
  const grade = gradeDeal({ ...costs, status: 'listed' }, facts, cents, lot, marketOf(deal, own));
  const page = { ...grade, ...costs, price: Number(cents) / 100 } as unknown as Deal;
  const [low, high] = [BigInt(lot.low ?? 0), BigInt(lot.high ?? 0)];
  return { grade, advice: grade.advice!, page, cents, mean: BigInt(mean), low, high };
}

const SENT = { numRuns: 200 };

test('200 deals: no price is below the estimate, and none is advised if the valuation does not count', () => {
  const actions = new Set<string>();
  fc.assert(
    fc.property(generated, deal => {
      const { grade, advice, page, cents, mean, low } = graded(deal);
      const { action, price } = advice;
      actions.add(action);
      expect(advice.valuation_counts).toBe(deal.fault === 'none');
      expect(advice.valuation_problems.length > 0).toBe(deal.fault !== 'none');
      expect(grade.suggested_action).toBe(action === 'raise' ? 'hold' : action);
      expect(grade.suggested_action_price).toBe(action === 'drop' ? price : null);
      if (!advice.valuation_counts)
        expect([action, price]).toEqual([expect.stringMatching(/relist|hold/), null]);
      expect(action === 'raise').toBe(advice.valuation_counts && cents < low);
      if (action === 'drop') expect(cents > mean && toCents(price!) < cents).toBe(true);
      for (const one of [price === null ? null : toCents(price), otherPrice(page)])
        if (one !== null) expect(one >= mean).toBe(true);
      if (otherPrice(page) !== null && action !== 'raise') expect(otherPrice(page)! < cents).toBe(true);
      const lowest = lowestPrice(page);
      if (lowest && advice.valuation_counts)
        expect(lowest.cents + 50n >= mean && lowest.cents <= cents).toBe(true);
    }),
    SENT,
  );
  expect([...actions].sort()).toEqual(['drop', 'hold', 'raise', 'relist']);
});

test('200 deals: the figures in each sentence match the deal', () => {
  fc.assert(
    fc.property(generated, deal => {
      const { grade, advice, cents, mean, low, high } = graded(deal);
      const { text, price, like_listings: count, like_advantage: advantage } = advice;
      const whole = (amount: bigint) => ((amount + 50n) / 100n) * 100n;
      const spend = toCents((grade.figures as { total_spend: string }).total_spend);
      const known = [whole(mean), whole(low), whole(high), spend, 10_000n];
      for (const amount of [price, advice.profit_now, advice.profit_then])
        if (amount !== null) known.push(toCents(amount));
      for (const [, sign, amount] of text.matchAll(/(−?)\$([\d,]+(?:\.\d+)?)/g)) {
        const named = toCents(amount!.replaceAll(',', '')) * (sign ? -1n : 1n);
        expect(known, `${named} in ${text}`).toContain(named);
      }
      for (const [, higher, all] of text.matchAll(/\b([\d,]+) of ([\d,]+) (?!days)/g))
        if (!all!.includes('usual')) {
          expect(Number(all)).toBe(count);
          expect(Math.round((100 * Number(higher)) / count)).toBe(advantage);
        }
      const [, percent, side] = /(\d+)% (below|above) the estimated value/.exec(text) ?? [];
      if (percent !== undefined) {
        expect(Number(percent)).toBe(Math.round(100 * Math.abs(Number(cents) / Number(mean) - 1)));
        expect(side).toBe(cents < mean ? 'below' : 'above');
      }
      for (const [, days] of text.matchAll(/listed for (\d+) /g)) expect(Number(days)).toBe(deal.days);
      expect(text).not.toMatch(/undefined|null|NaN/);
    }),
    SENT,
  );
});

test('unreported views have no weight in the grade, but zero views do', () => {
  fc.assert(
    fc.property(generated, deal => {
      const scoreOf = (views: number | null) =>
        (graded({ ...deal, views }).grade.figures as { score: number | null }).score;
      const [unknown, none] = [scoreOf(null), scoreOf(0)];
      // With zero views, traction is 0, and the other parts have 0.65 of the weight.
      if (deal.listings.length > 0) expect(none).toBeCloseTo(0.65 * unknown!, 1);
    }),
    SENT,
  );
});

test('listings are compared at the size of the deal', () => {
  // Prices per acre follow the elasticity exactly, so all listings imply the same price for this lot.
  const listings = Array.from({ length: 12 }, (_, i) => {
    const acres = 1 + i;
    return listing(i, acres, Math.round(100 * 10_000 * acres ** 0.4));
  });
  const { of, others } = peersIn(listings, -0.6)(6, null);
  expect(of).toBe('size');
  for (const ppa of Array.from(others.ascending)) expect(ppa).toBeCloseTo(10_000 * 6 ** -0.6, 1);
});
