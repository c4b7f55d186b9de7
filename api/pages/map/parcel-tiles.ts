import type { Point } from '../../../shared/drawing/map-extent.ts';
import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { shortApn } from '../../../shared/model/roll-text.ts';
import {
  countParcels,
  listDots,
  listTileParcels,
  type ParcelCount,
  type Place,
  type TileParcel,
} from '../../../shared/parcels/map-statements.ts';
import { bordersIntersecting } from '../../../shared/regions/county-borders.ts';
import {
  countiesIntersecting,
  countyExtent,
  countyOutline,
} from '../../../shared/regions/county-polygons.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';
import {
  boundsOf,
  EXTENT,
  encoded,
  type Feature,
  isInTile,
  lines,
  MAX_FEATURES,
  middleOfBox,
  projector,
  pxE7,
  rings,
  type Tile,
  toUnits,
} from './tile-geometry.ts';
import { listTileHits, type TileHit, type TileHits } from './tile-hits.ts';

/** Below this zoom level, tiles show a count per county. */
const PARCELS_FROM = 11;
/**
 * At this zoom level and closer, every parcel has an outline. Below it, parcels smaller than OUTLINE_PX are
 * dots.
 */
const ALL_OUTLINES_FROM = 15;
const OUTLINE_PX = 3;
/** More outlines would make a tile larger than 100 kB, so the smaller ones are dots. */
const MAX_OUTLINES = 4_000;
/**
 * Squares per side of a tile, with up to one dot in each. A square is four pixels wide, smaller than a dot.
 */
const DOTS = 128;
/** Parcel numbers are shown at this zoom level and closer. */
const NAMES_FROM = 16;

/**
 * County lines, and parcels as boundaries, points, or counts, depending on the zoom.
 * @param hits parcels to mark as results
 */
export async function makeParcelTile({ db }: Resources, tile: Tile, hits?: TileHits): Promise<Buffer> {
  const bounds = boundsOf(tile);
  const project = projector(tile);
  const fips = countiesIntersecting(bounds);
  const isFar = tile.z < PARCELS_FROM;
  const leastArea = isFar ? Infinity : tile.z < ALL_OUTLINES_FROM ? (OUTLINE_PX * pxE7(tile)) ** 2 : 0;
  const inTile = { fips, box: boxSql(boxToE7(bounds)), least_area: leastArea };
  const [counts, rows, dots, marked] = await Promise.all([
    countParcels(db, fips),
    isFar
      ? []
      : listTileParcels(db, inTile, {
          with_apns: tile.z >= NAMES_FROM,
          outlines: MAX_OUTLINES,
          limit: MAX_FEATURES,
        }),
    isFar || leastArea === 0 ? [] : listDots(db, inTile, DOTS),
    hits ? listTileHits(db, hits, { ...inTile, dots: DOTS }) : new Map<number, TileHit>(),
  ]);
  const loaded = new Set(counts.map(county => county.fips));
  const counties = fips.map(county => ({
    id: county,
    type: 3 as const,
    geometry: rings(countyOutline(county), project, tile.z),
    tags: {},
  }));
  // Draw each border only once, because two dashed lines on top of each other would fill each other's gaps.
  const borders = bordersIntersecting(bounds).map(({ fips: sides, line }) => ({
    type: 2 as const,
    geometry: lines([line], project, tile.z),
    tags: { parcels: sides.some(side => loaded.has(side)) ? 1 : 0 },
  }));
  const isDrawn = ({ geometry }: { geometry: Point[][] }) => geometry.length > 0;
  const layers: Record<string, Feature[]> = {
    counties: counties.filter(isDrawn),
    borders: borders.filter(isDrawn),
    parcels: [],
  };
  if (isFar) layers.counts = counts.flatMap(county => countOf(county, project));
  if (tile.z >= NAMES_FROM) layers.names = rows.flatMap(row => nameOf(row, project));

  layers.parcels = parcelFeatures(tile, project, leastArea, { rows, dots, marked });
  return encoded(layers);
}

type TileParcels = { rows: TileParcel[]; dots: Place[]; marked: Map<number, TileHit> };

/** Parcels with outlines, followed by results and other parcels as points. */
function parcelFeatures(
  tile: Tile,
  project: (place: Position) => Point,
  leastArea: number,
  { rows, dots, marked }: TileParcels,
): Feature[] {
  const features: Feature[] = [];
  const toPx = ({ lon, lat }: Place) => project([lon / 1e7, lat / 1e7]);
  const toPoint = (place: Place) => toUnits(toPx(place));
  // If a parcel's point is in another tile, its outline is there, so it doesn't get a dot here.
  const isHere = (place: Place) => isInTile(toPx(place));
  const others: Place[] = dots;
  for (const row of rows) {
    const { property_id: id, boundary } = row;
    const hit = marked.get(id);
    const geometry = boundary === null ? [] : rings(decodeBoundary(boundary), project, tile.z);
    if (geometry.length > 0) {
      features.push({ id, type: 3, geometry, tags: hit?.tags ?? {} });
      marked.delete(id);
    } else if (hit !== undefined || !isHere(row)) continue;
    else if (leastArea === 0) features.push({ id, type: 1, geometry: [toPoint(row)], tags: {} });
    else others.push(row);
  }
  const isFree = leastArea === 0 ? () => true : dotGrid();
  for (const { property_id: id, tags, ...place } of marked.values()) {
    const point = toPoint(place);
    if (isHere(place) && isFree(point)) features.push({ id, type: 1, geometry: [point], tags });
  }
  // A single feature without ids takes a third of the space. These dots are too small to click anyway.
  const geometry = others.map(toPoint).filter(isFree);
  if (geometry.length > 0) features.push({ type: 1, geometry, tags: {} });
  return features;
}

/** Returns a function that checks whether a dot is the first in its square. */
function dotGrid(): (point: Point) => boolean {
  const taken = new Set<number>();
  return ([x, y]) => {
    const square = Math.floor((x * DOTS) / EXTENT) * EXTENT + Math.floor((y * DOTS) / EXTENT);
    const isFirst = !taken.has(square);
    taken.add(square);
    return isFirst;
  };
}

/** A county's parcel count, in the tile that contains its center. */
function countOf(
  { fips, parcels, name, lon, lat }: ParcelCount,
  project: (place: Position) => Point,
): Feature[] {
  const at = project(lon === null || lat === null ? middleOfBox(countyExtent(fips)!) : [lon, lat]);
  if (!isInTile(at)) return [];
  return [{ id: fips, type: 1, geometry: [toUnits(at)], tags: { parcels, name } }];
}

function nameOf({ apn, lon, lat }: TileParcel, project: (place: Position) => Point): Feature[] {
  const at = project([lon / 1e7, lat / 1e7]);
  return apn !== null && isInTile(at)
    ? [{ type: 1, geometry: [toUnits(at)], tags: { apn: shortApn(apn) } }]
    : [];
}
