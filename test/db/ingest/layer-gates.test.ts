import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Feed } from '../../../workers/ingest/all-kinds.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, type Feature, feedOf, ingest, lot, one, writeFeatures } from '../../support/ingest.ts';
import { road, roadFeed, roadLine, storedFeatures, writeRoads } from '../../support/layers.ts';

const { folder, pool } = await createTestDatabase();

const many = (count: number): Feature[] => Array.from({ length: count }, (_, n) => road(n));

const moved = (by: number): Feature[] =>
  many(20).map(({ properties, geometry }) => ({
    properties,
    geometry: {
      type: 'LineString',
      coordinates: (geometry as { coordinates: number[][] }).coordinates.map(([x, y]) => [x! + by, y!]),
    },
  }));

let feeds = 0;

/** A feed of twenty roads that was merged, to be run with other rows. */
async function merged(
  more: Record<string, unknown> = {},
): Promise<{ feed: Feed; run(rows: Feature[], force?: boolean): ReturnType<typeof ingest> }> {
  const name = `gated-${++feeds}`;
  const feed = roadFeed(folder, name, more);
  const run = (rows: Feature[], force = false) => {
    writeRoads(folder, name, rows);
    return ingest(pool, feed, { force });
  };
  expect((await run(many(20))).status).toBe('merged');
  return { feed, run };
}

describe('a run is blocked, and the layer stays unchanged', () => {
  const broken = (n: number): Feature => ({ properties: { MTFCC: 'S1400' }, geometry: lot(n) });
  const swapped = many(20).map(({ properties, geometry }) => ({
    properties,
    geometry: {
      type: 'LineString' as const,
      coordinates: (geometry as { coordinates: number[][] }).coordinates.map(([x, y]) => [y!, x!]),
    },
  }));

  test.each<[string, string[], Feature[], RegExp]>([
    ['fewer features', ['rows'], many(17), /features .*\b20 to 17 \(15\.0%.*\b10%/],
    ['many rejects', ['rejects'], [...many(21), broken(1), broken(2)], /\b2 of 23 features .*\b8\.7%.*\b5%/],
    [
      'nothing that counts',
      ['empty', 'rows'],
      many(20).map(row => ({ ...row, properties: { MTFCC: 'S1820' } })),
      /\b20 features/,
    ],
    ["another place's file", ['coverage'], moved(1), /100\.0% .*area.*\b10%.* -72\.15 to -72\.14.*fips/],
    [
      'a stray feature far away',
      ['coverage_growth'],
      [...many(20), ...moved(1).slice(0, 1)],
      /area.*\b10000\.0%.*\b10%.* -72\.15 to -72\.14.* -72\.15 to -71\.14.*fips/,
    ],
    [
      'longitude and latitude swapped',
      ['coverage', 'extent'],
      swapped,
      /\b20 of 20 features .*United States.* 43\.2 to .*CRS/,
    ],
  ])('%s', async (_what, gates, rows, message) => {
    const { feed, run } = await merged();
    const before = await storedFeatures(pool, feed.name);
    const result = await run(rows);
    expect(result.status).toBe('blocked');
    expect(result.blocked.map(({ gate }) => gate)).toEqual(expect.arrayContaining(gates));
    expect(result.blocked.map(entry => entry.message).join('\n')).toMatch(message);
    expect(await storedFeatures(pool, feed.name)).toEqual(before);
    const { gate } = await one<{ gate: { blocked: unknown } }>(pool, 'select gate from runs where id = $1', [
      result.runId,
    ]);
    expect(gate.blocked).toEqual(result.blocked);
    // What the gate is for is the operator's to decide.
    expect((await run(rows, true)).status).toBe('merged');
    expect(await one(pool, 'select forced from runs order by id desc limit 1')).toEqual({ forced: true });
  });

  test('a column that had values and is empty now', async () => {
    const name = 'emptied';
    const layer = { source: 'emptied.ndgeojson', format: 'ndgeojson' };
    const feed = feedOf(folder, { name, kind: 'wetlands', layer });
    const rows = (type: string | null) =>
      [0, 1].map(n => ({ properties: { ATTRIBUTE: 'PUBH', WETLAND_TYPE: type }, geometry: lot(n) }));
    writeFeatures(join(folder, 'emptied.ndgeojson'), rows('Freshwater Pond'));
    expect((await ingest(pool, feed)).status).toBe('merged');
    writeFeatures(join(folder, 'emptied.ndgeojson'), rows(null));
    expect((await ingest(pool, feed)).blocked).toEqual([
      { gate: 'empty_column', message: expect.stringMatching(/\btype\b.*\b2 rows/) },
    ]);
  });

  test("features outside the feed's county", async () => {
    const { run } = await merged({
      fips: '33019',
      gates: { max_row_drop_percent: 100, max_outside_percent: 10 },
    });
    const inMaine = {
      properties: { MTFCC: 'S1400' },
      geometry: {
        type: 'LineString' as const,
        coordinates: [
          [-68.8, 44.8],
          [-68.7, 44.8],
        ],
      },
    };
    expect((await run([...many(19), inMaine])).status).toBe('merged');
    expect((await run([...many(7), inMaine])).blocked).toMatchObject([
      { gate: 'extent', message: expect.stringMatching(/\b1 of 8 features .*county/) },
    ]);
  });

  describe('a feed that declares its coverage', () => {
    const coverage = [-73, 43, -71, 44];
    const inWisconsin = (count: number, MTFCC = 'S1400'): Feature[] =>
      Array.from({ length: count }, (_, n) => ({
        properties: { MTFCC },
        geometry: {
          type: 'LineString' as const,
          coordinates: [
            [-89.4, 43.107 + 0.001 * n],
            [-89.39, 43.107 + 0.001 * n],
          ],
        },
      }));
    const run = (rows: Feature[], more = {}, force = false) => {
      const name = `declared-${++feeds}`;
      writeRoads(folder, name, rows);
      return ingest(pool, roadFeed(folder, name, { coverage, ...more }), { force });
    };

    test('is blocked with all features elsewhere, because it would show every parcel as empty', async () => {
      const result = await run(inWisconsin(20));
      expect(result).toMatchObject({
        status: 'blocked',
        blocked: [
          {
            gate: 'coverage',
            message: expect.stringMatching(
              /^20 of 20 features .*coverage.*\b100\.0%.* -73 to -71.* 43 to 44.* -89\.4 to /,
            ),
          },
        ],
      });
      expect(
        await one(pool, 'select count(*)::int as n from land_layers where run_id = $1', [result.runId]),
      ).toEqual({ n: 0 });
      expect((await run(inWisconsin(20), { gates: { max_outside_coverage_percent: 100 } })).status).toBe(
        'blocked',
      );
      const forced = await run(inWisconsin(20), {}, true);
      expect(forced.status).toBe('merged');
      expect(await one(pool, 'select forced, gate from runs where id = $1', [forced.runId])).toMatchObject({
        forced: true,
        gate: { blocked: [{ gate: 'coverage' }], figures: { declared: { placed: 20, outside: 20 } } },
      });
    });

    test("may have one of twenty outside, and more if it says so; features that don't count are checked too", async () => {
      expect((await run([...many(19), ...inWisconsin(1)])).status).toBe('merged');
      const more = [...many(18), ...inWisconsin(1), ...inWisconsin(1, 'S1820')];
      expect((await run(more)).blocked).toEqual([
        {
          gate: 'coverage',
          message: expect.stringMatching(/^2 of 20 features .* \(10\.0%, limit 5%; /),
        },
      ]);
      const gates = { max_outside_coverage_percent: 10 };
      expect((await run(more, { gates })).status).toBe('merged');
    });

    test('may have any number that cross its edge, and those in its county as well', async () => {
      // Of the lines from 72.15 to 72.14 W.
      expect((await run(many(20), { coverage: [-72.145, 43, -71, 44] })).status).toBe('merged');
      expect((await run(many(20), { coverage: [-71.5, 43, -71, 44] })).status).toBe('blocked');
      const both = { coverage: [-71.5, 43, -71, 44], fips: '33019' };
      expect((await run(many(20), both)).status).toBe('merged');
    });
  });

  test("features that move within the county or the declared coverage don't block a run", async () => {
    const { run } = await merged({ fips: '33019' });
    expect((await run(moved(0.1))).blocked).toEqual([]);
    const declared = await merged({ coverage: [-73, 43, -71, 44] });
    expect((await declared.run(moved(0.1))).blocked).toEqual([]);
  });

  test('another county, or a smaller coverage, is no longer covered', async () => {
    const county = await merged({ fips: '33019', gates: { max_outside_percent: 100 } });
    const next = { ...county.feed, fips: 33005 } as Feed;
    expect((await ingest(pool, next)).blocked).toEqual([
      {
        gate: 'coverage',
        message: expect.stringMatching(/% .*area/),
      },
    ]);
    const box = await merged({ coverage: [-73, 43, -71, 44] });
    const smaller = { ...box.feed, coverage: [-73, 43, -72, 44] } as Feed;
    expect((await ingest(pool, smaller)).blocked).toEqual([
      { gate: 'coverage', message: expect.stringMatching(/^50\.0% .*area/) },
    ]);
  });

  test("a box may grow if it isn't the coverage, and as far as the feed says", async () => {
    const rows = [...many(20), road(21, 'S1400', 0.02)];
    const { run } = await merged();
    expect((await run(rows)).blocked.map(({ gate }) => gate)).toEqual(['coverage_growth']);
    for (const more of [
      { fips: '33019' },
      { coverage: [-72.2, 43.1, -72, 43.3] },
      { gates: { max_coverage_growth_percent: 150 } },
    ])
      expect((await (await merged(more)).run(rows)).status).toBe('merged');
  });

  test("the feed's own limits apply", async () => {
    const { run } = await merged({ gates: { max_row_drop_percent: 50, max_coverage_drop_percent: 60 } });
    expect((await run(many(10))).status).toBe('merged');
    expect((await run(many(4))).blocked.map(({ gate }) => gate)).toEqual(['rows', 'coverage']);
  });
});

test('a layer without features that count is merged if forced: it says that there is nothing', async () => {
  writeRoads(folder, 'none', [{ properties: { MTFCC: 'S1820' }, geometry: roadLine(3) }]);
  const feed = roadFeed(folder, 'none');
  expect((await ingest(pool, feed)).blocked.map(({ gate }) => gate)).toEqual(['empty']);
  expect((await ingest(pool, feed, { force: true })).status).toBe('merged');
  const layers = await all(
    pool,
    "select coverage::text from land_layers join feeds on id = feed_id where name = 'none'",
  );
  expect(layers).toEqual([{ coverage: '(-721400000,432030000),(-721500000,432030000)' }]);
  expect(await storedFeatures(pool, 'none')).toEqual([]);
});
