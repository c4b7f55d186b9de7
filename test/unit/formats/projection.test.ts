import { readFileSync } from 'node:fs';
import type { Point } from 'geojson';
import proj4 from 'proj4';
import { describe, expect, test } from 'vitest';
import { resolveCrs, toWgs84 } from '../../../shared/geo/projection.ts';

const METRES_PER_DEGREE = 111_320;

function lonLat(crs: string, x: number, y: number): [number, number] {
  const point = toWgs84(crs, 'parcels.shp')({ type: 'Point', coordinates: [x, y] }) as Point;
  return point.coordinates as [number, number];
}

test('every projected system on NAD83 agrees with PROJ, to a millimeter both ways', () => {
  const lines = readFileSync('test/fixtures/crs/points.csv', 'utf8').trim().split('\n').slice(1);
  expect(lines.length).toBeGreaterThan(900);
  const off = lines.flatMap(line => {
    const [code, ...numbers] = line.split(',') as [string, string, string, string, string];
    const [lon, lat, x, y] = numbers.map(Number) as [number, number, number, number];
    const crs = resolveCrs(code, 'parcels.shp');
    const there = proj4('WGS84', crs.definition).forward([lon, lat]) as [number, number];
    const forwardM = Math.hypot(there[0] - x, there[1] - y) * crs.metersPerUnit;
    const back = lonLat(code, x, y);
    const inverseM =
      Math.hypot((back[0] - lon) * Math.cos((lat * Math.PI) / 180), back[1] - lat) * METRES_PER_DEGREE;
    return forwardM <= 0.001 && inverseM <= 0.001 ? [] : [`${code} ${forwardM} ${inverseM}`];
  });
  expect(off).toEqual([]);
});

test('a corner in South Dakota North has the UTM coordinates from the tool of the National Geodetic Survey', () => {
  // NCAT's answer as shown in J. Mahun's Open Access Surveying Library, Coordinate Systems,
  // self study, problem 1.
  const [lon, lat] = lonLat('EPSG:6572', 1_002_231.06, 735_056.25);
  const [e, n] = proj4('WGS84', resolveCrs('EPSG:6342', 'x').definition).forward([lon, lat]) as [
    number,
    number,
  ];
  expect(e).toBeCloseTo(594_138.761, 2);
  expect(n).toBeCloseTo(5_071_141.376, 2);
});

describe('names', () => {
  const california = [-117.1611, 32.7157] as const; // San Diego

  test.each(['EPSG:2230', 'epsg:2230', 'urn:ogc:def:crs:EPSG::2230', 'EPSG:6426', 'ESRI:102646'])(
    '%s is California zone 6 in survey feet',
    crs => {
      const [x, y] = proj4('WGS84', resolveCrs(crs, 'x').definition).forward([...california]) as [
        number,
        number,
      ];
      expect(resolveCrs(crs, 'x').metersPerUnit).toBeCloseTo(1200 / 3937, 12);
      const [lon, lat] = lonLat(crs, x, y);
      expect(lon).toBeCloseTo(california[0], 8);
      expect(lat).toBeCloseTo(california[1], 8);
      // San Diego's coordinates in survey feet, to some hundred feet: 6.28 million east, 1.84 million north.
      expect(x / 1e6).toBeCloseTo(6.28, 2);
      expect(y / 1e6).toBeCloseTo(1.84, 2);
    },
  );

  test("an Esri code that is written as EPSG counts as Esri's", () => {
    expect(resolveCrs('EPSG:102039', 'x')).toEqual(resolveCrs('EPSG:5070', 'x'));
  });

  test.each([
    ['EPSG:26919', 19],
    ['EPSG:6348', 19],
    ['EPSG:3726', 19],
    ['EPSG:26901', 1],
    ['EPSG:3718', 11],
  ])('%s is UTM zone %i on NAD83', (code, zone) => {
    expect(resolveCrs(code, 'x').definition).toContain(`+zone=${zone} `);
  });
});

test.each([
  ['EPSG:3717', -123],
  ['EPSG:32605', -153],
  ['urn:ogc:def:crs:EPSG::26919', -69],
  ['http://www.opengis.net/def/crs/EPSG/0/26919', -69],
  ['+proj=utm +zone=19 +datum=NAD83 +units=m', -69],
])('%s has its central meridian at %i, and heights are kept', (crs, meridian) => {
  const point: Point = { type: 'Point', coordinates: [500_000, 4_760_000, 12] };
  toWgs84(crs, 'x')(point);
  expect(point.coordinates[0]).toBeCloseTo(meridian, 9);
  expect(point.coordinates[2]).toBe(12);
});

test.each(['EPSG:4326', 'EPSG:4269', 'urn:ogc:def:crs:OGC:1.3:CRS84', '+proj=longlat +datum=NAD83'])(
  '%s is left alone',
  crs => expect(lonLat(crs, -72.1234567, 43.7654321)).toEqual([-72.1234567, 43.7654321]),
);

describe('refused', () => {
  test.each([
    ['EPSG:26746', 'EPSG:26746 (NAD27 / California zone VI)'],
    ['EPSG:4267', 'EPSG:4267 (NAD27)'],
    ['+proj=utm +zone=11 +datum=NAD27', '"+proj=utm +zone=11 +datum=NAD27"'],
  ])('%s, for its datum', (crs, named) => {
    const move = () => toWgs84(crs, 'parcels.shp');
    expect(move).toThrow(`CRS ${named}`);
    expect(move).toThrow(/^parcels\.shp.*datum.*grid/);
  });

  test('an unknown code, and one withdrawn because of an error', () => {
    for (const code of ['EPSG:99999', 'EPSG:2244']) {
      expect(() => toWgs84(code, 'parcels.shp')).toThrow(`CRS "${code}"`);
    }
  });
});
