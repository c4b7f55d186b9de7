import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { FeatureCollection, Position } from 'geojson';
import proj4 from 'proj4';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeLines } from '../../../shared/geo/geometry-codec.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest } from '../../support/ingest.ts';
import { storedFeatures } from '../../support/layers.ts';
import { ring } from '../../support/rings.ts';
import { makeDbf, makeZip, shpOf } from '../../unit/formats/make.ts';

const { folder, pool } = await createTestDatabase();

type Road = { code: string; lines: Position[][] };

/** Three roads in Washington NH with heights: one of them in two lines, one private. */
const ROADS: Road[] = [
  { code: 'S1200', lines: [ring('-72.1 43.1 300, -72.0987 43.1004 301.5, -72.095 43.1 302')] },
  { code: 'S1400', lines: [ring('-72.1 43.11 0, -72.09 43.11 0'), ring('-72.08 43.11 0, -72.07 43.115 0')] },
  { code: 'S1820', lines: [ring('-72.1 43.12 9, -72.05 43.12 9')] },
];

const UTM = '+proj=utm +zone=18 +datum=NAD83 +units=m +no_defs';
/** New Hampshire's state plane in US survey feet, EPSG:3437, as a .prj has it. */
const PRJ =
  'PROJCS["NAD_1983_StatePlane_New_Hampshire_FIPS_2800_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",984250.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-71.66666666666667],PARAMETER["Scale_Factor",0.9999666666666667],PARAMETER["Latitude_Of_Origin",42.5],UNIT["Foot_US",0.3048006096012192]]';

const projected = (to: string) =>
  ROADS.map(({ code, lines }) => ({
    code,
    lines: lines.map(line => line.map(([x, y, z]) => [...proj4(to).forward([x!, y!]), z!])),
  }));

function collection(roads: Road[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: roads.map(({ code, lines }) => ({
      type: 'Feature',
      properties: { MTFCC: code },
      geometry:
        lines.length === 1
          ? { type: 'LineString', coordinates: lines[0]! }
          : { type: 'MultiLineString', coordinates: lines },
    })),
  };
}

/**
 * A shapefile of PolyLineZ records. ESRI Shapefile Technical Description, July 1998, table 12
 * (without measures).
 */
function polyLineZ(roads: Road[]): Buffer {
  const records = roads.map(({ lines }) => {
    const points = lines.flat();
    const content = Buffer.alloc(44 + 4 * lines.length + 16 * points.length + 16 + 8 * points.length);
    content.writeInt32LE(13, 0);
    const [xs, ys] = [points.map(p => p[0]!), points.map(p => p[1]!)];
    const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    for (const [i, side] of box.entries()) content.writeDoubleLE(side, 4 + 8 * i);
    content.writeInt32LE(lines.length, 36);
    content.writeInt32LE(points.length, 40);
    let start = 0;
    for (const [i, line] of lines.entries()) {
      content.writeInt32LE(start, 44 + 4 * i);
      start += line.length;
    }
    let at = 44 + 4 * lines.length;
    for (const [x, y] of points) {
      content.writeDoubleLE(x!, at);
      content.writeDoubleLE(y!, at + 8);
      at += 16;
    }
    at += 16;
    for (const point of points) at = content.writeDoubleLE(point[2]!, at);
    return content;
  });
  return shpOf(13, records);
}

const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);

beforeAll(() => {
  const json = JSON.stringify(collection(ROADS));
  put('roads.geojson', json);
  put('roads.geojson.gz', gzipSync(json));
  put('utm.geojson', JSON.stringify(collection(projected(UTM))));
  put(
    'roads.ndgeojson',
    collection(ROADS)
      .features.map(feature => JSON.stringify(feature))
      .join('\n'),
  );
  put('roads.fgb', Buffer.from(serialize(collection(ROADS))));
  put('utm.fgb', Buffer.from(serialize(collection(projected(UTM)), 26918)));
  const dbf = makeDbf(
    [{ name: 'MTFCC', type: 'C', length: 5 }],
    ROADS.map(({ code }) => ({ cells: [code] })),
  );
  const shp = polyLineZ(projected(PRJ));
  put('roads.shp', shp);
  put('roads.dbf', dbf);
  put('roads.prj', PRJ);
  put('roads.zip', makeZip({ 'tl/roads.shp': shp, 'tl/roads.dbf': dbf, 'tl/roads.prj': PRJ }));
});

describe('roads are the same from every format', () => {
  test.each([
    ['roads.geojson', 'geojson', {}],
    ['roads.geojson.gz', 'geojson', {}],
    ['utm.geojson', 'geojson', { crs: 'EPSG:26918' }],
    ['roads.ndgeojson', 'ndgeojson', {}],
    ['roads.fgb', 'flatgeobuf', {}],
    ['utm.fgb', 'flatgeobuf', {}],
    ['roads.shp', 'shapefile', {}],
    ['roads.zip', 'shapefile', {}],
  ])('%s', async (source, format, more) => {
    const name = source.replaceAll('.', '-');
    const feed = feedOf(folder, { name, kind: 'roads', layer: { source, format, ...more } });
    const { status, counts } = await ingest(pool, feed);
    expect({ status, counts }).toMatchObject({
      status: 'merged',
      counts: {
        read: { layer: 3 },
        rejected: {},
        counting: { normal: 1, local: 1 },
        not_counting: { S1820: 1 },
      },
    });
    const stored = await storedFeatures(pool, name);
    expect(stored.map(row => row.class).sort()).toEqual(['local', 'normal']);
    for (const { code, lines } of ROADS.slice(0, 2)) {
      const found = stored.find(row => row.class === (code === 'S1200' ? 'normal' : 'local'))!;
      const decoded = decodeLines(found.geometry);
      expect(decoded.map(line => line.length)).toEqual(lines.map(line => line.length));
      // 2e-7 degrees, 2 cm: the grid of storage, and what FlatGeobuf or a projection round.
      for (const [i, [lon, lat]] of decoded.flat().entries()) {
        expect(Math.abs(lon - lines.flat()[i]![0]!)).toBeLessThan(2e-7);
        expect(Math.abs(lat - lines.flat()[i]![1]!)).toBeLessThan(2e-7);
      }
    }
  });
});

test("coordinates that aren't degrees, in a file that doesn't say so, end the run with what to declare", async () => {
  const layer = { source: 'utm.geojson', format: 'geojson' };
  const feed = feedOf(folder, { name: 'undeclared', kind: 'roads', layer });
  await expect(ingest(pool, feed)).rejects.toMatchObject({
    code: 'feed_crs',
    message: expect.stringContaining('"crs"'),
  });
});

test('polygons of a projected file with elevations, repaired and counted like parcels', async () => {
  const bowtie = [
    [0, 0],
    [0.001, 0.001],
    [0.001, 0],
    [0, 0.001],
    [0, 0],
  ].map(([x, y]) => [...proj4(UTM).forward([-72.1 + x!, 43.1 + y!]), 77]);
  const point = { type: 'Point', coordinates: bowtie[0]! } as const;
  const features = [
    { ATTRIBUTE: 'PUBH', geometry: { type: 'Polygon', coordinates: [bowtie] } },
    { ATTRIBUTE: 'PUBH', geometry: point },
    { ATTRIBUTE: 'U', geometry: point },
  ].map(({ ATTRIBUTE, geometry }) =>
    JSON.stringify({ type: 'Feature', properties: { ATTRIBUTE }, geometry }),
  );
  put('bog.ndgeojson', features.join('\n'));
  const layer = { source: 'bog.ndgeojson', format: 'ndgeojson', crs: UTM };
  const feed = feedOf(folder, {
    name: 'bog',
    kind: 'wetlands',
    layer,
    gates: { max_reject_percent: 50 },
  });
  const { counts } = await ingest(pool, feed);
  expect(counts).toMatchObject({
    rows: 1,
    rejected: { geometry_not_an_area: 1 },
    not_counting: { upland: 1 },
    repaired: { z_dropped: 1, self_crossing_split: 1 },
  });
});
