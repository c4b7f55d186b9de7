import { expect, test } from 'vitest';
import { offerOf } from '../../../shared/lists/offer.ts';
import { type UnsellableReason, unsellableReason } from '../../../shared/model/unsellable-land.ts';
import { type ValuedParcel, valuationProblems } from '../../../shared/model/valuation-problems.ts';

test.each<[string, UnsellableReason | null]>([
  ['EXEMPT-MUNIC', 'exempt'],
  ['EXEMPT-STATE', 'exempt'],
  ['EP - Exempt Property', 'exempt'],
  ['Tax Exempt', 'exempt'],
  ['U.S. Government', 'exempt'],
  ['STATE OWNED', 'exempt'],
  ['AIRPORT', 'exempt'],
  ['AG EXEMPT', null],
  ['Agricultural exemption', null],
  ['HOMESTEAD EXEMPTION', null],
  ['Non-Exempt', null],
  ['PARTIALLY EXEMPT', null],
  ['Right-of-Way', 'right_of_way'],
  ['RIGHTS OF WAY', 'right_of_way'],
  ['ROW', 'right_of_way'],
  ['PRIVATE ROAD', 'right_of_way'],
  ['94 STREETS AND ALLEYS', 'right_of_way'],
  ['ROW HOUSE', null],
  ['VACANT - ROAD FRONTAGE', null],
  ['HIGHWAY COMMERCIAL', null],
  ['WATER', 'water'],
  ['Rivers & Lakes', 'water'],
  ['SUBMERGED LAND', 'water'],
  ['RETENTION POND', 'water'],
  ['1F RES WATERFRONT', null],
  ['LAKE LOT', null],
  ['WETLANDS', null],
  ['COMMON AREA', 'common_area'],
  ['Common Open Space', 'common_area'],
  ['UNMNGD PINE', null],
  ['1010', null],
])('land use %s: %s', (land_use_code, reason) => {
  expect(unsellableReason({ fips: 33_019, land_use_code }, 5)).toBe(reason);
});

test.each<[number, string, UnsellableReason | null]>([
  [12_031, '087', 'exempt'],
  [12_031, '094', 'right_of_way'],
  [12_031, '001', null],
  [18_001, '640', 'exempt'],
  [24_001, 'E', 'exempt'],
  [24_001, 'R', null],
  [25_001, '9030', 'exempt'],
  [34_001, '15C', 'exempt'],
  [36_001, '972', 'water'],
  [48_001, 'XV', 'exempt'],
  // In other states, codes differ by county.
  [33_019, '087', null],
  [42_001, 'E', null],
])('in %d, code %s: %s', (fips, land_use_code, reason) => {
  expect(unsellableReason({ fips, land_use_code }, 5)).toBe(reason);
});

const PARCEL: ValuedParcel = {
  fips: 33_019,
  retired: false,
  acres: 5,
  calculated_acres: 5.2,
  land_use_code: '1F RES',
  value: 40_000,
  value_low: 20_000,
  value_high: 70_000,
  out_of_support: false,
};

test('a sliver is too small, but a parcel of unknown acreage is not', () => {
  expect(valuationProblems({ ...PARCEL, acres: 0.009, calculated_acres: null })).toEqual([
    'too_small',
    'out_of_support',
  ]);
  expect(valuationProblems({ ...PARCEL, acres: 0, calculated_acres: null })).toEqual([]);
  expect(valuationProblems({ ...PARCEL, acres: null, calculated_acres: null })).toEqual([]);
});

test('a valuation counts unless something is wrong with it or with its parcel', () => {
  expect(valuationProblems(PARCEL)).toEqual([]);
  expect(
    valuationProblems({
      ...PARCEL,
      retired: true,
      calculated_acres: 20,
      land_use_code: 'EXEMPT-MUNIC',
      value_low: 5_000,
      out_of_support: true,
    }),
  ).toEqual(['left_the_roll', 'exempt', 'out_of_support', 'too_wide', 'acres_mismatch']);
  expect(
    valuationProblems({ ...PARCEL, value: null, value_low: null, value_high: null, out_of_support: null }),
  ).toEqual(['no_value']);
});

test("exempt land gets no offer, not even based on the roll's own value, but doubts about an estimate don't affect such offers", () => {
  const facts = { ...PARCEL, market_value: 30_000, assessed_value: 20_000 };
  const terms = { percent: 50, percent_high: null, of: 'market_value', round_to: 100 } as const;
  expect(offerOf(terms, { ...facts, out_of_support: true }, null)).toMatchObject({
    offer: 15_000,
    needs_review: [],
  });
  expect(offerOf(terms, { ...facts, land_use_code: 'EXEMPT-MUNIC' }, null)).toMatchObject({
    offer: null,
    needs_review: ['exempt'],
  });
  expect(offerOf({ ...terms, of: 'value' }, { ...facts, land_use_code: 'EXEMPT-MUNIC' }, null)).toMatchObject(
    {
      offer: null,
      needs_review: ['exempt', 'out_of_support'],
    },
  );
});
