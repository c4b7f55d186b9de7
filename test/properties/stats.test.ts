import fc from 'fast-check';
import { expect, test } from 'vitest';
import { METRIC_KEYS } from '../../shared/model/market-metrics.ts';
import { type RegionFields, regionStats, statsBody } from '../../shared/model/market-stats.ts';
import { columnsOf, dateOf, dayOf } from '../support/listing-columns.ts';
import {
  LABELS,
  monthsBefore,
  type PlainBucket,
  type PlainListing,
  plainStats,
  rangeOf,
} from '../support/plain-stats.ts';
import { runs } from '../support/runs.ts';

const EDGES = [...new Set(LABELS.flatMap(rangeOf))];
const REGION: RegionFields = {
  id: '00000000-0000-5000-8000-000000000000',
  type: 'county',
  name: 'Doña Ana',
  state: 'NM',
  county_name: 'Doña Ana',
  fips: '35013',
};

const asOfDate = fc.oneof(
  fc.constantFrom(
    '2024-02-29',
    '2025-02-28',
    '2024-03-31',
    '2025-03-31',
    '2025-05-31',
    '2024-12-31',
    '2025-01-01',
  ),
  fc.integer({ min: dayOf('2015-01-01'), max: dayOf('2030-12-31') }).map(dateOf),
);

const acres = fc.oneof(
  fc.constantFrom(...EDGES, ...EDGES.map(edge => edge * (1 - 2 ** -53)), 20_000, -1),
  fc.integer({ min: 1, max: 2000 }).map(n => n / 100),
  fc.double({ min: 0.001, max: 15_000, noNaN: true }),
  fc.constant(null),
);

const price = fc.oneof(
  fc.constantFrom(0, 1, 10_000, 10_000, 20_000, 30_000, -5),
  fc.integer({ min: 1, max: 100_000_000 }).map(cents => cents / 100),
  fc.constant(null),
);

const soldDate = (asOf: string) =>
  fc.oneof(
    fc
      .record({ months: fc.constantFrom(0, 1, 3, 6, 12), days: fc.integer({ min: -1, max: 1 }) })
      .map(({ months, days }) => dateOf(dayOf(monthsBefore(asOf, months)) + days)),
    fc.integer({ min: -10, max: 800 }).map(ago => dateOf(dayOf(asOf) - ago)),
    fc.constant(null),
  );

const listing = (asOf: string): fc.Arbitrary<PlainListing> =>
  fc.record({
    status: fc.constantFrom('ACTIVE', 'PENDING', 'SOLD', 'SOLD'),
    price,
    acres,
    soldDate: soldDate(asOf),
    daysOnMarket: fc.option(fc.integer({ min: 0, max: 900 })),
    asked: price,
  });

const market = (maxLength: number) =>
  asOfDate.chain(asOf =>
    fc.record({
      asOf: fc.constant(asOf),
      listings: fc.array(listing(asOf), { maxLength, size: 'max' }),
    }),
  );

/** The `stats` of the stored body. */
function computed(listings: PlainListing[], asOf: string, rows = [...listings.keys()]): PlainBucket[] {
  return JSON.parse(statsBody(REGION, regionStats(columnsOf(listings), rows, dayOf(asOf)))).stats;
}

test.each([
  [40, 200],
  // More than any run of the sorts.
  [400, 25],
])('every bucket and key is what the definitions say, of up to %i listings', (most, numRuns) => {
  fc.assert(
    fc.property(market(most), ({ listings, asOf }) => {
      expect(computed(listings, asOf)).toEqual(plainStats(listings, asOf));
    }),
    { numRuns },
  );
});

/** A market, and something of its listings. */
const marketWith = <T>(most: number, of: (listings: PlainListing[]) => fc.Arbitrary<T>) =>
  market(most).chain(one => fc.tuple(fc.constant(one), of(one.listings)));

test("the order of the rows doesn't matter", () => {
  fc.assert(
    fc.property(
      marketWith(60, listings => fc.shuffledSubarray(listings, { minLength: listings.length })),
      ([{ listings, asOf }, shuffled]) => {
        expect(computed(shuffled, asOf)).toEqual(computed(listings, asOf));
      },
    ),
    { numRuns: runs(50) },
  );
});

test('only the named rows count', () => {
  fc.assert(
    fc.property(
      marketWith(30, listings => fc.shuffledSubarray([...listings.keys()])),
      ([{ listings, asOf }, rows]) => {
        const named = rows.map(row => listings[row]!);
        expect(computed(listings, asOf, rows)).toEqual(plainStats(named, asOf));
      },
    ),
    { numRuns: runs(50) },
  );
});

test('the body has the region and then its buckets, with keys in the published order', () => {
  fc.assert(
    fc.property(market(30), ({ listings, asOf }) => {
      const stats = computed(listings, asOf);
      for (const { data } of stats) expect(Object.keys(data)).toEqual(METRIC_KEYS);
      const body = statsBody(REGION, regionStats(columnsOf(listings), [...listings.keys()], dayOf(asOf)));
      const as_of = listings.length > 0 ? asOf : null;
      expect(body).toBe(JSON.stringify({ ...REGION, as_of, stats }));
    }),
    { numRuns: runs(30) },
  );
});
