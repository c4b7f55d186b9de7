import { expect, test } from 'vitest';
import { SOLD } from '../../../shared/kernels/stats/region-stats.ts';
import { type DatedListings, digestOf, knownPeriod } from '../../../shared/market/dated-listings.ts';

const DAY = 20_000;
const NEVER = 0x7fffffff;

const listings = (): DatedListings => ({
  status: Uint8Array.from([SOLD, SOLD]),
  price: Float64Array.from([100_000, 200_000]),
  acres: Float64Array.from([2, 3]),
  soldDay: Int32Array.from([DAY - 10, DAY - 5]),
  daysOnMarket: Int32Array.from([30, 60]),
  asked: Float64Array.from([110_000, 210_000]),
  until: Int32Array.from([NEVER, NEVER]),
  feedDay: Int32Array.from([DAY, DAY]),
  listedFrom: Int32Array.from([DAY - 100, DAY - 100]),
});

const digest = (of: DatedListings, rows: readonly number[] = [0, 1]) =>
  digestOf(of, rows, knownPeriod(of, rows), DAY);

test.each<[keyof DatedListings, number]>([
  ['status', 1],
  ['price', 100_001],
  ['acres', 2.5],
  ['soldDay', DAY - 11],
  ['daysOnMarket', 31],
  ['asked', 110_001],
  ['until', DAY - 1],
])('the digest changes with %s', (column, value) => {
  const changed = listings();
  changed[column][0] = value;
  expect(digest(changed)).not.toBe(digest(listings()));
});

test('the digest is the same in any order, and for what becomes known after the day', () => {
  expect(digest(listings(), [1, 0])).toBe(digest(listings()));
  const later = listings();
  later.until[0] = DAY + 3;
  expect(digest(later)).toBe(digest(listings()));
  const withLater = listings();
  withLater.soldDay[1] = DAY + 1;
  expect(digest(withLater)).toBe(digest(listings(), [0]));
});
