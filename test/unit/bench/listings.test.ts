import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ACRE_BUCKETS } from '../../../shared/domain/buckets.ts';
import { LISTING_FIELD_NAMES, LISTING_STATUSES } from '../../../shared/domain/listing-fields.ts';
import { parseFeed } from '../../../workers/feeds/load.ts';
import { listingsFeed } from '../../bench/generate/feed-files.ts';
import {
  generateListings,
  LISTING_COLUMNS,
  LISTING_COPY_COLUMNS,
  listingCopyLines,
  writeListings,
} from '../../bench/generate/listings.ts';

const options = { count: 20_000, seed: 5, asOf: '2025-09-28' };
const listings = [...generateListings(options)];
const share = (test: (listing: (typeof listings)[number]) => boolean) =>
  listings.filter(test).length / listings.length;

const folder = mkdtempSync(join(tmpdir(), 'plat-listings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('generated listings', () => {
  test('are as many as asked for, with identifiers of their own, and the same for the same seed', () => {
    expect(listings).toHaveLength(20_000);
    expect(new Set(listings.map(listing => listing.source_id)).size).toBe(20_000);
    expect([...generateListings({ ...options, count: 500 })]).toEqual(listings.slice(0, 500));
    expect([...generateListings({ ...options, count: 5, seed: 6 })]).not.toEqual(listings.slice(0, 5));
  });

  test('reach all 22 buckets, with every status in the usual share', () => {
    for (const { label, minAcres, maxAcres } of ACRE_BUCKETS) {
      const inside = share(
        ({ lot_acres: acres }) => acres !== null && Number(acres) >= minAcres && Number(acres) < maxAcres,
      );
      expect(inside * listings.length, label).toBeGreaterThan(40);
    }
    for (const status of LISTING_STATUSES)
      expect(share(listing => listing.status === status)).toBeGreaterThan(0.04);
    expect(share(listing => listing.status === 'SOLD')).toBeGreaterThan(0.5);
    expect(share(listing => listing.lot_acres === null)).toBeGreaterThan(0);
  });

  test('have the price per acre fall with acreage', () => {
    const perAcre = (min: number, max: number) => {
      const values = listings
        .filter(({ lot_acres: acres }) => Number(acres) >= min && Number(acres) < max)
        .map(listing => Number(listing.list_price) / Number(listing.lot_acres))
        .sort((a, b) => a - b);
      return values[values.length >> 1]!;
    };
    expect(perAcre(0.1, 0.5)).toBeGreaterThan(2 * perAcre(2, 5));
    expect(perAcre(2, 5)).toBeGreaterThan(2 * perAcre(40, 100));
  });

  test('have dates of the three years before the day, and a closing exactly when sold', () => {
    for (const { status, listed_date: listed, status_date: changed, sold_date: sold } of listings) {
      expect(String(listed) <= String(changed) && String(changed) <= '2025-09-28').toBe(true);
      expect(String(changed) >= '2022-09-28').toBe(true);
      expect(sold).toBe(status === 'SOLD' ? changed : null);
    }
  });

  test('spread over the counties and ZIPs of the country, or keep to one county', () => {
    const wide = new Set<number>();
    for (const listing of generateListings({ ...options, count: 100_000 })) wide.add(listing.countyFips);
    expect(wide.size).toBeGreaterThan(2_900);
    const polk = [...generateListings({ ...options, count: 300, fips: 19153 })];
    expect(new Set(polk.map(listing => listing.countyFips))).toEqual(new Set([19153]));
    expect(new Set(polk.map(listing => listing.zip)).size).toBeGreaterThan(15);
  });

  test('fill every field', () => {
    for (const field of LISTING_FIELD_NAMES) {
      expect(
        share(listing => listing[field] !== null && String(listing[field]) !== ''),
        field,
      ).toBeGreaterThan(0.3);
    }
  });

  test('are written as CSV and NDJSON of the same listings, with feed files for both', async () => {
    const few = { ...options, count: 200 };
    await writeListings(join(folder, 'a.csv'), 'csv', few);
    await writeListings(join(folder, 'a.ndjson'), 'ndjson', few);
    const lines = readFileSync(join(folder, 'a.csv'), 'utf8').trimEnd().split('\n');
    const objects = readFileSync(join(folder, 'a.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines[0]!.split(',')).toEqual(Object.values(LISTING_COLUMNS));
    expect(lines).toHaveLength(201);
    expect(objects.map(object => object.ListingKey)).toEqual(lines.slice(1).map(line => line.split(',')[1]));
    for (const format of ['csv', 'ndjson'] as const) {
      const feed = parseFeed(
        stringify(listingsFeed('generated', `a.${format}`, format)),
        join(folder, 'feed.yaml'),
      );
      expect(feed.kind === 'listings' && Object.keys(feed.listings.columns).sort()).toEqual(
        [...LISTING_FIELD_NAMES].sort(),
      );
    }
  });

  test('are rows for COPY, one field a column', () => {
    const rows = [...listingCopyLines({ ...options, count: 300 }, { feedId: 4, runId: 9 })];
    for (const [i, row] of rows.entries()) {
      const fields = row.trimEnd().split('\t');
      expect(fields).toHaveLength(LISTING_COPY_COLUMNS.length);
      const at = (column: (typeof LISTING_COPY_COLUMNS)[number]) =>
        fields[LISTING_COPY_COLUMNS.indexOf(column)];
      expect(at('status')).toBe(listings[i]!.status);
      expect(at('fips')).toBe(String(listings[i]!.countyFips));
      expect(at('price')).toBe(
        String(listings[i]!.status === 'SOLD' ? listings[i]!.sold_price : listings[i]!.list_price),
      );
      expect(at('changed_run')).toBe('9');
    }
    expect(new Set(rows.map(row => row.slice(0, 36))).size).toBe(300);
  });
});
