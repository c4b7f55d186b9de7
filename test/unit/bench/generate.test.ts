import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { areaSqM } from '../../../shared/geo/geodesic-area.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';
import { LISTING_FIELD_NAMES, LISTING_STATUSES } from '../../../shared/model/listing-fields.ts';
import { countyAt } from '../../../shared/regions/county-polygons.ts';
import { type FlatRing, fabric, shapeOf } from '../../bench/generate/fabric.ts';
import { rollFeed } from '../../bench/generate/feed-files.ts';
import { generateListings } from '../../bench/generate/listings.ts';
import { generateParcels, KEY_COLUMN, ROLL_FIELDS, writeRoll } from '../../bench/generate/roll.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

const edgesOf = (ring: FlatRing): string[] =>
  Array.from({ length: ring.length / 2 }, (_, i) => {
    const j = (2 * i + 2) % ring.length;
    return [ring[2 * i], ring[2 * i + 1], ring[j], ring[j + 1]].join();
  });
const turned = (edge: string) => {
  const [ax, ay, bx, by] = edge.split(',');
  return [bx, by, ax, ay].join();
};

describe('the parcel fabric', () => {
  const extent: Box = [-93.7, 41.6, -93.5, 41.7];
  const sections = [...fabric({ count: 4_000, seed: 11, extent })];
  const parcels = sections.flatMap(section => section.parcels);

  test('has exactly the requested number of parcels, at any size, each numbered once, the same for the same seed', () => {
    expect(new Set(parcels.map(({ section, block, lot }) => `${section}/${block}/${lot}`)).size).toBe(4_000);
    for (const count of [1, 2, 19, 333]) {
      const made = [...fabric({ count, seed: 3, extent })];
      expect(made.flatMap(section => section.parcels)).toHaveLength(count);
      expect([...fabric({ count, seed: 3, extent })]).toEqual(made);
      expect([...fabric({ count, seed: 4, extent })]).not.toEqual(made);
    }
    expect(() => [...fabric({ count: 5_000, seed: 1, extent: [-93.7, 41.6, -93.699, 41.601] })]).toThrow(
      /\b5000 parcels/,
    );
  });

  test('neighbors share their boundary to the last unit, and nothing has two parcels on one side', () => {
    for (const section of sections) {
      const edges = section.parcels.flatMap(({ polygons }) => polygons.flat().flatMap(edgesOf));
      const directed = new Set(edges);
      expect(directed.size).toBe(edges.length);
      // What nobody lies behind is along a street: two sides of a block at the most.
      const shared = edges.filter(edge => directed.has(turned(edge))).length;
      if (section.parcels.length > 40) expect(shared / edges.length).toBeGreaterThan(0.5);
    }
  });

  test('has parcels with holes, in holes, and in two parts, with 11 positions on average and measured areas', () => {
    for (const kind of ['donut', 'island', 'multipart'])
      expect(parcels.filter(parcel => parcel.kind === kind).length, kind).toBeGreaterThan(10);
    const positions = parcels.map(({ polygons }) => shapeOf(polygons).flat(2).length);
    expect(positions.reduce((sum, n) => sum + n, 0) / parcels.length).toBeCloseTo(11, 0);
    for (const { areaSqM: stated, polygons } of parcels)
      expect(Math.abs(areaSqM(shapeOf(polygons)) / stated - 1)).toBeLessThan(0.01);
  });
});

describe('a generated roll', () => {
  const options = { parcels: 3_000, seed: 42 };
  const roll = [...generateParcels(options)];
  const shareOf = (field: (typeof ROLL_FIELDS)[number], test: (value: unknown) => boolean) =>
    roll.filter(({ record }) => test(record[field])).length / roll.length;
  let bytes: Buffer;
  beforeAll(async () => {
    await writeRoll(join(folder, 'roll'), options);
    bytes = readFileSync(join(folder, 'roll'));
  });

  test('is the same bytes for the same seed: one feature per line, each with its own key', async () => {
    await writeRoll(join(folder, 'again'), options);
    expect(readFileSync(join(folder, 'again')).equals(bytes)).toBe(true);
    const features = bytes.toString().trimEnd().split('\n');
    const keys = features.map(line => JSON.parse(line).properties[KEY_COLUMN]);
    expect(new Set(keys).size).toBe(3_000);
    expect(bytes.length / 3_000).toBeGreaterThan(600);
    expect(bytes.length / 3_000).toBeLessThan(1_000);
  });

  test('is loaded whole, without a rejected row or a repair', async () => {
    const { status, blocked, counts } = await ingest(
      pool,
      feedOf(folder, { ...rollFeed('generated', 'roll') }),
    );
    expect({ status, blocked }).toEqual({ status: 'merged', blocked: [] });
    const clean = { rejected: {}, dropped: {}, repaired: {}, without_geometry: 0 };
    expect(counts).toMatchObject({ new: 3_000, ...clean });
  });

  test('fills every field in a share of the parcels, lies in its county, and states the measured acres', () => {
    for (const field of ROLL_FIELDS)
      expect(
        shareOf(field, value => value !== null),
        field,
      ).toBeGreaterThan(0.01);
    for (const { record, shape } of roll) {
      for (const [lon, lat] of shapeOf(shape.polygons).flat(2)) expect(countyAt(lon, lat)).toBe(19153);
      if (Number(record.acres) > 0.1)
        expect(Number(record.acres) / (shape.areaSqM / SQ_M_PER_ACRE)).toBeCloseTo(1, 0);
    }
    expect(() => generateParcels({ parcels: 1, seed: 1, fips: 99999 }).next()).toThrow(/county 99999/);
  });

  test('has owners of one parcel and of many, companies and trusts, and owners in other states', () => {
    const portfolios = new Map<unknown, number>();
    for (const { record } of roll)
      portfolios.set(record.owner_name, (portfolios.get(record.owner_name) ?? 0) + 1);
    const sizes = [...portfolios.values()];
    expect(sizes.filter(size => size === 1).length / sizes.length).toBeGreaterThan(0.7);
    expect(Math.max(...sizes)).toBeGreaterThan(15);
    for (const kind of [/ LLC$/, / TRUST$/, / HOMEOWNERS ASSOCIATION$/])
      expect(
        shareOf('owner_name', name => kind.test(String(name))),
        String(kind),
      ).toBeGreaterThan(0.005);
    expect(shareOf('mail_state', state => state !== 'IA')).toBeGreaterThan(0.05);
  });
});

test('generated listings reach all buckets and statuses, fill every field, and are the same for the same seed', () => {
  const options = { count: 5_000, seed: 5, asOf: '2025-09-28' };
  const listings = [...generateListings(options)];
  expect(new Set(listings.map(listing => listing.source_id)).size).toBe(5_000);
  expect([...generateListings({ ...options, count: 500 })]).toEqual(listings.slice(0, 500));
  for (const { label, minAcres, maxAcres } of ACRE_BUCKETS) {
    const inside = listings.filter(
      ({ lot_acres: acres }) => acres !== null && +acres >= minAcres && +acres < maxAcres,
    );
    expect(inside.length, label).toBeGreaterThan(10);
  }
  for (const status of LISTING_STATUSES)
    expect(listings.filter(listing => listing.status === status).length).toBeGreaterThan(200);
  for (const field of LISTING_FIELD_NAMES)
    expect(
      listings.filter(listing => listing[field] !== null && String(listing[field]) !== '').length,
      field,
    ).toBeGreaterThan(1_500);
  for (const { status, listed_date: listed, status_date: changed, sold_date: sold } of listings) {
    expect(String(listed) <= String(changed) && String(changed) <= '2025-09-28').toBe(true);
    expect(sold).toBe(status === 'SOLD' ? changed : null);
  }
});
