import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OfferFacts, offerOf, shareOffer, sumOffers } from '../../../shared/lists/offer.ts';
import { runs } from '../../support/runs.ts';

const FACTS: OfferFacts = {
  fips: 33019,
  retired: false,
  acres: 5,
  calculated_acres: 5,
  land_use_code: null,
  value: 10_000,
  value_low: 8_000,
  value_high: 12_000,
  out_of_support: false,
  market_value: 9_000,
  assessed_value: 6_000,
};
const TERMS = { percent: 30, percent_high: 45, of: 'value', round_to: 100 } as const;

describe('the offer for a parcel', () => {
  test('is a range if the terms have a high percentage', () => {
    expect(offerOf(TERMS, FACTS, null)).toEqual({
      offer: 3_000,
      offer_high: 4_500,
      offer_source: 'computed',
      computed_offer: 3_000,
      needs_review: [],
    });
    expect(offerOf({ ...TERMS, percent_high: null }, FACTS, null)).toMatchObject({ offer_high: null });
  });

  test('is the entered price, even if a person should check the parcel or there are no terms', () => {
    const entered = {
      offer: 777,
      offer_high: null,
      offer_source: 'entered',
      computed_offer: null,
      needs_review: [],
    };
    expect(offerOf(TERMS, FACTS, 777)).toEqual({ ...entered, computed_offer: 3_000 });
    expect(offerOf(TERMS, { ...FACTS, value: null }, 777)).toEqual(entered);
    expect(offerOf(null, FACTS, 777)).toEqual(entered);
  });

  test('has no source and no high end without a price', () => {
    const none = { offer: null, offer_high: null, offer_source: null, computed_offer: null };
    expect(offerOf(null, FACTS, null)).toEqual({ ...none, needs_review: [] });
    expect(offerOf(TERMS, { ...FACTS, value: null }, null)).toEqual({ ...none, needs_review: ['no_value'] });
  });
});

test("an owner's offer sums the priced parcels, and names why the others have no price", () => {
  const computed = offerOf(TERMS, FACTS, null);
  const entered = offerOf(TERMS, FACTS, 500);
  const none = offerOf(TERMS, { ...FACTS, value: null }, null);
  expect(sumOffers([computed, entered, none])).toEqual({
    offer: 3_500,
    offer_high: 5_000,
    offer_source: 'entered',
    computed_offer: 6_000,
    offer_parcels: 2,
    needs_review: ['no_value'],
  });
  expect(sumOffers([computed, computed])).toMatchObject({ offer: 6_000, offer_source: 'computed' });
  expect(sumOffers([none])).toMatchObject({ offer: null, offer_high: null, offer_source: null });
});

describe("shares of an owner's price", () => {
  test('follow the acreage, and an unknown acreage counts as the average', () => {
    expect(shareOffer(1_000, [5, 15])).toEqual([250, 750]);
    expect(shareOffer(900, [4, null, 8])).toEqual([200, 300, 400]);
    expect(shareOffer(10, [null, 0])).toEqual([5, 5]);
    expect(shareOffer(10, [3])).toEqual([10]);
  });

  test('are whole dollars that add up to the price', () => {
    const acres = fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), acres, (price, sizes) => {
        const shares = shareOffer(price, sizes);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(price);
        for (const share of shares) expect(Number.isInteger(share) && share >= 0).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
