import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderCheck } from '../../../../cli/feed-check-report.ts';
import { checkFeed } from '../../../../workers/ingest/check-feed.ts';
import type { ElevationFeed } from '../../../../workers/ingest/kinds/elevation/elevation-feed.ts';
import type { LayerFeed } from '../../../../workers/ingest/layers/vector-layer.ts';
import { loadFeed, parseFeed } from '../../../../workers/ingest/load-feeds.ts';
import { testFolder } from '../../../support/folder.ts';
import { geographicKeys, writeTiff } from '../../../support/geotiff.ts';
import { fault, feedOf, sampleFeeds } from '../../feeds/support.ts';

const ROADS = { name: 'r', kind: 'roads', layer: { source: 'r.geojson', format: 'geojson' } };
const HEIGHTS = { name: 'h', kind: 'elevation', elevation: { source: 'h.tif' } };

describe("a layer's file", () => {
  test('needs little: the columns are those of TIGER, the NWI, and FEMA, the reach that of its classes', () => {
    expect(feedOf(stringify(ROADS))).toMatchObject({
      kind: 'roads',
      layer: { columns: { mtfcc: { column: 'MTFCC' } }, skipWhere: [] },
      coverage: null,
      fips: null,
      reachM: { highway: 60, normal: 30, local: 25, private: 25 },
      gates: { max_coverage_drop_percent: 10 },
    });
    const wetlands = feedOf(stringify({ ...ROADS, kind: 'wetlands' })) as LayerFeed;
    expect(wetlands.layer.columns).toMatchObject({
      attribute: { column: 'ATTRIBUTE' },
      type: { column: 'WETLAND_TYPE' },
    });
    expect(wetlands.reachM).toBeNull();
    const flood = feedOf(stringify({ ...ROADS, kind: 'flood' })) as LayerFeed;
    expect(flood.layer.columns).toMatchObject({
      zone: { first_of: ['FLD_ZONE', 'ZONE'] },
      sfha: { first_of: ['SFHA_TF', 'SFHA'] },
    });
  });

  test('can set its own class, reach, coverage, and county', () => {
    const layer = { ...ROADS.layer, columns: { class: 'CLASS' }, reach: { normal: 40 } };
    const feed = feedOf(stringify({ ...ROADS, layer, coverage: [-73, 43, -72, 44], fips: '33019' }));
    expect(feed).toMatchObject({
      layer: { columns: { class: { column: 'CLASS' } } },
      reachM: { highway: 60, normal: 40, local: 25 },
      coverage: [-73, 43, -72, 44],
      fips: 33019,
    });
    // A source with classes of its own need not have TIGER's.
    expect((feed as LayerFeed).layer.columns).not.toHaveProperty('mtfcc');
  });

  test("can be in any county, including Connecticut's planning regions", () => {
    for (const fips of ['09110', '09190', '72001', '02063'])
      expect(feedOf(stringify({ ...ROADS, fips })).fips).toBe(Number(fips));
  });

  test('lists elevation files in one of three ways', () => {
    const of = (section: object) =>
      (feedOf(stringify({ ...HEIGHTS, elevation: section })) as ElevationFeed).elevation;
    expect(of({ source: ['a.tif', 'b.tif'], nodata: -1 })).toEqual({
      tiles: { by: 'source', sources: ['a.tif', 'b.tif'] },
      nodata: -1,
    });
    const template = 'https://tiles.example/{tile}.tif';
    expect(of({ template, bounds: [-73, 43, -72, 44], vertical_unit: 'feet' })).toEqual({
      tiles: { by: 'template', template, bounds: [-73, 43, -72, 44] },
      unit: 'feet',
    });
    expect(of({ index: 'tiles.txt', crs: 'EPSG:26919' })).toEqual({
      tiles: { by: 'index', index: 'tiles.txt' },
      crs: 'EPSG:26919',
    });
  });

  const L = 'source: r.geojson, format: geojson';
  const two = '.*kind elevation .*section elevation';

  test.each<[string, RegExp]>([
    ['roads', /kind: roads .*section layer/],
    ['elevation', /kind: elevation .*section elevation/],
    [`roads, layer: {${L}}, roll: {source: a, format: csv, key: A}`, /roll: .*kind assessor/],
    [`roads, layer: {${L}}, elevation: {source: a.tif}`, /elevation: .*kind elevation/],
    [`elevation, elevation: {source: a}, layer: {${L}}`, RegExp(`layer: ${two}`)],
    [
      'elevation, layer: {source: h.tif, format: geotiff}',
      RegExp(`^[^\n]*layer: .*kind roads, wetlands, flood, water, overlay, places or zips\\b${two}$`),
    ],
    [`roads, layer: {${L}}, fips: "99998"`, /fips: 99998 .*county/],
    ['elevation, elevation: {source: a}, fips: "09001"', /09001 .*planning regions\b.*\b09110\b.*\b09190\b/],
    ['listings, coverage: [0, 0, 1, 1]', /coverage: .*kind/],
    ['roads, layer: {source: a, format: csv}', /layer\.format: csv .*geometry/],
    [`roads, layer: {${L}, columns: {zone: Z}}`, /columns\.zone: .*roads.* class, mtfcc/],
    [`roads, layer: {${L}, columns: {clas: Z}}`, /layer\.columns\.clas: .*\bclass\b/],
    [`roads, layer: {${L}, columns: {class: {column: C, values: {A: hghway}}}}`, /'hghway' .*highway/],
    [`roads, layer: {${L}, columns: {mtfcc: null}}`, /class or mtfcc/],
    [`wetlands, layer: {${L}, reach: {}}`, /layer\.reach: .*kind roads/],
    [`roads, layer: {${L}, reach: {local: 5000}}`, /layer\.reach\.local: /],
    [`roads, layer: {${L}}, coverage: [-72, 43, -73, 44]`, /coverage: .*west, south, east, north/],
    [`roads, layer: {${L}}, coverage: [-272, 43, -73, 44]`, /coverage\[0\]: /],
    [`roads, layer: {${L}}, gates: {max_key_drop_percent: 5}`, /gates\.max_key_drop_percent: .*kind roads/],
    ['elevation, elevation: {source: a.tif, index: b.txt}', /source and index/],
    ['elevation, elevation: {}', /elevation: .*source, template, or index/],
    ['elevation, elevation: {template: "{tile}.tif"}', /elevation\.template: .*bounds/],
    ['elevation, elevation: {template: a.tif, bounds: [0, 0, 1, 1]}', /elevation\.template: .*\{tile\}/],
    ['elevation, elevation: {source: a.tif, bounds: [0, 0, 1, 1]}', /elevation\.bounds: .*template/],
    [`roads, layer: {${L}}, preset: regrid`, /preset: regrid .*kind assessor/],
  ])('kind: %s is refused', (more, message) => {
    expect(fault(`{name: f, kind: ${more}}`)).toMatch(message);
  });
});

describe('plat feed check for a layer', () => {
  const folder = testFolder();
  const sample = async (name: string) =>
    checkFeed(await loadFeed(join(sampleFeeds, `${name}.yaml`)), { rows: 5000 });

  test("shows what counts and what doesn't, by class", async () => {
    const roads = await sample('bangor-me-roads');
    expect(roads).toMatchObject({ ok: true, problems: [] });
    expect(roads.parts[0]).toMatchObject({
      part: 'layer',
      rows: 2099,
      withGeometry: 2099,
      rejected: [],
      classes: {
        counting: { highway: 61, normal: 529, local: 967, private: 542 },
        notCounting: {},
      },
    });
    const text = renderCheck(roads);
    expect(text).toContain(': highway 61, normal 529, local 967, private 542');
    expect((await sample('bangor-me-wetlands')).parts[0]!.classes!.counting).toMatchObject({
      palustrine: 340,
    });
    expect((await sample('bangor-me-flood')).parts[0]!.classes).toEqual({
      counting: { AE: 16, A: 14 },
      notCounting: { X500: 51 },
    });
    expect((await sample('washington-nh-roads')).parts[0]!.classes!.counting).toEqual({
      normal: 21,
      local: 86,
      private: 139,
    });
  });

  test('shows what would be rejected, including its geometry', async () => {
    const point = { type: 'Point', coordinates: [-72, 43] };
    const lines = [{ MTFCC: 'S1400' }, { MTFCC: null }].map(properties =>
      JSON.stringify({ type: 'Feature', properties, geometry: point }),
    );
    writeFileSync(join(folder, 'r.ndgeojson'), lines.join('\n'));
    const layer = { source: 'r.ndgeojson', format: 'ndgeojson' };
    const check = await checkFeed(parseFeed(stringify({ ...ROADS, layer }), join(folder, 'r.yaml')));
    expect(check.parts[0]!.rejected).toEqual([
      {
        field: 'geometry',
        reason: 'geometry_not_a_line',
        count: 1,
        rowNo: 1,
        message: expect.stringMatching(/^Point .*LineString or MultiLineString/),
      },
      {
        field: 'class',
        reason: 'missing_class',
        count: 1,
        rowNo: 2,
        message: expect.stringMatching(/class.*mtfcc/),
      },
    ]);
    expect(check.problems).toEqual([
      expect.stringMatching(/^layer: .*\b2 features/),
      expect.stringMatching(/^layer: 2 of 2 rows .*\b100\.0%.*\b5%/),
    ]);
  });

  test('reports a type in another case', async () => {
    const [line, area] = [
      {
        type: 'Linestring',
        coordinates: [
          [-72, 43],
          [-72, 44],
        ],
      },
      {
        type: 'polygon',
        coordinates: [
          [
            [-72, 43],
            [-71, 43],
            [-71, 44],
            [-72, 43],
          ],
        ],
      },
    ];
    const rejected = async (kind: string, properties: object, geometry: object) => {
      writeFileSync(
        join(folder, 'case.ndgeojson'),
        JSON.stringify({ type: 'Feature', properties, geometry }),
      );
      const layer = { source: 'case.ndgeojson', format: 'ndgeojson' };
      const check = await checkFeed(parseFeed(stringify({ name: 'c', kind, layer }), join(folder, 'c.yaml')));
      return check.parts[0]!.rejected[0]!.message;
    };
    expect(await rejected('roads', { MTFCC: 'S1400' }, line!)).toMatch(/'Linestring'.* LineString$/);
    expect(await rejected('flood', { FLD_ZONE: 'A' }, area!)).toMatch(/'polygon'.* Polygon$/);
  });

  test('shows the header values of elevation files', async () => {
    const check = await sample('bangor-me-elevation');
    expect(check).toMatchObject({
      ok: true,
      parts: [],
      tiles: {
        named: 1,
        read: 1,
        absent: 0,
        rejected: [],
        tiles: [
          { width: 1118, height: 1150, cell: [10, 10], crs: 'EPSG:26919', unitM: 0.3048, nodata: -9999 },
        ],
      },
    });
    const text = renderCheck(check);
    expect(text).toMatch(/elevation: 1 tile\b.*\b1\b.*\b0\b.*\b0\b/);
    expect(text).toContain('1118 x 1150 cells of 10 x 10 in EPSG:26919');
    expect(text).toMatch(/elevations .*\b0\.3048 m\b.* -9999\b/);
  });

  test('reports elevation files that are missing or unusable', async () => {
    const check = (elevation: object) =>
      checkFeed(parseFeed(stringify({ ...HEIGHTS, elevation }), join(folder, 'h.yaml')));
    expect((await check({ source: 'gone.tif' })).problems).toEqual([
      expect.stringMatching(/^elevation: .*gone\.tif/),
    ]);
    writeTiff(join(folder, 'n44w073.tif'), {
      width: 4,
      height: 4,
      at: () => 7,
      keys: geographicKeys(4269),
      grid: { originX: -73, originY: 44, stepX: 0.25, stepY: -0.25 },
    });
    writeFileSync(join(folder, 'tiles.txt'), 'n44w073.tif\ntiles.txt\n');
    const listed = await check({ index: 'tiles.txt' });
    expect(listed.tiles).toMatchObject({
      named: 2,
      rejected: [{ reason: 'feed_format', rowNo: 2, count: 1 }],
    });
    expect(listed.problems).toEqual([expect.stringMatching(/\b1 of 2 tiles .*\b50\.0%/)]);
    const template = await check({ template: '{tile}.tif', bounds: [-73, 43, -71, 44] });
    expect(template).toMatchObject({ ok: true, tiles: { named: 2, absent: 1 } });
    expect((await check({ template: 'x{tile}.tif', bounds: [-73, 43, -71, 44] })).problems).toEqual([
      expect.stringMatching(/^elevation: .*tiles/),
    ]);
  });
});
