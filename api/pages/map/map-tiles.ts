import sharp from 'sharp';
import type { Point } from '../../../shared/drawing/map-extent.ts';
import { boxContains, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { WORLD_M } from '../../../shared/geo/web-mercator.ts';
import { listElevation } from '../../../shared/land/read-land.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { listFeatures } from '../../../shared/parcels/map-statements.ts';
import { newBlockCache } from '../../../shared/raster/chunks.ts';
import { openElevation } from '../../../shared/raster/elevation-grid.ts';
import { HILLSHADE_CELLS, hillshade } from '../../../shared/raster/hillshade.ts';
import { readZips, type Zip } from '../../../shared/regions/zip-file.ts';
import { notFound } from '../../http/error-responses.ts';
import type { GroundTile } from '../../images/pictures.ts';
import { makeParcelTile } from '../../tiles/parcel-tiles.ts';
import { type CachedTile, cachedTile, VECTOR_TILE } from '../../tiles/tile-cache.ts';
import {
  boundsOf,
  encoded,
  type Feature,
  lines,
  MAX_FEATURES,
  projector,
  pxE7,
  rings,
  type Tile,
  toUnits,
} from '../../tiles/tile-geometry.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { makeOverlayTile } from './overlay-tiles.ts';
import { makePlaceTile } from './place-tiles.ts';
import { listTileHits, readTileHits, type TileHits } from './tile-hits.ts';

const MAX_ZOOM = 18;

/** The layers that have tiles. */
const LAYERS = ['parcels', 'base', 'zips', 'wetlands', 'flood', 'hillshade', 'aerial'] as const;

export const tilePage: Page = {
  path: '/tiles/:layer/:z/:x/:file',
  access: 'app',
  async get(visit) {
    const { layer, z, x, file } = visit.req.params as Record<string, string>;
    const tile = {
      z: parseWhole(z!),
      x: parseWhole(x!),
      y: parseWhole(/^(\d+)\.(?:mvt|png|jpg)$/.exec(file!)?.[1] ?? ''),
    };
    const tileLayer = LAYERS.find(name => name === layer);
    const overlay = /^overlay-(\w{1,40})$/.exec(layer!)?.[1];
    if (!isTile(tile)) throw notFound('Tile not found.');
    if (overlay !== undefined) {
      const name = `${layer}/${tile.z}/${tile.x}/${tile.y}`;
      return cached(visit.deps.resources, name, () => makeOverlayTile(visit.deps.resources, overlay, tile));
    }
    if (tileLayer === undefined) throw notFound('Tile not found.');
    if (tileLayer === 'hillshade') return shadeTile(visit, tile);
    if (tileLayer === 'aerial') return aerialTile(visit, tile);
    const { resources } = visit.deps;
    if (tileLayer === 'parcels') return parcelTile(resources, tile, await readTileHits(visit));
    return cached(resources, `${tileLayer}/${tile.z}/${tile.x}/${tile.y}`, () =>
      tileLayer === 'base' ? makeBaseTile(resources, tile) : makeLandTile(resources, tileLayer, tile),
    );
  },
};

const parseWhole = (text: string): number => (/^\d{1,7}$/.test(text) ? Number(text) : Number.NaN);
const isTile = ({ z, x, y }: Tile): boolean => z <= MAX_ZOOM && x < 2 ** z && y < 2 ** z;

/** How long browsers cache tiles that rarely change, in seconds. */
const MAX_AGE_S = 3_600;

async function cached(resources: Resources, name: string, make: () => Promise<Buffer>): Promise<Reply> {
  const tile = await cachedTile(resources, name, async () => ({ bytes: await make(), type: VECTOR_TILE }));
  return replyOf(tile!, 60);
}

const replyOf = ({ bytes, type, etag }: CachedTile, maxAge: number): Reply =>
  etag === undefined ? { data: bytes, type, maxAge: 60 } : { data: bytes, type, etag, maxAge };

export function parcelTile(resources: Resources, tile: Tile, hits?: TileHits): Promise<Reply> {
  const { db } = resources;
  const name = `parcels/${tile.z}/${tile.x}/${tile.y}/${hits?.key ?? ''}`;
  return cached(resources, name, () =>
    makeParcelTile(db, tile, hits && (inTile => listTileHits(db, hits, inTile))),
  );
}

let zips: Zip[] | undefined;

/** ZIP codes at their centers, including ZIP codes for which no feed has an area. */
function zipCodes(tile: Tile, project: (place: Position) => Point): Feature[] {
  zips ??= readZips().zips;
  const box = boundsOf(tile);
  return zips
    .filter(({ lon, lat }) => boxContains(box, lon, lat))
    .map(({ zip, lon, lat }) => ({ type: 1, geometry: [toUnits(project([lon, lat]))], tags: { zip } }));
}

/** Lowest zoom levels at which land features are distinguishable. */
const LAND_FROM = { roads: 11, wetlands: 11, flood: 10, water: 7, zips: 8 };
/** Smaller areas can't be seen. */
const LEAST_PX = 1;

/** What every map shows, in one tile: other countries, names, water, and roads. */
async function makeBaseTile(resources: Resources, tile: Tile): Promise<Buffer> {
  const parts = [
    makePlaceTile(resources, tile),
    makeLandTile(resources, 'water', tile),
    makeLandTile(resources, 'roads', tile),
  ];
  // Vector tiles are lists of layers, so one after the other is a tile too.
  return Buffer.concat(await Promise.all(parts));
}

async function makeLandTile({ db }: Resources, kind: keyof typeof LAND_FROM, tile: Tile): Promise<Buffer> {
  if (tile.z < LAND_FROM[kind]) return encoded({ [kind]: [] });
  const project = projector(tile);
  const isLine = kind === 'roads';
  const rows = await listFeatures(db, {
    box: boxSql(boxToE7(boundsOf(tile))),
    kind,
    least_area: isLine ? 0 : (LEAST_PX * pxE7(tile)) ** 2,
    limit: MAX_FEATURES,
  });
  const features = rows.flatMap(({ class: kindOf, name, geometry: bytes }): Feature[] => {
    const geometry = isLine
      ? lines(decodeLines(bytes), project, tile.z)
      : rings(decodeBoundary(bytes), project, tile.z);
    // Omit names of water, because the place tiles label it.
    const tags = { class: kindOf, ...(isLine && name !== null && { name: titleCase(name) }) };
    return geometry.length === 0 ? [] : [{ type: isLine ? 2 : 3, geometry, tags }];
  });
  return encoded({ [kind]: features, ...(kind === 'zips' && { codes: zipCodes(tile, project) }) });
}

/** At lower zoom levels, a tile would have to read a hundred files. */
const AERIAL_FROM = 11;
const NO_IMAGE = { data: '', type: 'image/png', status: 204 as const };

async function cachedPicture(
  resources: Resources,
  name: string,
  make: () => Promise<GroundTile | undefined>,
): Promise<Reply> {
  const picture = await cachedTile(resources, name, make);
  return picture === undefined ? NO_IMAGE : replyOf(picture, MAX_AGE_S);
}

/** A tile from the imagery feeds, drawn like the parcel pictures. */
async function aerialTile({ deps: { resources } }: Visit, { z, x, y }: Tile): Promise<Reply> {
  if (z < AERIAL_FROM) return NO_IMAGE;
  return cachedPicture(resources, `aerial/${z}/${x}/${y}`, () => resources.images.pictures.ofTile(z, x, y));
}

/** At lower zoom levels, a tile would have to read a whole state's elevation data. */
const SHADE_FROM = 11;
/** Enough for one screen of tiles. Neighboring tiles share blocks. */
const SHADE_CACHE_BYTES = 32_000_000;
const heightBlocks = newBlockCache(SHADE_CACHE_BYTES);

/** Brightness of flat ground, and how much light and shadow are exaggerated. */
const FLAT_LIGHT = 180;
const EXAGGERATED = 2.2;

/** Turns gray pixels into translucent white light and black shadow, relative to flat ground. */
function lightAndShadow(shades: Uint8Array): void {
  for (let i = 0; i < shades.length; i += 2) {
    const difference = shades[i]! - FLAT_LIGHT;
    shades[i + 1] = (Math.min(200, Math.abs(difference) * EXAGGERATED) * shades[i + 1]!) / 255;
    shades[i] = difference < 0 ? 0 : 255;
  }
}

async function shadeTile({ deps }: Visit, tile: Tile): Promise<Reply> {
  if (tile.z < SHADE_FROM) return NO_IMAGE;
  const name = `hillshade/${tile.z}/${tile.x}/${tile.y}`;
  return cachedPicture(deps.resources, name, () => drawShade(deps, tile));
}

async function drawShade(deps: Visit['deps'], tile: Tile): Promise<GroundTile | undefined> {
  const box = boundsOf(tile);
  const tiles = await listElevation(deps.db, [boxSql(boxToE7(box))]);
  if (tiles.length === 0) return undefined;
  const step = 2 ** -tile.z / HILLSHADE_CELLS;
  const placeOf = (column: number, row: number): Position => [
    (tile.x / 2 ** tile.z + (column + 0.5) * step - 0.5) * 360,
    (Math.atan(Math.sinh(Math.PI * (1 - 2 * (tile.y / 2 ** tile.z + (row + 0.5) * step)))) * 180) / Math.PI,
  ];
  const cellM = WORLD_M * step * Math.cos((placeOf(64, 64)[1] * Math.PI) / 180);
  const elevation = openElevation(tiles, {
    signal: AbortSignal.timeout(deps.config.REQUEST_TIMEOUT_MS),
    cacheBytes: SHADE_CACHE_BYTES,
    blocks: heightBlocks,
  });
  try {
    const shades = await hillshade(elevation, placeOf, cellM);
    if (shades === null) return undefined;
    lightAndShadow(shades);
    const raw = { width: HILLSHADE_CELLS, height: HILLSHADE_CELLS, channels: 2 as const };
    const bytes = await sharp(shades, { raw }).resize(256, 256, { kernel: 'cubic' }).png().toBuffer();
    return { bytes, type: 'image/png', isLasting: true };
  } finally {
    await elevation.close();
  }
}
