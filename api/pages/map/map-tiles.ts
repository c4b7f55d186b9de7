import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import type { Point } from '../../../shared/drawing/map-extent.ts';
import { boxContains, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { WORLD_M } from '../../../shared/geo/web-mercator.ts';
import { type ElevationTile, openElevation } from '../../../shared/raster/elevation-grid.ts';
import { HILLSHADE_CELLS, hillshade } from '../../../shared/raster/hillshade.ts';
import { readZips, type Zip } from '../../../shared/regions/zip-file.ts';
import { notFound } from '../../http/error-responses.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { makeParcelTile } from './parcel-tiles.ts';
import { placeTile } from './place-tiles.ts';
import {
  boundsOf,
  encoded,
  type Feature,
  lines,
  MAX_FEATURES,
  projector,
  rings,
  type Tile,
  toUnits,
} from './tile-geometry.ts';
import { readTileHits, type TileHits } from './tile-hits.ts';

const MAX_ZOOM = 18;

/** Tiles by address and version: 64 MB of some 10 kB each. */
const cache = new LRUCache<string, { bytes: Buffer; etag: string }>({
  maxSize: 64_000_000,
  sizeCalculation: ({ bytes }) => bytes.length + 200,
});

/** What may be drawn: parcels and county lines, names of places, and the layers of the land. */
const LAYERS = ['parcels', 'places', 'zips', 'roads', 'wetlands', 'flood', 'hillshade'] as const;

export const tilePage: Page = {
  path: '/tiles/:layer/:z/:x/:file',
  access: 'app',
  async get(visit) {
    const { layer, z, x, file } = visit.req.params as Record<string, string>;
    const tile = { z: whole(z!), x: whole(x!), y: whole(/^(\d+)\.(?:mvt|png)$/.exec(file!)?.[1] ?? '') };
    const tileLayer = LAYERS.find(name => name === layer);
    if (tileLayer === undefined || !isTile(tile)) throw notFound('There is no such tile.');
    if (tileLayer === 'hillshade') return shadeTile(visit, tile);
    if (tileLayer === 'places') return { data: placeTile(tile), type: VECTOR_TILE, maxAge: MAX_AGE_S };
    const { resources } = visit.deps;
    return tileLayer === 'parcels'
      ? parcelTile(resources, tile, await readTileHits(visit))
      : landTile(resources, tileLayer, tile);
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

/** The parcels of a tile, with the hits of a search marked. */
export function parcelTile(resources: Resources, tile: Tile, hits?: TileHits): Promise<Reply> {
  const name = `parcels/${tile.z}/${tile.x}/${tile.y}/${hits?.key ?? ''}`;
  return cached(resources, name, () => makeParcelTile(resources, tile, hits));
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
