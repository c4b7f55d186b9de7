import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Feature, FeatureCollection, LineString, MultiPolygon, Polygon, Position } from 'geojson';
import { rootDir } from '../../shared/platform/root.ts';
import { makeZip } from '../unit/formats/make.ts';
import { sendRange, serve, type TestServer } from './http-server.ts';
import { shapefile } from './shapefiles.ts';
import { ring, surveyZip } from './soil-survey.ts';

/**
 * The agencies' and the county's files for Bangor, Maine (23019), at the agencies' own paths. They are small
 * extracts of the sample.
 */

const BANGOR = join(rootDir, 'workers', 'sample', 'data', 'bangor_me');

function features(name: string, most: number): Feature[] {
  const text = gunzipSync(readFileSync(join(BANGOR, `${name}.geojson.gz`))).toString();
  return (JSON.parse(text) as FeatureCollection).features.slice(0, most);
}

/**
 * Packaged the way the Fish and Wildlife Service packages a large state: wetlands in two parts, and project
 * metadata.
 */
function wetlandsZip(): Buffer {
  const rings = ({ geometry }: Feature) =>
    geometry.type === 'Polygon'
      ? (geometry as Polygon).coordinates
      : (geometry as MultiPolygon).coordinates.flat();
  const wetlands = features('wetlands', 60);
  const part = (name: string, some: Feature[], west = 0) =>
    shapefile(
      `ME_shapefile_wetlands/${name}`,
      5,
      some.map(each => rings(each).map(ring => ring.map(([x, y]) => [x! - west, y!]))),
      {
        ATTRIBUTE: some.map(() => 'PFO1E'),
        WETLAND_TY: some.map(() => 'Freshwater Forested/Shrub Wetland'),
      },
    );
  return makeZip({
    ...part('ME_Wetlands_North', wetlands.slice(0, 40)),
    // Moved a degree and a half west, into another county.
    ...part('ME_Wetlands_South', wetlands.slice(40), 1.5),
    ...shapefile('ME_shapefile_wetlands/ME_Wetlands_Project_Metadata', 5, [], { PROJECT_NA: [] }),
  });
}

function roadsZip(fips: string, year: number): Buffer {
  const lines = features('roads', 80).filter(({ geometry }) => geometry.type === 'LineString');
  const shapes = lines.map(({ geometry }) => [(geometry as LineString).coordinates]);
  return makeZip(
    shapefile(`tl_${year}_${fips}_roads`, 3, shapes, {
      MTFCC: lines.map(() => 'S1400'),
      FULLNAME: lines.map((_, i) => `Road ${i}`),
    }),
  );
}

/** In the formats that the Census Bureau and the Geological Survey use, with made-up contents. */
function waterZip(fips: string, year: number): Buffer {
  const [[west, south], [east, north]] = [
    [-68.8, 44.8],
    [-68.79, 44.81],
  ] as const;
  const ring: Position[] = [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
  const moved = (by: number) => [ring.map(([x, y]) => [x! + by, y!])];
  return makeZip(
    shapefile(`tl_${year}_${fips}_areawater`, 5, [moved(0), moved(0.02)], {
      HYDROID: ['1', '2'],
      FULLNAME: ['Fields Pnd', 'Great Heath'],
      MTFCC: ['H2030', 'H2025'],
    }),
  );
}

/** What Soil Data Access lists for counties of Maine other than 23001: two areas, one in another county. */
const SOIL_AREAS = {
  Table: [
    ['ME611', '2025-09-04'],
    ['ME613', '2024-09-11'],
  ],
};

const soils = (area: string, west: number): Buffer =>
  surveyZip(
    area,
    [
      {
        mukey: `${area}1`,
        septic: 'Very limited',
        farmland: 'Not prime farmland',
        hydric: 90,
        waterCm: 15,
        bedrockCm: 100,
      },
      { mukey: `${area}2`, septic: 'Somewhat limited', farmland: 'Prime farmland if drained', hydric: 5 },
      { mukey: `${area}3`, symbol: 'NOTCOM', tables: [] },
    ],
    [1, 2, 3].map(n => ({ mukey: `${area}${n}`, ring: ring(west + 0.02 * n, 44.8) })),
  );

/** The railroads and urban areas of the nation: some in Bangor, and one of each in California. */
const railsZip = (year: number): Buffer =>
  makeZip(
    shapefile(`tl_${year}_us_rails`, 3, [[ring(-68.8, 44.8)], [ring(-68.78, 44.8)], [ring(-121.5, 38.5)]], {
      FULLNAME: ['Maine Central RR', '', 'Union Pacific RR'],
      MTFCC: ['R1011', 'R1051', 'R1011'],
    }),
  );

const urbanZip = (year: number): Buffer =>
  makeZip(
    shapefile(`tl_${year}_us_uac20`, 5, [[ring(-68.8, 44.8)], [ring(-121.5, 38.5)]], {
      NAMELSAD20: ['Bangor, ME Urban Area', 'Sacramento, CA Urban Area'],
    }),
  );

/** Features of the layers that other agencies serve with ArcGIS, as GeoJSON. */
function agencyLayer(type: 'Polygon' | 'LineString', rows: Record<string, unknown>[]): Buffer {
  const features = rows.map((properties, i) => {
    const line = ring(-68.8 + 0.02 * i, 44.8);
    return {
      type: 'Feature',
      properties,
      geometry: { type, coordinates: type === 'Polygon' ? [line] : line },
    };
  });
  return Buffer.from(JSON.stringify({ type: 'FeatureCollection', features }));
}

const PLACES = [
  'feature_id|feature_name|feature_class|state_name|state_numeric|county_name|county_numeric|prim_lat_dec|prim_long_dec',
  '1|Fields Pond|Lake|Maine|23|Penobscot|019|44.7351|-68.7512',
  '2|Bald Hill|Summit|Maine|23|Penobscot|019|44.80|-68.79',
  '3|Town of Orono|Civil|Maine|23|Penobscot|019|44.8831|-68.672',
  '4|Old Mill (historical)|Populated Place|Maine|23|Penobscot|019|44.81|-68.78',
  '6|Green Lake|Lake|Maine|23|Hancock|009|44.6531|-68.5212',
];

export type Mirror = TestServer & {
  /** Settings that point to the mirror. */
  settings: Record<string, string>;
  /** Publishes a new version of every file. */
  publish(when: Date): void;
  /** The methods of the requests received for a path. */
  asked(path: RegExp): string[];
};

/**
 * Serves the files. A prefix before the path causes a fault: `/fault-dead`, `-page` (returns HTML),
 * `-undated`, `-moved`, `-headless` or `-bucket` (403 for missing files).
 * @param fips counties that have roads, in last year's version
 */
export async function serveMirror(fips: readonly string[], catalogue: string): Promise<Mirror> {
  const year = new Date().getUTCFullYear() - 1;
  let modified = new Date('2026-05-01T12:00:00Z');
  const files = new Map<string, Buffer>([
    ...fips.map((code): [string, Buffer] => [
      `/geo/tiger/TIGER${year}/ROADS/tl_${year}_${code}_roads.zip`,
      roadsZip(code, year),
    ]),
    ...fips.map((code): [string, Buffer] => [
      `/geo/tiger/TIGER${year}/AREAWATER/tl_${year}_${code}_areawater.zip`,
      waterZip(code, year),
    ]),
    [
      '/names/DomesticNames_ME_Text.zip',
      makeZip({
        'Text/DomesticNames_ME.txt': `\ufeff${PLACES.join('\r\n')}\r\n`,
        'Text/about.xml': '<metadata/>',
      }),
    ],
    ['/wetlands/data/State-Downloads/ME_shapefile_wetlands.zip', wetlandsZip()],
    ['/nfhl/flood_zones.geojson.gz', readFileSync(join(BANGOR, 'flood_zones.geojson.gz'))],
    [
      '/Elevation/13/TIFF/current/n45w069/USGS_13_n45w069.tif',
      readFileSync(join(BANGOR, 'dem_10m_feet.tif')),
    ],
    ['/soils/wss_SSA_ME611_[2025-09-04].zip', soils('ME611', -68.8)],
    ['/soils/wss_SSA_ME613_[2024-09-11].zip', soils('ME613', -70.3)],
    [`/geo/tiger/TIGER${year}/RAILS/tl_${year}_us_rails.zip`, railsZip(year)],
    [`/geo/tiger/TIGER${year}/UAC20/tl_${year}_us_uac20.zip`, urbanZip(year)],
    [
      '/padus.geojson',
      agencyLayer('Polygon', [
        { Category: 'Fee', Mang_Type: 'STAT', Unit_Nm: 'Brown Woods' },
        { Category: 'Easement', Mang_Type: 'NGO', Unit_Nm: 'Orono Bog' },
        { Category: 'Proclamation', Mang_Type: 'FED', Unit_Nm: 'A National Forest' },
      ]),
    ],
    ['/hud.geojson', agencyLayer('Polygon', [{ GEOID10: '23019000300' }])],
    [
      '/hifld.geojson',
      agencyLayer('LineString', [
        { VOLT_CLASS: '100-161', OWNER: 'VERSANT POWER' },
        { VOLT_CLASS: 'NOT AVAILABLE', OWNER: 'NOT AVAILABLE' },
      ]),
    ],
    ['/parcels.zip', readFileSync(join(rootDir, 'test/fixtures/feeds/formats/bangor-parcels.zip'))],
  ]);
  const server = await serve((request, response) => {
    const [, fault, path] = /^(?:\/fault-(\w+))?(.*)$/.exec(decodeURIComponent(request.url!))!;
    const bytes = fault === 'page' ? Buffer.from('<!DOCTYPE html><html>Moved</html>') : files.get(path!);
    const dated = { 'last-modified': modified.toUTCString(), 'content-length': String(bytes?.length ?? 0) };
    const headers = fault === 'undated' ? {} : dated;
    if (fault === 'dead') request.destroy();
    else if (path === '/soil-areas')
      void text(request).then(body =>
        response.end(JSON.stringify(body.includes("'ME001'") ? {} : SOIL_AREAS)),
      );
    else if (fault === 'moved') response.writeHead(302, { location: path }).end();
    else if (bytes === undefined) response.writeHead(fault === 'bucket' ? 403 : 404).end();
    else if (fault === 'headless' && request.method === 'HEAD') response.writeHead(405).end();
    else if (request.method === 'HEAD') response.writeHead(200, headers).end();
    else if (!sendRange(request, response, bytes, { 'last-modified': dated['last-modified'] }))
      response.writeHead(200, headers).end(bytes);
  });
  const at = (path: string) => `${server.origin}${path}`;
  return {
    ...server,
    settings: {
      CATALOGUE_FILE: catalogue,
      ROADS_URL: at('/geo/tiger/TIGER{year}/ROADS/tl_{year}_{fips}_roads.zip'),
      WETLANDS_URL: at('/wetlands/data/State-Downloads/{state}_shapefile_wetlands.zip'),
      WATER_URL: at('/geo/tiger/TIGER{year}/AREAWATER/tl_{year}_{fips}_areawater.zip'),
      PLACES_URL: at('/names/DomesticNames_{state}_Text.zip'),
      FLOOD_URL: at('/nfhl/flood_zones.geojson.gz'),
      SOIL_AREAS_URL: at('/soil-areas'),
      SOILS_URL: at('/soils/wss_SSA_{area}_[{date}].zip'),
      RAILROADS_URL: at('/geo/tiger/TIGER{year}/RAILS/tl_{year}_us_rails.zip'),
      URBAN_AREAS_URL: at('/geo/tiger/TIGER{year}/UAC20/tl_{year}_us_uac20.zip'),
      PROTECTED_LAND_URL: at('/padus.geojson'),
      OPPORTUNITY_ZONES_URL: at('/hud.geojson'),
      TRANSMISSION_LINES_URL: at('/hifld.geojson'),
      ELEVATION_URL: at('/Elevation/13/TIFF/current/{tile}/USGS_13_{tile}.tif'),
    },
    publish(when) {
      modified = when;
    },
    asked: path => server.requests.filter(({ url }) => path.test(url!)).map(({ method }) => method!),
  };
}
