import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import { LAYER_BITS } from '../../../shared/model/land-layers.ts';
import { total } from '../../../workers/ingest/engine/run-counts.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, ingestRoll, lot, ORIGIN, one, writeFeatures } from '../../support/ingest.ts';
import {
  followed,
  marks,
  road,
  roadFeed,
  roadLine,
  sampleFeed,
  storedFeatures,
  writeRoads,
} from '../../support/layers.ts';

const { folder, pool } = await createTestDatabase();

describe("the sample's layers", () => {
  test.each([
    [
      'bangor-me-roads',
      {
        read: 2099,
        rows: 2099,
        counting: { highway: 61, normal: 529, local: 967, private: 542 },
        not_counting: {},
        repaired: { z_dropped: 2099, duplicate_points_dropped: 3 },
      },
    ],
    [
      'bangor-me-wetlands',
      {
        read: 452,
        rows: 452,
        counting: { palustrine: 340, riverine: 5, unlabelled: 107 },
        not_counting: {},
        repaired: { winding_reversed: 449, self_touch_split: 3 },
      },
    ],
    [
      'bangor-me-flood',
      {
        read: 81,
        rows: 30,
        counting: { AE: 16, A: 14 },
        not_counting: { X500: 51 },
        repaired: { winding_reversed: 30 },
      },
    ],
    [
      'washington-nh-roads',
      {
        read: 246,
        rows: 246,
        counting: { normal: 21, local: 86, private: 139 },
        not_counting: {},
        repaired: {},
      },
    ],
  ])(
    '%s: all features are accounted for, none is rejected, and a second run finds nothing new',
    async (name, expected) => {
      const feed = await sampleFeed(name);
      const { status, counts } = await ingest(pool, feed);
      expect(status).toBe('merged');
      expect({ ...counts, read: total(counts.read) }).toMatchObject({
        ...expected,
        rejected: {},
        identical: 0,
        skipped: 0,
        new: expected.rows,
        unchanged: 0,
        retired: 0,
      });
      const stored = await storedFeatures(pool, name);
      expect(stored).toHaveLength(expected.rows);
      for (const { geometry } of stored)
        expect(
          (name.endsWith('roads') ? decodeLines(geometry) : decodeBoundary(geometry)).length,
        ).toBeGreaterThan(0);
      const again = await ingest(pool, feed);
      expect(again).toMatchObject({
        status: 'unchanged',
        counts: { new: 0, unchanged: expected.rows, retired: 0 },
      });
    },
  );

  test('a line is stored as in its file, without elevation', async () => {
    // The first feature of the file: I-95, [-68.83811310886593, 44.77764991496915, 52.4…], …
    const first = (await storedFeatures(pool, 'bangor-me-roads'))
      .map(row => decodeLines(row.geometry)[0]![0]!)
      .find(([lon]) => lon === -68.8381131);
    expect(first).toEqual([-68.8381131, 44.7776499]);
  });

  test("the layer covers the feed's box, or else the one around everything that was read", async () => {
    const coverage = (name: string) =>
      one<{ coverage: string; kind: string; reach_m: unknown }>(
        pool,
        'select coverage::text, l.kind, reach_m from land_layers l join feeds f on f.id = feed_id where name = $1',
        [name],
      );
    const city = '(-687180000,448805000),(-688595000,447770000)';
    expect(await coverage('bangor-me-roads')).toEqual({
      coverage: city,
      kind: 'roads',
      reach_m: { highway: 60, normal: 30, local: 25, private: 25 },
    });
    expect(await coverage('bangor-me-flood')).toMatchObject({ coverage: city, reach_m: null });
    const feed = await sampleFeed('bangor-me-roads');
    await ingest(pool, { ...feed, name: 'roads-of-no-coverage', coverage: null } as typeof feed);
    expect(await coverage('roads-of-no-coverage')).toMatchObject({
      coverage: '(-687196044,448768604),(-688581643,447776499)',
    });
  });
});

describe('a merge of a layer marks the parcels that it covers', () => {
  /** Property ids by lot number: 0 and 1 lie side by side, 400 eight rows further north, 49 to the east. */
  const ids = new Map<number, number>();
  const lots = [0, 1, 49, 400];
  beforeAll(async () => {
    await ingestRoll(pool, folder, 'lots', [
      ...lots.map(n => ({ properties: { PIN: `P${n}` }, geometry: lot(n) })),
      { properties: { PIN: 'NOWHERE' }, geometry: null },
    ]);
    for (const { property_id, source_key } of await all<{ property_id: number; source_key: string }>(
      pool,
      'select property_id, source_key from parcels',
    ))
      ids.set(Number(source_key.slice(1)), Number(property_id));
  });
  beforeEach(() => pool.query('delete from attributes_dirty'));

  const marked = async () => {
    const found = await marks(pool);
    return lots.filter(n => found.get(ids.get(n)!) !== undefined).map(n => [n, found.get(ids.get(n)!)]);
  };
  const planned = () =>
    all(pool, "select payload from jobs where name = 'attributes.plan' and status = 'queued'");

  test('only those parcels get the bit of the layer kind, and the merge enqueues their plan', async () => {
    // From lot 0 to the middle of lot 1; 0.0005 degrees north of them is the second line.
    writeRoads(folder, 'near', [road(0, 'S1400', 0.002), road(1, 'S1820', 0.002)]);
    const result = await ingest(pool, roadFeed(folder, 'near'));
    expect(await marked()).toEqual([
      [0, LAYER_BITS.roads],
      [1, LAYER_BITS.roads],
    ]);
    expect(await planned()).toEqual([{ payload: { scope: { dirty: true } } }]);
    expect(await followed(pool, result)).toContain('attributes.plan');
  });

  test('an unchanged layer marks nothing', async () => {
    expect((await ingest(pool, roadFeed(folder, 'near'))).status).toBe('unchanged');
    expect(await marked()).toEqual([]);
  });

  test('roads reach beyond their coverage, wetlands do not', async () => {
    const [west, south] = ORIGIN;
    // A box that ends 80 m south of the lots: a reach of 60 m, and 18.3 m more to a dead end,
    // does not come as far.
    const coverage = [west, south - 0.01, west + 0.0003, south - 80 / 111_000];
    const feature = (kind: string) =>
      kind === 'roads' ? road(-5, 'S1400', 0.0005) : { properties: { ATTRIBUTE: 'PFO1E' }, geometry: lot(2) };
    const run = async (name: string, kind: string, reach?: object) => {
      await pool.query('delete from attributes_dirty');
      writeRoads(folder, name, [feature(kind)]);
      const layer = { source: `${name}.ndgeojson`, format: 'ndgeojson', ...(reach && { reach }) };
      const feed = feedOf(folder, { name, kind, coverage, layer });
      // The wetland lies outside its coverage.
      const force = kind === 'wetlands';
      expect((await ingest(pool, feed, { force })).status).toBe('merged');
      return marked();
    };
    // What other layers reach counts, too (see test/db/layer-margins.test.ts).
    await pool.query('truncate land_layers');
    expect(await run('short', 'roads', { highway: 60 })).toEqual([]);
    expect(await run('short', 'roads', { highway: 63 })).toEqual([[0, LAYER_BITS.roads]]);
    expect(await run('bog', 'wetlands')).toEqual([]);
    expect(await run('reaching', 'roads')).toEqual([[0, LAYER_BITS.roads]]);
    // Restore the usual reach for the tests below.
    await run('short', 'roads');
  });

  test('both the old and the new coverage are marked; bits add up, and marked parcels leave their chunk', async () => {
    const wetland = (n: number) => ({ properties: { ATTRIBUTE: 'PUBH' }, geometry: lot(n) });
    const feed = feedOf(folder, {
      name: 'moving',
      kind: 'wetlands',
      layer: { source: 'moving.ndgeojson', format: 'ndgeojson' },
      gates: { max_coverage_drop_percent: 100, max_coverage_growth_percent: 200 },
    });
    writeFeatures(join(folder, 'moving.ndgeojson'), [wetland(49)]);
    await ingest(pool, feed);
    expect(await marked()).toEqual([[49, LAYER_BITS.wetlands]]);
    await pool.query('update attributes_dirty set layers = 2, chunk = 7');
    const before = await one<{ mark: string }>(pool, 'select mark from attributes_dirty');
    writeFeatures(join(folder, 'moving.ndgeojson'), [wetland(400)]);
    await ingest(pool, feed);
    expect(await marked()).toEqual([
      [49, LAYER_BITS.wetlands + LAYER_BITS.roads],
      [400, LAYER_BITS.wetlands],
    ]);
    const after = await one<{ mark: string; chunk: unknown }>(
      pool,
      'select mark, chunk from attributes_dirty where property_id = $1',
      [ids.get(49)],
    );
    expect(after.chunk).toBeNull();
    expect(Number(after.mark)).toBeGreaterThan(Number(before.mark));
  });

  test("all of the feed's county, wherever its features are: it covers that and none of the neighbors' land", async () => {
    writeRoads(folder, 'county', [{ properties: { MTFCC: 'S1200' }, geometry: roadLine(90) }]);
    const feed = roadFeed(folder, 'county', { fips: '33019' });
    expect((await ingest(pool, feed)).status).toBe('merged');
    expect(await marked()).toEqual(lots.map(n => [n, LAYER_BITS.roads]));
    const layer = await one(
      pool,
      "select l.fips, coverage::text from land_layers l join feeds on id = feed_id where name = 'county'",
    );
    // A box without land.
    expect(layer).toEqual({ fips: 33019, coverage: '(0,0),(0,0)' });
    expect((await ingest(pool, feed)).status).toBe('unchanged');
  });

  test("and those beside its features, which count where another layer of the kind says what isn't there", async () => {
    writeRoads(folder, 'beyond', [road(0, 'S1400', 0.0005)]);
    const [west, south] = ORIGIN;
    const coverage = [west - 0.01, south - 0.01, west - 0.009, south - 0.009];
    await ingest(pool, roadFeed(folder, 'beyond', { coverage }), { force: true });
    expect(await marked()).toEqual([[0, LAYER_BITS.roads]]);
    await pool.query('delete from attributes_dirty');
    // It moves away: where it was is computed anew.
    writeRoads(folder, 'beyond', [road(60, 'S1400', 0.0005)]);
    await ingest(pool, roadFeed(folder, 'beyond', { coverage }), { force: true });
    expect(await marked()).toEqual([[0, LAYER_BITS.roads]]);
  });
});

test('a feed keeps its kind once data has been accepted under its name', async () => {
  writeRoads(folder, 'turncoat', [road(0)]);
  const feed = roadFeed(folder, 'turncoat');
  const other = feedOf(folder, {
    name: 'turncoat',
    kind: 'wetlands',
    layer: { source: 'turncoat.ndgeojson', format: 'ndgeojson', columns: { attribute: 'MTFCC' } },
  });
  // Nothing was accepted yet: a slip in a first version of the file is no obstacle.
  await expect(ingest(pool, other)).resolves.toMatchObject({ status: 'blocked' });
  expect((await ingest(pool, feed)).status).toBe('merged');
  await expect(ingest(pool, other)).rejects.toMatchObject({
    code: 'feed_kind',
    message: expect.stringMatching(/turncoat .*\broads\b.*turncoat\.yaml.*\bwetlands\b/),
  });
  expect(await storedFeatures(pool, 'turncoat')).toHaveLength(1);
});

test("another source for one run, relative to the operator's folder", async () => {
  writeRoads(folder, 'elsewhere', [road(0), road(1)]);
  writeRoads(folder, 'usual', [road(0)]);
  const feed = roadFeed(folder, 'usual');
  const result = await ingest(pool, feed, { sources: { layer: join(folder, 'elsewhere.ndgeojson') } });
  expect(result.counts.rows).toBe(2);
  const { inputs } = await one<{ inputs: unknown }>(pool, 'select inputs from runs where id = $1', [
    result.runId,
  ]);
  expect(inputs).toEqual([
    { input: 'layer', source: [join(folder, 'elsewhere.ndgeojson')], bytes: expect.any(Number) },
  ]);
});

test('a source that is missing, or has no column that says what a feature is, fails with what to do', async () => {
  writeFileSync(
    join(folder, 'plain.ndgeojson'),
    JSON.stringify({ type: 'Feature', properties: { NAME: 'x' }, geometry: roadLine(0) }),
  );
  const layer = (kind: string) =>
    feedOf(folder, {
      name: `plain-${kind}`,
      kind,
      layer: { source: 'plain.ndgeojson', format: 'ndgeojson' },
    });
  await expect(ingest(pool, layer('roads'))).rejects.toMatchObject({
    code: 'feed_mapping',
    message: expect.stringContaining('MTFCC'),
  });
  await expect(ingest(pool, layer('wetlands'))).rejects.toMatchObject({
    code: 'feed_mapping',
    message: expect.stringMatching(/^layer\.columns: .*ATTRIBUTE or WETLAND_TYPE.* NAME.*attribute or type/),
  });
  await expect(ingest(pool, layer('flood'))).rejects.toMatchObject({
    message: expect.stringContaining('FLD_ZONE or ZONE or SFHA_TF or SFHA'),
  });
  rmSync(join(folder, 'plain.ndgeojson'));
  await expect(ingest(pool, layer('roads'))).rejects.toMatchObject({ code: 'feed_source' });
});
