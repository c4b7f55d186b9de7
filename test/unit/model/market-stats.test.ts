import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';
import { METRIC_KEYS, MORE_KEYS } from '../../../shared/model/market-metrics.ts';
import {
  type BucketData,
  type MoreData,
  NO_STATS,
  type RegionFields,
  regionStats,
  statsBody,
  statsEtag,
} from '../../../shared/model/market-stats.ts';
import { columnsOf, dayOf } from '../../support/listing-columns.ts';
import { LABELS, type PlainListing, rangeOf } from '../../support/plain-stats.ts';
import { SULLIVAN } from '../../support/regions.ts';

const active = (price: number, acres: number): PlainListing => ({
  status: 'ACTIVE',
  price,
  acres,
  soldDate: null,
  daysOnMarket: 30,
});
const pending = (price: number, acres: number): PlainListing => ({
  ...active(price, acres),
  status: 'PENDING',
});
const sold = (price: number, acres: number, soldDate: string, daysOnMarket: number | null): PlainListing => ({
  status: 'SOLD',
  price,
  acres,
  soldDate,
  daysOnMarket,
});

const ZIP: RegionFields = {
  fips: '',
  id: '8c7f1f0a-0000-5000-8000-000000000001',
  type: 'zip',
  name: '03280',
  state: 'NH',
  county_name: 'Sullivan',
};

function statsOf(listings: PlainListing[], asOf = '2025-09-28'): { type: string; data: BucketData }[] {
  const stats = regionStats(columnsOf(listings), [...listings.keys()], dayOf(asOf));
  return JSON.parse(statsBody(ZIP, stats)).stats;
}

function bucket(type: string, listings: PlainListing[], asOf?: string) {
  return statsOf(listings, asOf).find(one => one.type === type)?.data;
}

describe('statistics of a region', () => {
  test('a bucket computed by hand', () => {
    const data = bucket('5 acre-10 acre', [
      active(50_000, 5),
      active(90_000, 6),
      active(40_000, 8),
      pending(70_000, 7),
      sold(20_000, 5, '2025-09-01', 10),
      sold(60_000, 6, '2025-07-15', 25),
      sold(45_000, 9, '2025-01-10', null),
      sold(99_000, 9.99, '2023-01-10', 400),
      active(1_000_000, 10),
    ]);
    expect(data).toEqual({
      Active: 3,
      Pending: 1,
      'Sold: 1mo': 1,
      'Sold: 3mo': 2,
      'Sold: 6mo': 2,
      'Sold: 1yr': 3,
      'Pending STR': 33.33,
      '1mo STR': 33.33,
      '3mo STR': 66.67,
      '6mo STR': 66.67,
      '1yr STR': 100,
      'Avg DOM 1mo': 10,
      'Avg DOM 3mo': 17.5,
      'Avg DOM 6mo': 17.5,
      'Avg DOM 1yr': 17.5,
      'Median Price 1mo': 20_000,
      'Median Price 3mo': 40_000,
      'Median Price 6mo': 40_000,
      'Median Price 1yr': 45_000,
      'Median Pending Price': 70_000,
      'Median Active Price': 50_000,
      'Median Active Acreage': 6,
      'Median Pending Acreage': 7,
      'Median Sold Acreage': 6,
      'Median Pending PPA': 10_000,
      'Median Active PPA': 10_000,
      'Median Sold PPA': 5_000,
      'Active PPA Min': 5_000,
      'Active PPA Max': 15_000,
      'Pending PPA Min': 10_000,
      'Pending PPA Max': 10_000,
      'PPA Range 1mo Min': 4_000,
      'PPA Range 1mo Max': 4_000,
      'PPA Range 3mo Min': 4_000,
      'PPA Range 3mo Max': 10_000,
      'PPA Range 6mo Min': 4_000,
      'PPA Range 6mo Max': 10_000,
      'PPA Range 1yr Min': 4_000,
      'PPA Range 1yr Max': 10_000,
      'Gini 1mo': null,
      'Gini 3mo': 21.43,
      'Gini 6mo': 21.43,
      'Gini 1yr': 21.05,
    });
  });

  test('no listing: no bucket', () => {
    expect(statsOf([])).toEqual([]);
  });

  test('a bucket whose only sale is long past is kept, with counts of 0 and nulls', () => {
    const data = bucket('1 acre-2 acre', [sold(10_000, 1.5, '2011-04-01', 9)])!;
    expect(data['Sold: 1yr']).toBe(0);
    expect(data.Active).toBe(0);
    expect(data['1yr STR']).toBeNull();
    expect(data['Avg DOM 1yr']).toBeNull();
    expect(data['Median Sold PPA']).toBeNull();
  });

  test('listings without acres or price are not counted', () => {
    const incomplete = { ...active(10_000, 1), acres: null };
    expect(statsOf([incomplete, active(0, 1), active(10_000, 0), active(5_000, 10_000)])).toEqual([]);
  });

  test.each([
    [0.15, ['0-9.5k sqft', '0-0.25 acre', '0.15 acre-1 acre']],
    [9_500 / 43_560, ['0-0.25 acre', '0.15 acre-1 acre', '0.2 acre-100 acre', '9.5k sqft-1 acre']],
    [1, ['0.2 acre-100 acre', '1 acre-2 acre', '1 acre-3 acre']],
    [100, ['5 acre-10000 acre', '40 acre-10000 acre', '80 acre-500 acre', '100 acre-10000 acre']],
  ])('%d acres is in the buckets that begin there and in none that end there', (acres, types) => {
    expect(statsOf([active(10_000, acres)]).map(one => one.type)).toEqual(types);
  });

  test.each([
    ['2025-03-31', '2025-02-28', 0],
    ['2025-03-31', '2025-03-01', 1],
    ['2025-03-31', '2025-03-31', 1],
    ['2025-03-31', '2025-04-01', 0],
    ['2024-03-31', '2024-02-29', 0],
    ['2024-03-30', '2024-03-01', 1],
    ['2025-02-28', '2025-01-28', 0],
    ['2025-02-28', '2025-01-29', 1],
  ])('as of %s a sale of %s counts %d times in 1mo', (asOf, soldDate, count) => {
    const data = bucket('1 acre-2 acre', [sold(10_000, 1, soldDate, 5), active(1, 1)], asOf)!;
    expect(data['Sold: 1mo']).toBe(count);
  });

  test('a leap day counts as a year before the end of February', () => {
    const listings = [sold(10_000, 1, '2024-02-29', 5), sold(20_000, 1, '2024-02-28', 5)];
    expect(bucket('1 acre-2 acre', listings, '2025-02-28')!['Sold: 1yr']).toBe(1);
  });

  test('means that end in half a cent are rounded up, as decimals', () => {
    const data = bucket('1 acre-2 acre', [active(1.0, 1), active(1.01, 1.01)])!;
    expect(data['Median Active Price']).toBe(1.01);
    expect(data['Median Active Acreage']).toBe(1.01);
  });
});

describe('the etag', () => {
  const region: RegionFields = SULLIVAN;
  const data = (bucket: number) =>
    Object.fromEntries(
      METRIC_KEYS.map((key, i) => [key, i % 3 === 0 ? null : (137 * i + bucket) / 100]),
    ) as BucketData;
  const more = () =>
    Object.fromEntries(MORE_KEYS.map((key, i) => [key, i === 2 ? null : i - 1.5])) as MoreData;
  const example = () => ({
    asOf: '2025-09-28',
    buckets: ACRE_BUCKETS.map((_, bucket) =>
      bucket === 0 || bucket === 11 ? { listings: bucket + 1, data: data(bucket), more: more() } : null,
    ),
  });

  test('differs with every field, every figure and every bucket', () => {
    const etags = new Set([statsEtag(region, example()), statsEtag(region, NO_STATS)]);
    etags.add(statsEtag(region, { ...example(), asOf: '2025-09-29' }));
    let changes = 3;
    for (const field of Object.keys(region)) {
      etags.add(statsEtag({ ...region, [field]: 'other' }, example()));
      changes++;
    }
    for (const bucket of [0, 11]) {
      const more = example();
      more.buckets[bucket]!.listings++;
      etags.add(statsEtag(region, more));
      changes++;
      for (const key of METRIC_KEYS) {
        const stats = example();
        const { data } = stats.buckets[bucket]!;
        data[key] = (data[key] ?? -0.01) + 0.01;
        etags.add(statsEtag(region, stats));
        changes++;
      }
      for (const key of MORE_KEYS) {
        const stats = example();
        const { more } = stats.buckets[bucket]!;
        (more as Record<string, number>)[key] = (more[key] ?? -1.01) + 0.01;
        etags.add(statsEtag(region, stats));
        changes++;
      }
    }
    const moved = example();
    [moved.buckets[11], moved.buckets[12]] = [moved.buckets[12]!, moved.buckets[11]!];
    expect(etags.add(statsEtag(region, moved)).size).toBe(changes + 1);
  });

  // When this fails, responses have other bytes: raise RESPONSE_FORMAT, or those that are
  // stored stay as they are.
  test('stands for exactly these bytes', () => {
    const body = statsBody(region, example());
    expect([
      statsEtag(region, example()),
      createHash('sha256').update(body).digest('hex').slice(0, 16),
    ]).toEqual(['"m5izeHLX2tzSTrjpeif8R6"', 'd98d9c25084c94d3']);
  });
});

describe('acre buckets', () => {
  test('are the 22 published ones, in order', () => {
    expect(ACRE_BUCKETS.map(bucket => bucket.label)).toEqual(LABELS);
    expect(ACRE_BUCKETS).toHaveLength(22);
  });

  test.each(ACRE_BUCKETS)('$label has the range that its label says', ({ label, minAcres, maxAcres }) => {
    expect([minAcres, maxAcres]).toEqual(rangeOf(label));
  });

  test('9.5k sqft is 9,500 of the 43,560 square feet of an acre', () => {
    expect(ACRE_BUCKETS[0].maxAcres).toBeCloseTo(0.218089990817, 12);
  });
});

describe('metric keys', () => {
  test('are the 43 published ones, in order', () => {
    const published = `Active|Pending|Sold: 1mo|Sold: 3mo|Sold: 6mo|Sold: 1yr|Pending STR|1mo STR|3mo STR|6mo STR|1yr STR
Avg DOM 1mo|Avg DOM 3mo|Avg DOM 6mo|Avg DOM 1yr
Median Price 1mo|Median Price 3mo|Median Price 6mo|Median Price 1yr|Median Pending Price|Median Active Price
Median Active Acreage|Median Pending Acreage|Median Sold Acreage|Median Pending PPA|Median Active PPA|Median Sold PPA
Active PPA Min|Active PPA Max|Pending PPA Min|Pending PPA Max|PPA Range 1mo Min|PPA Range 1mo Max
PPA Range 3mo Min|PPA Range 3mo Max|PPA Range 6mo Min|PPA Range 6mo Max|PPA Range 1yr Min|PPA Range 1yr Max
Gini 1mo|Gini 3mo|Gini 6mo|Gini 1yr`;
    expect(METRIC_KEYS).toEqual(published.split(/[|\n]/));
  });
});
