import { hash } from 'node:crypto';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { clipLine, clipRing } from '../../../shared/drawing/drawing-lines.ts';
import type { Point } from '../../../shared/drawing/map-extent.ts';
import { boxContains, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { WORLD_M } from '../../../shared/geo/web-mercator.ts';
import { type ElevationTile, openElevation } from '../../../shared/raster/elevation-grid.ts';
import { HILLSHADE_CELLS, hillshade } from '../../../shared/raster/hillshade.ts';
import {
  countiesIntersecting,
  countyExtent,
  countyOutline,
} from '../../../shared/regions/county-polygons.ts';
import { readZips, type Zip } from '../../../shared/regions/zip-file.ts';
import { notFound } from '../../http/error-responses.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';

/** Coordinates of a vector tile run from 0 to 4096; a tile is drawn 512 pixels wide. */
const EXTENT = 4_096;
const PIXELS = 512;
const UNITS = EXTENT / PIXELS;
/** Drawn this far beyond the tile, so that outlines along its edge are out of sight. */
const FRAME: [number, number, number, number] = [-8, -8, PIXELS + 8, PIXELS + 8];

/**
 * Boundaries are distinguishable from this zoom on; before it the parcels' points are shown, and before these
 * counts of a county.
 */
const BOUNDARIES_FROM = 13;
const POINTS_FROM = 11;
/** Parcel numbers are written from here on. */
const NAMES_FROM = 16;
const MAX_ZOOM = 18;
/** What a browser draws without effort. Where there is more, the largest parcels are drawn. */
const MAX_FEATURES = 20_000;

/** Tiles by address and version: 64 MB of some 10 kB each. */
const cache = new LRUCache<string, { bytes: Buffer; etag: string }>({
  maxSize: 64_000_000,
  sizeCalculation: ({ bytes }) => bytes.length + 200,
});

export type Tile = { z: number; x: number; y: number };
type Feature = {
  id?: number;
  type: 1 | 2 | 3;
  geometry: Point[] | Point[][];
  tags: Record<string, string | number>;
};

/** What may be drawn: parcels and county lines, and the layers of the land. */
const LAYERS = ['parcels', 'zips', 'roads', 'wetlands', 'flood', 'hillshade'] as const;

export const tilePage: Page = {
  path: '/tiles/:layer/:z/:x/:file',
  access: 'app',
  async get(visit) {
    const { layer, z, x, file } = visit.req.params as Record<string, string>;
    const tile = { z: whole(z!), x: whole(x!), y: whole(/^(\d+)\.(?:mvt|png)$/.exec(file!)?.[1] ?? '') };
    const tileLayer = LAYERS.find(name => name === layer);
    if (tileLayer === undefined || !isTile(tile)) throw notFound('There is no such tile.');
    if (tileLayer === 'hillshade') return shadeTile(visit, tile);
    const { resources } = visit.deps;
    return tileLayer === 'parcels' ? parcelTile(resources, tile) : landTile(resources, tileLayer, tile);
  },
};

const whole = (text: string): number => (/^\d{1,7}$/.test(text) ? Number(text) : Number.NaN);
const isTile = ({ z, x, y }: Tile): boolean => z <= MAX_ZOOM && x < 2 ** z && y < 2 ** z;

const VECTOR_TILE = 'application/vnd.mapbox-vector-tile';
/** Seconds for which browsers keep what changes with an installation alone. */
const MAX_AGE_S = 3_600;

/** A tile from the cache, or made; the version covers all data that it may show. */
async function cached({ database }: Resources, name: string, make: () => Promise<Buffer>): Promise<Reply> {
  const [{ version } = { version: 0 }] = await database.run<{ version: number }>('parcels/read_version');
  const key = `${name}/${version}`;
  let tile = cache.get(key);
  if (tile === undefined) {
    const bytes = await make();
    tile = { bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 20)}"` };
    cache.set(key, tile);
  }
  return { data: tile.bytes, type: VECTOR_TILE, etag: tile.etag, maxAge: 60 };
}

function encoded(layers: Record<string, Feature[]>): Buffer {
  const tiles = Object.entries(layers).map(([layer, features]) => [layer, { features }]);
  return Buffer.from(fromGeojsonVt(Object.fromEntries(tiles), { version: 2, extent: EXTENT }));
}

type ParcelRow = {
  property_id: number;
  /** Where it is written. */
  apn: string | null;
  boundary: Buffer | null;
  lon: number;
  lat: number;
};

type Count = { fips: number; parcels: number; name: string };

export function parcelTile(resources: Resources, tile: Tile): Promise<Reply> {
  return cached(resources, `parcels/${tile.z}/${tile.x}/${tile.y}`, () => makeParcelTile(resources, tile));
}

/** The map asks the page of a parcel for all else; names in every feature would double the tile. */
const NO_TAGS = {};

/** County lines with the parcels' boundaries, their points or their counts, by zoom. */
export async function makeParcelTile({ database }: Resources, tile: Tile): Promise<Buffer> {
  const box = boundsOf(tile);
  const project = projector(tile);
  const counties = countiesIntersecting(box);
  const lines = counties.map(fips => ({
    id: fips,
    type: 3 as const,
    geometry: rings(countyOutline(fips), project),
    tags: { fips: String(fips).padStart(5, '0') },
  }));
  const layers: Record<string, Feature[]> = {
    counties: lines.filter(({ geometry }) => geometry.length > 0),
  };
  if (tile.z < POINTS_FROM) {
    const rows = await database.run<Count>('parcels/count_parcels', { fips: counties });
    layers.counts = rows.map(({ fips, parcels, name }) => ({
      id: fips,
      type: 1,
      geometry: [toUnits(project(middleOfBox(countyExtent(fips)!)))],
      tags: { parcels, name },
    }));
    return encoded(layers);
  }
  const rows = await database.run<ParcelRow>('parcels/list_parcels', {
    fips: counties,
    box: boxSql(boxToE7(box)),
    with_boundaries: tile.z >= BOUNDARIES_FROM,
    with_apns: tile.z >= NAMES_FROM,
    limit: MAX_FEATURES,
  });
  if (tile.z >= NAMES_FROM) layers.names = rows.flatMap(row => nameOf(row, project));
  layers.parcels = rows.flatMap(({ property_id: id, boundary, lon, lat }): Feature[] => {
    if (boundary === null)
      return [{ id, type: 1, geometry: [toUnits(project([lon / 1e7, lat / 1e7]))], tags: NO_TAGS }];
    const geometry = rings(decodeBoundary(boundary), project);
    return geometry.length === 0 ? [] : [{ id, type: 3, geometry, tags: NO_TAGS }];
  });
  return encoded(layers);
}

/** A parcel's number, once, in the tile that holds its point. */
function nameOf({ apn, lon, lat }: ParcelRow, project: (place: Position) => Point): Feature[] {
  const at = project([lon / 1e7, lat / 1e7]);
  const within = at.every(px => px >= 0 && px < PIXELS);
  return apn !== null && within ? [{ type: 1, geometry: [toUnits(at)], tags: { apn } }] : [];
}

let zips: Zip[] | undefined;

/** ZIP codes at their middles, also of those whose area no feed has. */
function zipCodes(tile: Tile, project: (place: Position) => Point): Feature[] {
  zips ??= readZips().zips;
  const box = boundsOf(tile);
  return zips
    .filter(({ lon, lat }) => boxContains(box, lon, lat))
    .map(({ zip, lon, lat }) => ({ type: 1, geometry: [toUnits(project([lon, lat]))], tags: { zip } }));
}

/** Zooms from which features of the land are distinguishable. */
const LAND_FROM = { roads: 11, wetlands: 11, flood: 10, zips: 8 };

function landTile(resources: Resources, kind: keyof typeof LAND_FROM, tile: Tile): Promise<Reply> {
  return cached(resources, `${kind}/${tile.z}/${tile.x}/${tile.y}`, async () => {
    if (tile.z < LAND_FROM[kind]) return encoded({ [kind]: [] });
    const project = projector(tile);
    const values = { box: boxSql(boxToE7(boundsOf(tile))), kind, limit: MAX_FEATURES };
    const rows = await resources.database.run<{ class: string; geometry: Buffer }>(
      'parcels/list_features',
      values,
    );
    const features = rows.flatMap(({ class: name, geometry: bytes }): Feature[] => {
      const geometry =
        kind === 'roads' ? lines(decodeLines(bytes), project) : rings(decodeBoundary(bytes), project);
      return geometry.length === 0
        ? []
        : [{ type: kind === 'roads' ? 2 : 3, geometry, tags: { class: name } }];
    });
    return encoded({ [kind]: features, ...(kind === 'zips' && { codes: zipCodes(tile, project) }) });
  });
}

const middleOfBox = ([west, south, east, north]: Readonly<Box>): Position => [
  (west! + east!) / 2,
  (south! + north!) / 2,
];

/** Below this a tile would read a state's heights. */
const SHADE_FROM = 11;
/** Enough for the tiles of a screen, in which most blocks are read more than once. */
const SHADE_CACHE_BYTES = 32_000_000;

async function shadeTile({ deps }: Visit, tile: Tile): Promise<Reply> {
  const nothing = { data: '', type: 'image/png', status: 204 as const };
  if (tile.z < SHADE_FROM) return nothing;
  const box = boundsOf(tile);
  const tiles = await deps.resources.database.run<ElevationTile & Record<string, unknown>>(
    'parcels/list_elevation',
    { box: boxSql(boxToE7(box)) },
  );
  if (tiles.length === 0) return nothing;
  const step = 2 ** -tile.z / HILLSHADE_CELLS;
  const placeOf = (column: number, row: number): Position => [
    (tile.x / 2 ** tile.z + (column + 0.5) * step - 0.5) * 360,
    (Math.atan(Math.sinh(Math.PI * (1 - 2 * (tile.y / 2 ** tile.z + (row + 0.5) * step)))) * 180) / Math.PI,
  ];
  const cellM = WORLD_M * step * Math.cos((placeOf(64, 64)[1] * Math.PI) / 180);
  const elevation = openElevation(tiles, {
    signal: AbortSignal.timeout(deps.config.REQUEST_TIMEOUT_MS),
    cacheBytes: SHADE_CACHE_BYTES,
  });
  try {
    const shades = await hillshade(elevation, placeOf, cellM);
    if (shades === null) return nothing;
    const raw = { width: HILLSHADE_CELLS, height: HILLSHADE_CELLS, channels: 2 as const };
    const data = await sharp(shades, { raw }).resize(256, 256, { kernel: 'cubic' }).png().toBuffer();
    return { data, type: 'image/png', maxAge: MAX_AGE_S };
  } finally {
    await elevation.close();
  }
}

/** Web Mercator (EPSG:3857): degrees to pixels of the tile. */
function projector({ z, x, y }: Tile): (place: Position) => Point {
  const scale = PIXELS * 2 ** z;
  return ([lon, lat]) => {
    const sine = Math.sin((lat! * Math.PI) / 180);
    return [
      (lon! / 360 + 0.5) * scale - x * PIXELS,
      (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * scale - y * PIXELS,
    ];
  };
}

/** West, south, east, north in degrees, with the margin that is drawn. */
function boundsOf({ z, x, y }: Tile): Box {
  const edge = FRAME[2] / PIXELS - 1;
  const lon = (at: number) => Math.max(-180, Math.min(180, (at / 2 ** z - 0.5) * 360));
  const lat = (at: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * at) / 2 ** z))) * 180) / Math.PI;
  return [lon(x - edge), lat(y + 1 + edge), lon(x + 1 + edge), lat(y - edge)];
}

const toUnits = ([x, y]: Point): Point => [Math.round(x * UNITS), Math.round(y * UNITS)];

/** The rings of polygons within the tile; exteriors turn clockwise on the screen, as the format asks. */
function rings(polygons: MultiPolygon, project: (place: Position) => Point): Point[][] {
  return polygons.flatMap(polygon =>
    polygon.flatMap(ring => {
      const drawn = ring.map(project);
      // Most parcels lie within their tile: to clip them would take half of the time.
      const units = onGrid(drawn.every(isInFrame) ? drawn : clipRing(drawn.slice(0, -1), FRAME));
      if (units.length > 0 && !isSame(units[0]!, units.at(-1)!)) units.push(units[0]!);
      return units.length < 4 ? [] : [units];
    }),
  );
}

const isInFrame = ([x, y]: Point): boolean =>
  x >= FRAME[0] && x <= FRAME[2] && y >= FRAME[1] && y <= FRAME[3];
const isSame = (a: Point, b: Point): boolean => a[0] === b[0] && a[1] === b[1];

/** Without the points that fall on the one before. */
function onGrid(line: Point[]): Point[] {
  const units: Point[] = [];
  for (const point of line) {
    const next = toUnits(point);
    if (units.length === 0 || !isSame(next, units.at(-1)!)) units.push(next);
  }
  return units;
}

function lines(line: Position[][], project: (place: Position) => Point): Point[][] {
  return line.flatMap(part => clipLine(part.map(project), FRAME)).map(part => part.map(toUnits));
}
