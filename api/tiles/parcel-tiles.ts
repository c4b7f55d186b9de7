import type { Point } from '../../shared/drawing/map-extent.ts';
import { boxSql, boxToE7 } from '../../shared/geo/box.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { shortApn } from '../../shared/model/roll-text.ts';
import { effectiveAcres } from '../../shared/model/shown-acres.ts';
import {
  countParcels,
  type InTile,
  listDots,
  listTileParcels,
  type ParcelCount,
  type Place,
  type TileParcel,
} from '../../shared/parcels/map-statements.ts';
import type { Db } from '../../shared/platform/db.ts';
import { bordersIntersecting } from '../../shared/regions/county-borders.ts';
import { countiesIntersecting, countyExtent, countyOutline } from '../../shared/regions/county-polygons.ts';
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

/** Below this zoom level, tiles show a count per county. */
const PARCELS_FROM = 11;
/** The zoom levels of tiles for programs outside the app. At closer ones, they enlarge the last. */
export const FACT_ZOOMS = { min: PARCELS_FROM, max: 16 };
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

/** A result of a search. `hit` is the figure that determines the color, or `true`. */
export type TileHit = Place & { property_id: number; tags: { hit: number | true } };

/** Finds the results in a tile, by id. `dots`: squares per side with up to one small parcel each. */
export type FindHits = (inTile: InTile & { dots: number }) => Promise<Map<number, TileHit>>;

/**
 * County lines, and parcels as boundaries, points, or counts, depending on the zoom.
 * @param findHits finds parcels to mark as results
 */
export async function makeParcelTile(db: Db, tile: Tile, findHits?: FindHits): Promise<Buffer> {
  const bounds = boundsOf(tile);
  const project = projector(tile);
  const fips = countiesIntersecting(bounds);
  const isFar = tile.z < PARCELS_FROM;
  const [counts, found] = await Promise.all([
    countParcels(db, fips),
    readParcels(db, tile, { withApns: tile.z >= NAMES_FROM, withAcres: false, findHits }),
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
  if (tile.z >= NAMES_FROM) layers.names = found.rows.flatMap(row => nameOf(row, project));

  layers.parcels = parcelFeatures(tile, project, found, () => ({}));
  return encoded(layers);
}

/**
 * Parcels with their ids, parcel numbers, and acres, for programs outside the app. Undefined if there are
 * none.
 */
export async function makeFactTile(db: Db, tile: Tile): Promise<Buffer | undefined> {
  const found = await readParcels(db, tile, { withApns: true, withAcres: true });
  const parcels = parcelFeatures(tile, projector(tile), found, factsOf);
  return parcels.length === 0 ? undefined : encoded({ parcels });
}

function factsOf({ property_id, apn, acres, calculated_acres }: TileParcel): Feature['tags'] {
  const effective = effectiveAcres(acres, calculated_acres);
  return { property_id, ...(apn !== null && { apn }), ...(effective !== null && { acres: effective }) };
}

type Asked = { withApns: boolean; withAcres: boolean; findHits?: FindHits | undefined };

type TileParcels = {
  /** Smaller parcels are points. */
  leastArea: number;
  rows: TileParcel[];
  dots: Place[];
  marked: Map<number, TileHit>;
};

async function readParcels(
  db: Db,
  tile: Tile,
  { withApns, withAcres, findHits }: Asked,
): Promise<TileParcels> {
  const bounds = boundsOf(tile);
  const isFar = tile.z < PARCELS_FROM;
  const leastArea = isFar ? Infinity : tile.z < ALL_OUTLINES_FROM ? (OUTLINE_PX * pxE7(tile)) ** 2 : 0;
  const inTile = {
    fips: countiesIntersecting(bounds),
    box: boxSql(boxToE7(bounds)),
    least_area: leastArea,
  };
  const [rows, dots, marked] = await Promise.all([
    isFar
      ? []
      : listTileParcels(db, inTile, {
          with_apns: withApns,
          with_acres: withAcres,
          outlines: MAX_OUTLINES,
          limit: MAX_FEATURES,
        }),
    isFar || leastArea === 0 ? [] : listDots(db, inTile, DOTS),
    findHits?.({ ...inTile, dots: DOTS }) ?? new Map<number, TileHit>(),
  ]);
  return { leastArea, rows, dots, marked };
}

/** Parcels with outlines, followed by results and other parcels as points. */
function parcelFeatures(
  tile: Tile,
  project: (place: Position) => Point,
  { leastArea, rows, dots, marked }: TileParcels,
  tagsOf: (row: TileParcel) => Feature['tags'],
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
      features.push({ id, type: 3, geometry, tags: hit?.tags ?? tagsOf(row) });
      marked.delete(id);
    } else if (hit !== undefined || !isHere(row)) continue;
    else if (leastArea === 0) features.push({ id, type: 1, geometry: [toPoint(row)], tags: tagsOf(row) });
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
