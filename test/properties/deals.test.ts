import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import {
  type AdviceInput,
  dailyInterest,
  freshnessOf,
  gradeScore,
  LETTER_GRADES,
  listingGrade,
  type Peers,
  perAcre,
  priceAdvantage,
  priceAtAdvantage,
  suggestedAction,
  tractionScore,
} from '../../shared/kernels/deal-grade.ts';
import { type AdviceSubject, adviceOf } from '../../workers/deals/advice.ts';
import type { Market } from '../../workers/deals/deal-market.ts';
import { runs as share } from '../support/runs.ts';

const cents = fc.bigInt({ min: 1n, max: 999_999_999_999n });
const acres = fc.double({ min: 0.01, max: 10_000, noNaN: true });
const figures = fc.array(fc.double({ min: 0.01, max: 100_000, noNaN: true }), { maxLength: 40 });

/** Figures of others, among which the own one may be. */
const others: fc.Arbitrary<Peers & { without: number[] }> = fc
  .tuple(figures, fc.option(fc.double({ min: 0.01, max: 100_000, noNaN: true })))
  .map(([without, own]) => ({
    own,
    without,
    ascending: Float64Array.from(own === null ? without : [...without, own]).sort(),
  }));

describe('price advantage', () => {
  test('is the share of the others that ask more per acre', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 100_000, noNaN: true }), others, (ppa, all) => {
        const { without } = all;
        const plain = Math.round((100 * without.filter(other => other > ppa).length) / without.length);
        expect(priceAdvantage(ppa, all)).toBe(without.length === 0 ? null : plain);
      }),
    );
  });

  test('never falls when the price does', () => {
    fc.assert(
      fc.property(cents, cents, acres, others, (a, b, size, all) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const at = (price: bigint) => priceAdvantage(perAcre(price, size), all) ?? 0;
        expect(at(low)).toBeGreaterThanOrEqual(at(high));
      }),
    );
  });

  test('is reached at the price that promises it, and not at a cent more', () => {
    fc.assert(
      fc.property(acres, others, fc.integer({ min: 1, max: 100 }), (size, all, wanted) => {
        const price = priceAtAdvantage(size, all, wanted);
        if (price === null) return;
        expect(priceAdvantage(perAcre(price, size), all)).toBeGreaterThanOrEqual(wanted);
        expect(priceAdvantage(perAcre(price + 1n, size), all)).toBeLessThan(wanted);
      }),
      { numRuns: share(500) },
    );
  });
});

describe('traction', () => {
  const interest = fc.double({ min: 0, max: 200, noNaN: true });

  test('is the share of the others with less interest, ties half; without ten of them a curve of its own', () => {
    fc.assert(
      fc.property(interest, others, (own, all) => {
        const { without } = all;
        const lower = without.filter(other => other < own).length;
        const ties = without.filter(other => other === own).length;
        const plain =
          own === 0
            ? 0
            : without.length < 10
              ? Math.round(100 * (1 - Math.exp(-own / 20)))
              : Math.round((100 * (lower + ties / 2)) / without.length);
        expect(tractionScore(own, all)).toBe(plain);
      }),
      { numRuns: share(500) },
    );
  });

  test('never falls with another view or save', () => {
    const times = fc.nat(10_000);
    fc.assert(
      fc.property(times, times, fc.nat(900), others, (views, saves, days, all) => {
        const at = (v: number, s: number) => tractionScore(dailyInterest(v, s, days), all);
        expect(at(views + 1, saves)).toBeGreaterThanOrEqual(at(views, saves));
        expect(at(views, saves + 1)).toBeGreaterThanOrEqual(at(views, saves));
      }),
    );
  });
});

describe('grade', () => {
  const part = fc.option(fc.double({ min: 0, max: 100, noNaN: true }));
  const parts = fc.record({ priceAdvantage: part, traction: part, freshness: part });

  test('never gets worse when a part gets better', () => {
    const rank = (score: number | null) => LETTER_GRADES.indexOf(listingGrade(score) as never);
    fc.assert(
      fc.property(parts, fc.constantFrom('priceAdvantage', 'traction', 'freshness'), (given, name) => {
        const value = given[name as keyof typeof given];
        if (value === null) return;
        const better = gradeScore({ ...given, [name]: Math.min(100, value + 7) });
        expect(rank(better)).toBeLessThanOrEqual(rank(gradeScore(given)));
      }),
    );
  });

  test('lies between the parts that are known, and equal parts are the score', () => {
    fc.assert(
      fc.property(parts, given => {
        const known = Object.values(given).filter(value => value !== null);
        const score = gradeScore(given);
        if (known.length === 0) expect(score).toBeNull();
        else {
          expect(score).toBeGreaterThanOrEqual(Math.min(...known) - 1e-9);
          expect(score).toBeLessThanOrEqual(Math.max(...known) + 1e-9);
        }
      }),
    );
  });

  test.each([
    [100, 'A+'],
    [93, 'A+'],
    [92.99, 'A'],
    [85, 'A'],
    [78, 'A-'],
    [71, 'B+'],
    [64, 'B'],
    [57, 'B-'],
    [50, 'C+'],
    [43, 'C'],
    [36, 'C-'],
    [20, 'D'],
    [19.99, 'F'],
    [0, 'F'],
  ])('%d is %s', (score, letter) => {
    expect(listingGrade(score)).toBe(letter);
  });

  test('weights: 0.45 price, 0.35 traction, 0.20 days; what is missing goes to the others', () => {
    expect(gradeScore({ priceAdvantage: 100, traction: 0, freshness: 0 })).toBeCloseTo(45);
    expect(gradeScore({ priceAdvantage: 0, traction: 100, freshness: 0 })).toBeCloseTo(35);
    expect(gradeScore({ priceAdvantage: null, traction: 0, freshness: 100 })).toBeCloseTo((100 * 20) / 55);
    expect(freshnessOf(180, 180)).toBeCloseTo(36.79, 2);
    expect(freshnessOf(null, 180)).toBeNull();
  });
});

describe('advice', () => {
  const advised: fc.Arbitrary<AdviceInput> = fc
    .record({
      days: fc.option(fc.nat(2_000)),
      medianDays: fc.integer({ min: 0, max: 800 }),
      cents: fc.option(fc.bigInt({ min: 1n, max: 30_000_000n })),
      acres: fc.option(fc.double({ min: 0.05, max: 200, noNaN: true })),
      valuation: fc.option(
        fc
          .tuple(fc.bigInt({ min: 0n, max: 30_000_000n }), fc.bigInt({ min: 0n, max: 10_000_000n }))
          .map(([lowCents, width]) => ({ lowCents, highCents: lowCents + width })),
      ),
      spendCents: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 20_000_000n })),
      // Of the order of the price, so that something is advised.
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

  /** The definition word for word; prices are tried from the lowest hundred on. */
  function plainAdvice(deal: AdviceInput): [action: string, cents: bigint | null] {
    const { days, medianDays, cents: price, acres: size, valuation, spendCents } = deal;
    const advantage = price === null || size === null ? null : advantageAt(deal, price);
    if (price === null || advantage === null) return ['hold', null];
    const isAbove = valuation !== null && price > valuation.highCents;
    const isDear = days !== null && days > medianDays / 2 && advantage < 40;
    if (days !== null && days > 2 * medianDays && advantage >= 60) return ['relist', null];
    if (!isAbove && !isDear) return ['hold', null];
    let best = 0n;
    for (let hundred = 10_000n; hundred <= price; hundred += 10_000n)
      if (advantageAt(deal, hundred)! >= 60 && (!isAbove || hundred <= valuation.highCents)) best = hundred;
    while (best < spendCents || best < (valuation?.lowCents ?? 0n)) best += 10_000n;
    return best > 0n && best < price ? ['drop', best] : ['hold', null];
  }

  test('is what the definition says', () => {
    const stepped = advised.filter(({ cents: price }) => price === null || price < 3_000_000n);
    fc.assert(
      fc.property(stepped, deal => {
        const { action, cents: price } = suggestedAction(deal);
        expect([action, price]).toEqual(plainAdvice(deal));
      }),
      { numRuns: share(1_000) },
    );
  });

  test("a dropped price is whole hundreds, below today's, and neither below the valuation's low end nor the spend", () => {
    fc.assert(
      fc.property(advised, deal => {
        const { action, cents: price } = suggestedAction(deal);
        expect(price !== null).toBe(action === 'drop');
        if (price === null) return;
        expect(price % 10_000n).toBe(0n);
        expect(price > 0n && price < deal.cents!).toBe(true);
        expect(price >= deal.spendCents && price >= (deal.valuation?.lowCents ?? 0n)).toBe(true);
      }),
      runs,
    );
  });

  test('reaches its mark unless a floor is above it, and followed it is not to drop again', () => {
    let drops = 0;
    fc.assert(
      fc.property(advised, deal => {
        const { cents: price } = suggestedAction(deal);
        if (price === null) return;
        drops++;
        const floor = [deal.spendCents, deal.valuation?.lowCents ?? 0n].reduce((a, b) => (a > b ? a : b));
        if (price - floor >= 10_000n) {
          expect(advantageAt(deal, price)).toBeGreaterThanOrEqual(60);
          if (deal.valuation !== null) expect(price <= deal.valuation.highCents).toBe(true);
        }
        expect(suggestedAction({ ...deal, cents: price }).action).not.toBe('drop');
      }),
      runs,
    );
    expect(drops).toBeGreaterThan(share(200));
  });

  test('the profit after the advice is never above the profit at the sale that is expected', () => {
    let drops = 0;
    fc.assert(
      fc.property(advised, fc.integer({ min: 1, max: 150 }), (deal, percent) => {
        if (deal.cents === null) return;
        const expectedCents = (deal.cents * BigInt(percent)) / 100n;
        const subject = {
          facts: { acreage: deal.acres, days: deal.days },
          cents: deal.cents,
          expectedCents,
          spendCents: deal.spendCents,
          lot: undefined,
          like: { of: 'county', others: deal.like },
        } as unknown as AdviceSubject;
        const market = { timeToSell: () => ({ medianDays: deal.medianDays }) } as unknown as Market;
        const { advice, record } = adviceOf(subject, market);
        if (advice.cents !== null && advice.cents > expectedCents) drops++;
        expect(record.profit_now).toBe(fromCents(expectedCents - deal.spendCents));
        expect(toCents(record.profit_then) <= toCents(record.profit_now)).toBe(true);
      }),
      runs,
    );
    expect(drops).toBeGreaterThan(share(15));
  });

  test('a lot below its value is not sold off for what tracts ask per acre', () => {
    // 2.56 acres at $34,900, worth $28,100 to $165,000; seven lots of its size.
    const like = {
      ascending: Float64Array.from([7_000, 8_000, 9_000, 10_000, 11_000, 12_000, 16_000]),
      own: null,
    };
    const deal: AdviceInput = {
      days: 113,
      medianDays: 96,
      cents: 3_490_000n,
      acres: 2.56,
      like,
      valuation: { lowCents: 2_810_000n, highCents: 16_500_000n },
      spendCents: 1_130_000n,
    };
    // 60 of 100 would be $23,000: the low end is the floor.
    expect(suggestedAction(deal)).toEqual({
      action: 'drop',
      cents: 2_810_000n,
      reason: 'dearer_than_others',
    });
    expect(suggestedAction({ ...deal, valuation: null }).cents).toBe(2_300_000n);
    const valuation = { lowCents: 2_825_000n, highCents: 16_500_000n };
    expect(suggestedAction({ ...deal, cents: 2_830_000n, valuation }).reason).toBe('no_lower_price');
    expect(suggestedAction({ ...deal, days: 48 }).action).toBe('hold');
    expect(suggestedAction({ ...deal, cents: 2_000_000n, days: 193 }).action).toBe('relist');
    const dear = { ...deal, days: 0, cents: 20_000_000n };
    expect(suggestedAction(dear)).toMatchObject({ cents: 2_810_000n, reason: 'above_value' });
    expect(suggestedAction({ ...dear, like: { ascending: [], own: null } }).reason).toBe('no_like_listings');
  });
});

test('amounts are decimal from end to end', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n }), amount => {
      expect(toCents(fromCents(amount))).toBe(amount);
    }),
  );
  expect([toCents('18400'), toCents('0.5'), fromCents(5n), fromCents(-1_840_050n)]).toEqual([
    1_840_000n,
    50n,
    '0.05',
    '-18400.50',
  ]);
  expect(() => toCents('1e5')).toThrow(RangeError);
});
