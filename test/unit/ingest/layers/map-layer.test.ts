import { describe, expect, test } from 'vitest';
import { VECTOR_LAYERS } from '../../../../workers/ingest/all-kinds.ts';
import { compileLayerMapper } from '../../../../workers/ingest/layers/map-layer.ts';
import type { LayerFeed, VectorKind } from '../../../../workers/ingest/layers/vector-layer.ts';
import { feedOf } from '../../feeds/support.ts';

const layerOf = (kind: VectorKind) => VECTOR_LAYERS.find(layer => layer.kind === kind)!;

/**
 * What the features of a file with these properties come to: the class that is stored, '-' for
 * none, else the fault.
 */
function classesOf(kind: VectorKind, rows: Record<string, unknown>[], layer: Record<string, unknown> = {}) {
  const section = { source: 'a.geojson', format: 'geojson', ...layer };
  const feed = feedOf(JSON.stringify({ name: 'a', kind, layer: section })) as LayerFeed;
  const map = compileLayerMapper(layerOf(kind), feed.layer);
  const source = rows.map((values, i) => ({ rowNo: i + 1, values, geometry: null }));
  map.prepare(source);
  return source.map(row => {
    const mapped = map(row);
    return mapped.ok ? (mapped.class ?? '-') : mapped.reason;
  });
}

const column = (name: string, values: readonly unknown[]) => values.map(value => ({ [name]: value }));

describe('roads', () => {
  test("TIGER's classes: ramps, drives, alleys, private roads, and parking lots only give access, trails don't count", () => {
    const access = ['S1630', 'S1640', 'S1730', 'S1740', 'S1780'];
    const codes = ['S1100', 'S1200', 's1400', ...access, 'S1500', 'S1820', 'K2400', 'H3010'];
    expect(classesOf('roads', column('MTFCC', codes))).toEqual([
      'highway',
      'normal',
      'local',
      ...access.map(() => 'private'),
      ...new Array(4).fill('-'),
    ]);
  });

  test("a feed's own classes, in any case; an unlisted one is an error, not a road that doesn't count", () => {
    const columns = {
      class: { column: 'CLASS', values: { 'US HWY': 'highway', Street: 'local', LANE: 'none' } },
    };
    const rows = column('CLASS', ['us hwy', 'STREET', 'lane', 'normal', 'NONE', 'BLVD', null]);
    expect(classesOf('roads', rows, { columns })).toEqual([
      'highway',
      'local',
      '-',
      'normal',
      '-',
      'unknown_class',
      'missing_class',
    ]);
    const otherwise = { class: { ...columns.class, otherwise: 'none' } };
    expect(classesOf('roads', rows, { columns: otherwise }).slice(3)).toEqual(['-', '-', '-', '-']);
  });

  test("the feed's class takes precedence over a code, which applies if there is none", () => {
    const columns = { class: 'CLASS', mtfcc: 'CODE' };
    const rows = [
      { CLASS: 'local', CODE: 'S1100' },
      { CLASS: null, CODE: 'S1100' },
      { CLASS: '', CODE: null },
    ];
    expect(classesOf('roads', rows, { columns })).toEqual(['local', 'highway', 'missing_class']);
  });
});

describe('wetlands', () => {
  test("everything in the inventory counts, including lakes, rivers, and polygons without a code; uplands don't", () => {
    const codes = ['PFO1E', 'L1UBH', 'R3UBH', 'E2EM1P', 'M1UBL', 'U', 'Uf1', 'u', null];
    expect(classesOf('wetlands', column('ATTRIBUTE', codes))).toEqual([
      'PFO1E',
      'L1UBH',
      'R3UBH',
      'E2EM1P',
      'M1UBL',
      '-',
      '-',
      '-',
      'unlabelled',
    ]);
  });

  test('the type applies if there is no code; a shapefile cuts its name', () => {
    const rows = [
      { ATTRIBUTE: null, WETLAND_TY: 'Freshwater Pond' },
      { ATTRIBUTE: '', WETLAND_TY: 'Upland' },
      { ATTRIBUTE: 'U', WETLAND_TY: 'Riverine' },
    ];
    expect(classesOf('wetlands', rows)).toEqual(['Freshwater Pond', '-', '-']);
  });
});

test('ZIP areas of either census, whose codes keep their zeros', () => {
  const rows = [{ ZCTA5CE20: '03280' }, { ZCTA5CE20: 3280 }, { ZCTA5CE20: '' }, { ZCTA5CE20: 'Washington' }];
  expect(classesOf('zips', rows)).toEqual(['03280', '03280', 'missing_class', 'not_a_zip']);
  expect(classesOf('zips', [{ ZCTA5CE10: '04401' }])).toEqual(['04401']);
});

describe('flood zones', () => {
  const words = (text: string) => text.split(' ');
  const hazard = words(
    'A AE AH AO AR A99 A1 A30 A1-A30 V VE VO V1 V30 AR/AE AR/A AR/AH AR/AO AR/A1 AR/A30 AR/A1-A30 AR/A1-30 A9 A05 A10 A29 V9 V20 V1-V30 A1-30 ae',
  );
  const none = [
    // M, N, P and E are of mudslides and erosion, which are no flood hazard areas.
    ...words('X X500 D B C ANI UNDES NP 100IC M N P E'),
    'AREA NOT INCLUDED',
    'OPEN WATER',
    '0.2 PCT',
    '0.2 PCT ANNUAL CHANCE FLOOD HAZARD',
    'Shaded X',
    '0.2% Annual Chance',
    'X PROTECTED BY LEVEE',
    'X (shaded)',
    'AREA OF MINIMAL FLOOD HAZARD',
    '1 PCT FUTURE CONDITIONS',
  ];

  test.each(['FLD_ZONE', 'ZONE'])('column %s: the special flood hazard areas are zones A and V', name => {
    expect(classesOf('flood', column(name, hazard))).toEqual(hazard.map(zone => zone.toUpperCase()));
    expect(classesOf('flood', column(name, none))).toEqual(none.map(() => '-'));
  });

  test.each(['SFHA_TF', 'SFHA'])('the flag decides where it says anything: %s', flag => {
    const cases: [zone: string | null, flag: unknown, expected: string][] = [
      ['X', 'T', 'X'],
      ['AE', 'F', '-'],
      ['AE', 'IN', 'AE'],
      ['A', 'OUT', '-'],
      ['AE', 'U', 'AE'],
      ['X', null, '-'],
      [null, true, 'SFHA'],
      [null, 'F', '-'],
      [null, '?', 'unknown_zone'],
      [null, 'U', 'missing_class'],
    ];
    const rows = cases.map(([FLD_ZONE, sfha]) => ({ FLD_ZONE, [flag]: sfha }));
    expect(classesOf('flood', rows)).toEqual(cases.map(([, , expected]) => expected));
  });

  test("a flag or zone unknown to FEMA is an error, not a zone that doesn't count, unless the feed defines it", () => {
    const rows = [
      { FLD_ZONE: 'AE', SFHA_TF: 'maybe' },
      { FLD_ZONE: 'QQ', SFHA_TF: null },
      { FLD_ZONE: 'QQ', SFHA_TF: 'T' },
    ];
    expect(classesOf('flood', rows)).toEqual(['unknown_zone', 'unknown_zone', 'QQ']);
    const columns = {
      zone: { column: 'FLD_ZONE', values: { QQ: 'X' } },
      sfha: { column: 'SFHA_TF', values: { maybe: 'U' } },
    };
    expect(classesOf('flood', rows, { columns })).toEqual(['AE', '-', 'X']);
    const skip_where = [{ column: 'FLD_ZONE', equals: 'QQ' }];
    expect(classesOf('flood', rows.slice(1), { skip_where })).toEqual(['skipped', 'skipped']);
    const feed = feedOf('name: f\nkind: flood\nlayer: { source: a.geojson, format: geojson }\n') as LayerFeed;
    const map = compileLayerMapper(layerOf('flood'), feed.layer);
    expect(map({ rowNo: 1, values: rows[1]!, geometry: null })).toMatchObject({
      field: 'zone',
      message: expect.stringMatching(/^'QQ' .*layer\.columns\.zone\.values.*layer\.skip_where/),
    });
  });

  test.each(words('A0 A00 A31 A98 A030 V0 V31 V99 AR/ AR/A31 AR/A99 AR/X AR/VE'))(
    'a zone that only looks like one of FEMA: %s',
    zone => {
      expect(classesOf('flood', [{ FLD_ZONE: zone, SFHA_TF: null }])).toEqual(['unknown_zone']);
    },
  );

  test("the subtype distinguishes what doesn't count", () => {
    const feed = feedOf('name: f\nkind: flood\nlayer: { source: a.geojson, format: geojson }\n') as LayerFeed;
    const map = compileLayerMapper(layerOf('flood'), feed.layer);
    const values = { FLD_ZONE: 'X', ZONE_SUBTY: '0.2 PCT ANNUAL CHANCE FLOOD HAZARD', SFHA_TF: 'F' };
    const row = { rowNo: 1, values, geometry: null };
    map.prepare([row]);
    expect(map(row)).toMatchObject({ class: null, label: 'X, 0.2 PCT ANNUAL CHANCE FLOOD HAZARD' });
  });
});

test('skip_where leaves features out', () => {
  const rows = [
    { MTFCC: 'S1400', STATE: 'NH' },
    { MTFCC: 'S1400', STATE: 'VT' },
  ];
  const skip_where = [{ column: 'STATE', not_in: ['NH'] }];
  expect(classesOf('roads', rows, { skip_where })).toEqual(['local', 'skipped']);
});
