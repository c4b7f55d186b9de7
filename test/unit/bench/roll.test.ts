import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { areaSqM, SQ_M_PER_ACRE } from '../../../shared/geo/area.ts';
import type { MultiPolygon, Polygon, Position } from '../../../shared/geo/types.ts';
import { countyAt } from '../../../shared/regions/county-polygons.ts';
import { parseFeed } from '../../../workers/feeds/load.ts';
import { rollFeed, writeFeed } from '../../bench/generate/feed-files.ts';
import { mutateRoll } from '../../bench/generate/mutate.ts';
import {
  generateParcels,
  KEY_COLUMN,
  ROLL_COLUMNS,
  ROLL_FIELDS,
  writeRoll,
} from '../../bench/generate/roll.ts';

const PARCELS = 3_000;
const options = { parcels: PARCELS, seed: 42 };

type Feature = {
  properties: Record<string, string | number>;
  geometry: { type: 'Polygon'; coordinates: Polygon } | { type: 'MultiPolygon'; coordinates: MultiPolygon };
};

let folder: string;
let roll: string;
let features: Feature[];
const path = (name: string) => join(folder, name);
const read = (name: string): Feature[] =>
  readFileSync(path(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Feature);
const digest = (name: string) =>
  createHash('sha256')
    .update(readFileSync(path(name)))
    .digest('hex');
const polygons = ({ geometry }: Feature): MultiPolygon =>
  geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
const column = (field: keyof typeof ROLL_COLUMNS) =>
  features.map(({ properties }) => properties[ROLL_COLUMNS[field]]);
const keys = (list: Feature[]) => list.map(({ properties }) => String(properties[KEY_COLUMN]));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plat-roll-'));
  roll = path('roll.ndgeojson');
  await writeRoll(roll, 'ndgeojson', options);
  features = read('roll.ndgeojson');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a generated roll', () => {
  test('has the parcels asked for, each under a key of its own', () => {
    expect(features).toHaveLength(PARCELS);
    expect(new Set(keys(features)).size).toBe(PARCELS);
    expect(new Set(column('apn')).size).toBe(PARCELS);
  });

  test('is the same bytes for the same seed, and others for another', async () => {
    await writeRoll(path('again'), 'ndgeojson', options);
    await writeRoll(path('other'), 'ndgeojson', { ...options, seed: 43 });
    expect(digest('again')).toBe(digest('roll.ndgeojson'));
    expect(digest('other')).not.toBe(digest('roll.ndgeojson'));
  });

  test('fills every field of a parcel, in a share of the parcels', () => {
    for (const field of ROLL_FIELDS) {
      const filled = column(field).filter(value => value !== undefined).length;
      expect(filled / PARCELS, field).toBeGreaterThan(0.015);
    }
  });

  test('weighs 600 to 1,000 bytes a parcel', () => {
    const bytes = readFileSync(roll).length / PARCELS;
    expect(bytes).toBeGreaterThan(600);
    expect(bytes).toBeLessThan(1_000);
  });

  test('lies in its county', () => {
    for (const feature of features) {
      for (const [lon, lat] of polygons(feature).flat(2) as Position[])
        expect(countyAt(lon, lat)).toBe(19153);
    }
  });

  test('lies in another county when asked to', async () => {
    await writeRoll(path('story'), 'ndgeojson', { parcels: 200, seed: 1, fips: 19169 });
    const story = read('story');
    expect(story.every(feature => countyAt(...polygons(feature)[0]![0]![0]!) === 19169)).toBe(true);
    expect(new Set(story.map(({ properties }) => properties.SITEST))).toEqual(new Set(['IA']));
    expect(() => generateParcels({ parcels: 1, seed: 1, fips: 99999 }).next()).toThrow(/no county 99999/);
  });

  test('states acres that its boundaries bear out, but for the parcels that state none', () => {
    const stated = features.filter(({ properties }) => properties.ACRES !== 0);
    expect(stated.length / PARCELS).toBeGreaterThan(0.94);
    expect(stated.length).toBeLessThan(PARCELS);
    for (const feature of stated) {
      const measured = areaSqM(polygons(feature)) / SQ_M_PER_ACRE;
      if (measured > 0.1) expect(Number(feature.properties.ACRES) / measured).toBeCloseTo(1, 0);
    }
  });

  test('has owners with portfolios: many with one parcel, few with many', () => {
    const portfolios = new Map<string, number>();
    for (const owner of column('owner_name'))
      portfolios.set(String(owner), (portfolios.get(String(owner)) ?? 0) + 1);
    const sizes = [...portfolios.values()].sort((a, b) => b - a);
    expect(sizes.filter(size => size === 1).length / sizes.length).toBeGreaterThan(0.7);
    expect(sizes[0]).toBeGreaterThan(15);
    expect(sizes[0]! / PARCELS).toBeLessThan(0.05);
    // Zipf: the tenth has a good deal less than the first, and a good deal more than one.
    expect(sizes[9]!).toBeLessThan(sizes[0]!);
    expect(sizes[9]!).toBeGreaterThan(4);
  });

  test('has persons, companies, trusts, associations, and owners in other states', () => {
    const owners = column('owner_name').map(String);
    for (const kind of [/ LLC$/, / TRUST$/, / HOMEOWNERS ASSOCIATION$/, /^[^ ]+, [A-Z]+ [A-Z]$/]) {
      expect(owners.filter(owner => kind.test(owner)).length, String(kind)).toBeGreaterThan(20);
    }
    const far = column('mail_state').filter(state => state !== 'IA').length / PARCELS;
    expect(far).toBeGreaterThan(0.05);
    expect(far).toBeLessThan(0.3);
  });

  test('one portfolio has one mailing address', () => {
    const addresses = new Map<string, Set<string>>();
    for (const { properties } of features) {
      if (!/ (LLC|INC|LP|CO)$/.test(String(properties.OWNER1))) continue;
      const known = addresses.get(String(properties.OWNER1)) ?? new Set();
      addresses.set(String(properties.OWNER1), known.add(`${properties.MAILADDR}/${properties.MAILZIP}`));
    }
    const shared = [...addresses.values()].filter(set => set.size === 1).length;
    // Two companies may have drawn the same name.
    expect(shared / addresses.size).toBeGreaterThan(0.9);
  });

  test('never dates anything after the day of the roll', () => {
    const days = [...column('last_sale_date'), ...column('mortgage_date')].filter(day => day !== undefined);
    expect(days.every(day => /^\d{4}-\d\d-\d\d$/.test(String(day)) && String(day) <= '2025-01-01')).toBe(
      true,
    );
  });

  test('is a FeatureCollection of the same features, or a CSV of the same rows', async () => {
    await writeRoll(path('roll.geojson'), 'geojson', options);
    const collection = JSON.parse(readFileSync(path('roll.geojson'), 'utf8')) as {
      type: string;
      features: Feature[];
    };
    expect(collection.type).toBe('FeatureCollection');
    expect(collection.features).toEqual(features);
    await writeRoll(path('roll.csv'), 'csv', options);
    const lines = readFileSync(path('roll.csv'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(PARCELS + 1);
    expect(lines[0]).toBe([KEY_COLUMN, ...Object.values(ROLL_COLUMNS)].join());
    expect(lines.slice(1).map(line => line.split(',')[0])).toEqual(keys(features));
  });

  test('comes with a feed file that the feed format accepts', () => {
    writeFeed(path('roll.yaml'), rollFeed('generated-roll', 'roll.ndgeojson'));
    const feed = parseFeed(readFileSync(path('roll.yaml'), 'utf8'), path('roll.yaml'));
    expect(feed).toMatchObject({ kind: 'assessor', name: 'generated-roll', fips: 19153 });
    expect(feed.kind === 'assessor' && Object.keys(feed.roll.columns).sort()).toEqual(
      [...ROLL_FIELDS].sort(),
    );
    expect(() => parseFeed(stringify(rollFeed('x', 'roll.csv')), path('x.yaml'))).not.toThrow();
  });
});

describe("next year's roll", () => {
  test('has as many changed, removed and added parcels as it says, and about as many as asked for', async () => {
    const counts = await mutateRoll(roll, path('next'), {
      ...{ seed: 7, changedShare: 0.1, removedShare: 0.03, addedShare: 0.02 },
    });
    const before = new Map(
      features.map(feature => [String(feature.properties[KEY_COLUMN]), JSON.stringify(feature)]),
    );
    const next = read('next');
    const after = new Map(
      next.map(feature => [String(feature.properties[KEY_COLUMN]), JSON.stringify(feature)]),
    );
    expect(after.size).toBe(next.length);
    const stayed = [...after].filter(([key]) => before.has(key));
    expect(counts).toEqual({
      read: PARCELS,
      unchanged: stayed.filter(([key, text]) => before.get(key) === text).length,
      changed: stayed.filter(([key, text]) => before.get(key) !== text).length,
      removed: [...before.keys()].filter(key => !after.has(key)).length,
      added: [...after.keys()].filter(key => !before.has(key)).length,
    });
    expect(counts.changed / PARCELS).toBeCloseTo(0.1, 1);
    expect(counts.removed / PARCELS).toBeCloseTo(0.03, 1);
    expect(counts.added / PARCELS).toBeCloseTo(0.02, 2);
  });

  test('cuts new parcels from old ones without gap or overlap', async () => {
    await mutateRoll(roll, path('next'), { seed: 1, changedShare: 0.2, removedShare: 0, addedShare: 0.2 });
    const area = (list: Feature[]) => list.reduce((sum, feature) => sum + areaSqM(polygons(feature)), 0);
    const next = read('next');
    expect(next.length).toBeGreaterThan(PARCELS * 1.15);
    expect(Math.abs(area(next) / area(features) - 1)).toBeLessThan(1e-9);
  });

  test('carries forward for years without a key coming twice', async () => {
    const shares = { seed: 1, changedShare: 0.3, removedShare: 0, addedShare: 0.3 };
    await mutateRoll(roll, path('second'), { ...shares, generation: 1 });
    await mutateRoll(path('second'), path('third'), { ...shares, generation: 2 });
    const third = keys(read('third'));
    expect(new Set(third).size).toBe(third.length);
  });

  test('is the same roll, byte for byte, when nothing changes', async () => {
    const counts = await mutateRoll(roll, path('same'), {
      seed: 1,
      changedShare: 0,
      removedShare: 0,
      addedShare: 0,
    });
    expect(counts).toMatchObject({ unchanged: PARCELS, changed: 0, removed: 0, added: 0 });
    expect(digest('same')).toBe(digest('roll.ndgeojson'));
  });

  test('says which line of a foreign file it cannot read', async () => {
    const shares = { seed: 1, changedShare: 1, removedShare: 0, addedShare: 0 };
    await expect(mutateRoll(import.meta.filename, path('none'), shares)).rejects.toThrow(
      /Line 1 is no feature/,
    );
  });
});
