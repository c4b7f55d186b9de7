import { boxOf, boxSql } from '../geo/box.ts';
import { decodeBoundary, decodeLines } from '../geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../geo/geometry-types.ts';
import type { Road } from '../kernels/frontage/frontage.ts';
import { type LandInput, readLand } from '../land/read-land.ts';
import { ALL_LAYERS, type RoadClass } from '../model/land-layers.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import type { Values } from '../platform/named-parameters.ts';
import { countiesIntersecting } from '../regions/county-polygons.ts';
import { type ComputedLand, computeParcel } from './computed.ts';
import { type ParcelRow, readStoredParcel, type StoredParcel } from './known-parcel.ts';
import { type View, viewOf } from './map-extent.ts';

export type Zone = { class: string; shape: MultiPolygon };

export type Surroundings = {
  neighbors: { id: number; apn: string | null; shape: MultiPolygon }[];
  roads: Road[];
  water: Zone[];
  wetlands: Zone[];
  flood: Zone[];
  /** Kinds that have more features than the limit. Only the largest features are drawn. */
  truncated: string[];
};

export type ParcelMap = { parcel: ParcelRow; shape: MultiPolygon; view: View; surroundings: Surroundings };

export type ParcelDrawing = ParcelMap & { computed: ComputedLand };

const MAP_PX = { width: 900, height: 740 };
/** At this size, labels can be read in a side panel. */
export const SMALL_MAP_PX = { width: 400, height: 320 };

/** The map's margin: an eighth of the parcel's length, but at least enough to show adjacent roads. */
const MARGIN_SHARE = 1 / 8;
const MIN_MARGIN_M = 40;
/** A boundary that fronts a highway may be 60 m from its centerline. */
const HIGHWAY_MARGIN_M = 70;
/** If there is no road, show more of the area to include the nearest one. */
const ROADLESS_MARGIN_M = 120;

/** Default limit per kind. More features would be indistinguishable on a map of this size. */
const MAX_PER_KIND = 4_000;

export type DrawOptions = {
  signal: AbortSignal;
  /** Maximum number of features to draw, separately for parcels, roads, water, wetlands, and flood zones. */
  maxPerKind?: number;
  /** Size of the map. Default: MAP_PX. */
  mapPx?: typeof MAP_PX;
};

/**
 * Reads a parcel's stored data, or null for an unknown id. With `draw`, also reads the data for its map from
 * the same snapshot.
 * @throws PlatError `parcel_retired`, `parcel_shapeless` if there is nothing to draw
 */
export async function readParcelDrawing(
  db: Db,
  propertyId: number,
  draw: DrawOptions | null,
): Promise<{ stored: StoredParcel; drawn: ParcelDrawing | null } | null> {
  const { stored, map } = await db.snapshot(async tx => {
    const stored = await readStoredParcel(tx, propertyId);
    if (stored === null || draw === null) return { stored, map: null };
    return { stored, map: await readMapData(tx, requireDrawable(stored.parcel), draw) };
  });
  if (stored === null) return null;
  if (map === null || draw === null) return { stored, drawn: null };
  const { input, ...rest } = map;
  const computed = await computeParcel(input, draw.signal);
  return { stored, drawn: { parcel: stored.parcel, computed, ...rest } };
}

/**
 * Reads what a small map of a parcel shows, without measuring its land. Null for an unknown id.
 * @throws PlatError `parcel_retired`, `parcel_shapeless` if there is nothing to draw
 */
export const readParcelMap = (db: Db, propertyId: number): Promise<ParcelMap | null> =>
  db.snapshot(async tx => {
    const stored = await readStoredParcel(tx, propertyId);
    if (stored === null) return null;
    const parcel = requireDrawable(stored.parcel);
    const shape = decodeBoundary(parcel.boundary);
    const marginM = Math.max(HIGHWAY_MARGIN_M, MARGIN_SHARE * lengthM(shape));
    const view = viewOf(shape, marginM, SMALL_MAP_PX.width, SMALL_MAP_PX.height);
    return { parcel, shape, view, surroundings: await readSurroundings(tx, view, parcel, MAX_PER_KIND) };
  });

type DrawableParcel = ParcelRow & { boundary: Uint8Array };

function requireDrawable(parcel: ParcelRow): DrawableParcel {
  const { property_id: id, retired_at: retired, boundary } = parcel;
  if (retired !== null) {
    const day = retired.toISOString().slice(0, 10);
    throw new PlatError(
      'parcel_retired',
      `Parcel ${id} left the roll on ${day}, so it can't be drawn. Omit --svg to show its fields.`,
      { status: 422 },
    );
  }
  if (boundary === null) {
    throw new PlatError(
      'parcel_shapeless',
      `Parcel ${id} has no geometry to draw. Omit --svg to show its fields.`,
      { status: 422 },
    );
  }
  return { ...parcel, boundary };
}

type MapData = { input: LandInput; shape: MultiPolygon; view: View; surroundings: Surroundings };

async function readMapData(
  db: Db,
  parcel: DrawableParcel,
  { maxPerKind = MAX_PER_KIND, mapPx = MAP_PX }: DrawOptions,
): Promise<MapData> {
  const input = await readLand(db, parcel.fips, [
    { ...parcel, layers: ALL_LAYERS, mark: 0, kept: parcel.shape_hash },
  ]);
  const shape = decodeBoundary(parcel.boundary);
  const marginM = Math.max(minMarginM(input), MARGIN_SHARE * lengthM(shape));
  const view = viewOf(shape, marginM, mapPx.width, mapPx.height);
  return {
    input,
    shape,
    view,
    surroundings: await readSurroundings(db, view, parcel, maxPerKind),
  };
}

function minMarginM({ roads }: LandInput): number {
  if (roads.length === 0) return ROADLESS_MARGIN_M;
  return roads.some(road => road.class === 'highway') ? HIGHWAY_MARGIN_M : MIN_MARGIN_M;
}

/** Approximate length of the longer side of a shape's extent, to choose a margin. */
function lengthM(shape: MultiPolygon): number {
  const [west, south, east, north] = boxOf(shape);
  const across = (east - west) * Math.cos(((south + north) / 2) * (Math.PI / 180));
  return 111_000 * Math.max(across, north - south);
}

async function readSurroundings(
  db: Db,
  view: View,
  { property_id: propertyId, fips }: Pick<DrawableParcel, 'property_id' | 'fips'>,
  maxPerKind: number,
): Promise<Surroundings> {
  const box = boxSql(view.box);
  const truncated: string[] = [];
  const read = async <Row extends object>(what: string, name: string, values: Values) => {
    const rows = await db.run<Row>(name, { ...values, limit: maxPerKind + 1 });
    if (rows.length > maxPerKind) truncated.push(what);
    return rows.slice(0, maxPerKind);
  };
  type Neighbor = { property_id: number; apn: string | null; boundary: Uint8Array };
  type Feature = { class: string; geometry: Uint8Array };
  const zones = async (what: string, kind: string): Promise<Zone[]> => {
    const rows = await read<Feature>(what, 'parcels/list_view_features', { box, kind });
    return rows.map(row => ({ class: row.class, shape: decodeBoundary(row.geometry) }));
  };
  const inDegrees = view.box.map(side => side / 1e7) as Box;
  const counties = [...new Set([fips, ...countiesIntersecting(inDegrees)])];
  const parcels = await read<Neighbor>('other parcels', 'parcels/list_view_parcels', { box, counties });
  const roads = await read<Feature>('roads', 'parcels/list_view_features', { box, kind: 'roads' });
  return {
    neighbors: parcels
      .filter(row => row.property_id !== propertyId)
      .map(({ property_id: id, apn, boundary }) => ({ id, apn, shape: decodeBoundary(boundary) })),
    roads: roads.flatMap(row =>
      decodeLines(row.geometry).map(line => ({ class: row.class as RoadClass, line })),
    ),
    water: await zones('waters', 'water'),
    wetlands: await zones('wetlands', 'wetlands'),
    flood: await zones('flood zones', 'flood'),
    truncated,
  };
}
