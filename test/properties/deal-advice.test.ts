import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import {
  type AdviceInput,
  perAcre,
  priceAdvantage,
  suggestedAction,
} from '../../shared/kernels/deal-grade.ts';
import { type AdviceSubject, adviceOf } from '../../workers/deals/advice.ts';
import type { Market } from '../../workers/deals/deal-market.ts';
import { runs as share } from '../support/runs.ts';

const valuation = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 30_000_000n }),
    fc.bigInt({ min: 0n, max: 5_000_000n }),
    fc.bigInt({ min: 0n, max: 5_000_000n }),
  )
  .map(([lowCents, below, above]) => ({
    lowCents,
    meanCents: lowCents + below,
    highCents: lowCents + below + above,
  }));

const advised: fc.Arbitrary<AdviceInput> = fc
  .record({
    days: fc.option(fc.nat(2_000)),
    medianDays: fc.integer({ min: 0, max: 800 }),
    cents: fc.option(fc.bigInt({ min: 1n, max: 30_000_000n })),
    acres: fc.option(fc.double({ min: 0.05, max: 200, noNaN: true })),
    valuation: fc.option(valuation),
    spendCents: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 20_000_000n })),
    // Multiples of the deal's own price per acre, so that some deals get advice.
    asked: fc.array(fc.double({ min: 0.1, max: 4, noNaN: true }), { maxLength: 30 }),
    isListed: fc.boolean(),
  })
  .map(({ asked, isListed, ...deal }) => {
    const ppa = perAcre(deal.cents ?? 1_000_000n, deal.acres ?? 5);
    const own = isListed ? ppa : null;
    const prices = asked.map(factor => factor * ppa);
    return {
      ...deal,
      like: { ascending: Float64Array.from(isListed ? [...prices, ppa] : prices).sort(), own },
    };
  });
const runs = { numRuns: share(5_000) };
const advantageAt = ({ acres: size, like }: AdviceInput, price: bigint) =>
  priceAdvantage(perAcre(price, size!), like);
const hundredFrom = (cents: bigint) => ((cents + 9_999n) / 10_000n) * 10_000n;

/** Follows the definition word for word. Tries prices in steps of $100, starting with the lowest. */
function plainAdvice(deal: AdviceInput): [action: string, cents: bigint | null] {
  const { days, medianDays, cents: price, acres: size, valuation: worth, spendCents } = deal;
  if (price === null || size === null) return ['hold', null];
  if (worth !== null && price < worth.lowCents) return ['raise', hundredFrom(worth.meanCents)];
  const advantage = advantageAt(deal, price);
  if (advantage === null) return ['hold', null];
  const isAbove = worth !== null && price > worth.highCents;
  const isDear = days !== null && days > medianDays / 2 && advantage < 40;
  if (days !== null && days > 2 * medianDays && advantage >= 60) return ['relist', null];
  if (!(isAbove || isDear) || worth === null || price <= worth.meanCents) return ['hold', null];
  let best = 0n;
  for (let hundred = 10_000n; hundred < price + 10_000n; hundred += 10_000n)
    if (advantageAt(deal, hundred)! >= 60) best = hundred;
  while (best < spendCents || best < worth.meanCents) best += 10_000n;
  return best < price ? ['drop', best] : ['hold', null];
}

test('advice follows the definition', () => {
  const stepped = advised.filter(({ cents: price }) => price === null || price < 3_000_000n);
  fc.assert(
    fc.property(stepped, deal => {
      const { action, cents: price } = suggestedAction(deal);
      expect([action, price]).toEqual(plainAdvice(deal));
    }),
    { numRuns: share(1_000) },
  );
});

test('an advised price is a multiple of $100, and never below the estimate or, for a drop, the spend', () => {
  fc.assert(
    fc.property(advised, deal => {
      const { action, cents: price } = suggestedAction(deal);
      expect(price !== null).toBe(action === 'drop' || action === 'raise');
      if (price === null) return;
      expect(price % 10_000n).toBe(0n);
      expect(price >= deal.valuation!.meanCents).toBe(true);
      if (action === 'raise') expect(price > deal.cents!).toBe(true);
      else expect(price < deal.cents! && price >= deal.spendCents).toBe(true);
    }),
    runs,
  );
});

test('a drop reaches an advantage of 60 unless a floor prevents it, and following advice never leads to its opposite', () => {
  const counts = { drop: 0, raise: 0 };
  fc.assert(
    fc.property(advised, deal => {
      const { action, cents: price } = suggestedAction(deal);
      if (price === null) return;
      counts[action as keyof typeof counts]++;
      const next = suggestedAction({ ...deal, cents: price }).action;
      if (action === 'raise') {
        expect(next).not.toBe('raise');
        return;
      }
      expect(next).toMatch(/hold|relist/);
      const floor = [deal.spendCents, deal.valuation!.meanCents].reduce((a, b) => (a > b ? a : b));
      if (price - floor >= 10_000n) expect(advantageAt(deal, price)).toBeGreaterThanOrEqual(60);
    }),
    runs,
  );
  expect(counts.drop).toBeGreaterThan(share(200));
  expect(counts.raise).toBeGreaterThan(share(200));
});

test('the profit after following the advice never exceeds the profit at the expected sale price', () => {
  let drops = 0;
  fc.assert(
    fc.property(advised, fc.integer({ min: 1, max: 150 }), (deal, percent) => {
      if (deal.cents === null) return;
      const expectedCents = (deal.cents * BigInt(percent)) / 100n;
      const { advice, record } = adviceOf(subjectOf(deal, expectedCents), {
        timeToSell: () => ({ medianDays: deal.medianDays }),
      } as unknown as Market);
      if (advice.action === 'drop' && advice.cents! > expectedCents) drops++;
      expect(record.profit_now).toBe(fromCents(expectedCents - deal.spendCents));
      expect(toCents(record.profit_then) <= toCents(record.profit_now)).toBe(true);
    }),
    runs,
  );
  expect(drops).toBeGreaterThan(share(15));
});

/** The deal, on a parcel with the listing's acreage. The valuation counts unless its range is too wide. */
function subjectOf(
  { acres, days, cents, spendCents, like, valuation: worth }: AdviceInput,
  expected: bigint,
) {
  const lot = worth && {
    fips: 33_019,
    acres: acres ?? 5,
    stated_acres: acres ?? 5,
    calculated_acres: null,
    land_use_code: null,
    retired: false,
    adjusted: Number(worth.meanCents),
    low: Number(worth.lowCents),
    high: Number(worth.highCents),
    out_of_support: false,
  };
  return {
    facts: { acreage: acres, days },
    cents,
    expectedCents: expected,
    spendCents,
    lot: lot ?? undefined,
    like: { of: 'county', others: like },
  } as unknown as AdviceSubject;
}

test('a lot priced below its value is not dropped to the price per acre of large tracts', () => {
  // 2.56 acres at $34,900, with a range of $28,100 to $165,000 and seven listings of similar size.
  const like = {
    ascending: Float64Array.from([7_000, 8_000, 9_000, 10_000, 11_000, 12_000, 16_000]),
    own: null,
  };
  const worth = { lowCents: 2_810_000n, meanCents: 5_916_300n, highCents: 16_500_000n };
  const deal: AdviceInput = {
    days: 113,
    medianDays: 96,
    cents: 3_490_000n,
    acres: 2.56,
    like,
    valuation: worth,
    spendCents: 1_130_000n,
  };
  // The price for an advantage of 60 would be $23,000, but the estimate is $59,163.
  expect(suggestedAction(deal)).toEqual({ action: 'hold', cents: null, reason: 'not_above_estimate' });
  expect(suggestedAction({ ...deal, cents: 5_916_300n }).reason).toBe('not_above_estimate');
  expect(suggestedAction({ ...deal, cents: 5_916_400n }).reason).toBe('no_lower_price');
  expect(suggestedAction({ ...deal, cents: 6_490_000n })).toEqual({
    action: 'drop',
    cents: 5_920_000n,
    reason: 'dearer_than_others',
  });
  expect(suggestedAction({ ...deal, valuation: null })).toEqual({
    action: 'hold',
    cents: null,
    reason: 'no_valuation',
  });
  expect(suggestedAction({ ...deal, cents: 2_809_900n })).toEqual({
    action: 'raise',
    cents: 5_920_000n,
    reason: 'below_value',
  });
  const low = { ...worth, meanCents: 2_000_000n, lowCents: 1_500_000n };
  expect(suggestedAction({ ...deal, valuation: low }).cents).toBe(2_300_000n);
  expect(suggestedAction({ ...deal, days: 48 }).reason).toBe('no_reason');
  expect(suggestedAction({ ...deal, valuation: null, cents: 2_000_000n, days: 193 }).action).toBe('relist');
  const dear = { ...deal, days: 0, cents: 20_000_000n };
  expect(suggestedAction(dear)).toMatchObject({ cents: 5_920_000n, reason: 'above_value' });
  expect(suggestedAction({ ...dear, like: { ascending: [], own: null } }).reason).toBe('no_like_listings');
});
