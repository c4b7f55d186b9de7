import type { Point } from '../../../shared/drawing/map-extent.ts';
import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
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
  MAX_FEATURES,
  middleOfBox,
  PIXELS,
  projector,
  pxE7,
  rings,
  type Tile,
  toUnits,
  UNITS,
} from './tile-geometry.ts';
import { listTileHits, type TileHits } from './tile-hits.ts';

/** Before this zoom the parcels of a county are counted. */
const PARCELS_FROM = 11;
/** From here on every parcel has an outline, before it those that are this wide and high; others are dots. */
const ALL_OUTLINES_FROM = 13;
const OUTLINE_PX = 4;
/** Of dots that lie within so many pixels of each other one is drawn. */
const DOT_PX = 2;
/** Parcel numbers are written from here on. */
const NAMES_FROM = 16;

type ParcelRow = {
  property_id: number;
  /** Where it is written. */
  apn: string | null;
  boundary: Buffer | null;
  lon: number;
  lat: number;
};

type Count = { fips: number; parcels: number; name: string };

/** The map asks the page of a parcel for all else; names in every feature would double the tile. */
const NO_TAGS = {};

/**
 * County lines with the parcels' boundaries, their points or their counts, by zoom.
 * @param hits those that are marked
 */
export async function makeParcelTile({ database }: Resources, tile: Tile, hits?: TileHits): Promise<Buffer> {
  const box = boundsOf(tile);
  const project = projector(tile);
  const counties = countiesIntersecting(box);
  const counts = await database.run<Count>('parcels/count_parcels', { fips: counties });
  const loaded = new Set(counts.map(({ fips }) => fips));
  const lines = counties.map(fips => ({
    id: fips,
    type: 3 as const,
    geometry: rings(countyOutline(fips), project),
    tags: { fips: String(fips).padStart(5, '0'), parcels: loaded.has(fips) ? 1 : 0 },
  }));
  const layers: Record<string, Feature[]> = {
    counties: lines.filter(({ geometry }) => geometry.length > 0),
  };
  const marked = hits && (await listTileHits(database, hits, tile));
  if (tile.z < PARCELS_FROM) {
    layers.counts = counts.map(({ fips, parcels, name }) => ({
      id: fips,
      type: 1,
      geometry: [toUnits(project(middleOfBox(countyExtent(fips)!)))],
      tags: { parcels, name },
    }));
    layers.parcels = [...(marked?.values() ?? [])].map(hit => pointOf(hit, project, hit.tags));
    return encoded(layers);
  }
  const rows = await database.run<ParcelRow>('parcels/list_parcels', {
    fips: counties,
    box: boxSql(boxToE7(box)),
    outline_area: tile.z >= ALL_OUTLINES_FROM ? 0 : (OUTLINE_PX * pxE7(tile)) ** 2,
    with_apns: tile.z >= NAMES_FROM,
    limit: MAX_FEATURES,
  });
  if (tile.z >= NAMES_FROM) layers.names = rows.flatMap(row => nameOf(row, project));
  const isFree = dotGrid();
  layers.parcels = rows.flatMap((row): Feature[] => {
    const tags = marked?.get(row.property_id)?.tags ?? NO_TAGS;
    const geometry = row.boundary === null ? [] : rings(decodeBoundary(row.boundary), project);
    if (geometry.length > 0) return [{ id: row.property_id, type: 3, geometry, tags }];
    const point = pointOf(row, project, tags);
    // What is found is seen, whatever lies beside it.
    return tags === NO_TAGS && !isFree(point) ? [] : [point];
  });
  const drawn = new Set(rows.map(row => row.property_id));
  for (const hit of marked?.values() ?? [])
    if (!drawn.has(hit.property_id)) layers.parcels.push(pointOf(hit, project, hit.tags));
  return encoded(layers);
}

/** Tells whether a dot is the first at its place. */
function dotGrid(): (point: Feature) => boolean {
  const taken = new Set<number>();
  return ({ geometry }) => {
    const [x, y] = geometry[0] as Point;
    const cell = Math.floor(x / (UNITS * DOT_PX)) * EXTENT + Math.floor(y / (UNITS * DOT_PX));
    const isFirst = !taken.has(cell);
    taken.add(cell);
    return isFirst;
  };
}

type Placed = Pick<ParcelRow, 'property_id' | 'lon' | 'lat'>;

const pointOf = (
  { property_id: id, lon, lat }: Placed,
  project: (place: Position) => Point,
  tags: Feature['tags'],
): Feature => ({ id, type: 1, geometry: [toUnits(project([lon / 1e7, lat / 1e7]))], tags });

/** A parcel's number, once, in the tile that holds its point. */
function nameOf({ apn, lon, lat }: ParcelRow, project: (place: Position) => Point): Feature[] {
  const at = project([lon / 1e7, lat / 1e7]);
  const within = at.every(px => px >= 0 && px < PIXELS);
  return apn !== null && within ? [{ type: 1, geometry: [toUnits(at)], tags: { apn } }] : [];
}
