import { expect, test } from 'vitest';
import { isOfParcel } from '../../../shared/comping/own-sale.ts';
import { isSameApn, nameOfParcel } from '../../../shared/model/roll-text.ts';

test.each([
  ['000007 000044 000000', '7-44', true],
  ['000007 000044 000000', '000007-000044-000000', true],
  ['r20-001-c', 'R20 001 C', true],
  ['7-44', '7-45', false],
  ['', '', false],
  ['7-44', '', false],
])('the numbers %s and %s are the same: %s', (one, other, isSame) => {
  expect(isSameApn(one, other)).toBe(isSame);
  expect(isSameApn(other, one)).toBe(isSame);
});

test("a parcel's own sale has its number and is where the parcel is", () => {
  const parcel = { apn: '000007 000044 000000', lon: -72.11, lat: 43.198, acres: 5.2 };
  expect(isOfParcel({ apn: '7-44', lon: -72.112, lat: 43.199 }, parcel)).toBe(true);
  // The same number in the next town.
  expect(isOfParcel({ apn: '7-44', lon: -72.16, lat: 43.198 }, parcel)).toBe(false);
  expect(isOfParcel({ apn: '7-44', lon: -72.16, lat: 43.198 }, { ...parcel, acres: 5_000 })).toBe(true);
  expect(isOfParcel({ apn: null, lon: -72.11, lat: 43.198 }, { ...parcel, apn: null })).toBe(false);
});

test.each([
  [{ situs_address: '12 N MAIN ST', apn: '1' }, '12 N Main St'],
  [{ situs_address: null, apn: '000007 000044 000000' }, 'APN 7-44'],
  [{ situs_address: '', apn: '' }, 'No address'],
])('%o is called %s', (parcel, name) => {
  expect(nameOfParcel(parcel)).toBe(name);
});
