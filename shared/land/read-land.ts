import { boxOfColumns, boxSql, withMarginE7 } from '../geo/box.ts';
import { decodeBoundary, decodeLines } from '../geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../geo/geometry-types.ts';
import { hilbertOrder } from '../geo/hilbert.ts';
import { frontageMarginM, type Neighbor, type Road } from '../kernels/frontage/frontage.ts';
import type { Water } from '../kernels/shore.ts';
import { LAYER_KINDS, type LayerKind, type RoadClass } from '../model/land-layers.ts';
import type { Db } from '../platform/db.ts';
import type { ElevationTile } from '../raster/elevation-grid.ts';
import {
  addSources,
  type Layer,
  type MarkedParcel,
  type MarkedRow,
  marginM,
  markedParcelOf,
  reachOfOverlays,
} from './marked-layers.ts';
import { placesOf, readFeatures } from './read-features.ts';
import { type OverlayLayer, readOverlays } from './read-overlays.ts';

/** The data for computing a chunk, as of one point in time. */
export type LandInput = {
  /** In Hilbert curve order. */
  subjects: MarkedParcel[];
  /** Parcels in the chunk that have no geometry and so can't be computed. */
  shapeless: { property_id: number; mark: number }[];
  roads: Road[];
  /** All parcels near the subjects that need frontage, including the subjects. */
  neighbors: Neighbor[];
  wetlands: MultiPolygon[];
  flood: MultiPolygon[];
  water: Water[];
  overlays: OverlayLayer[];
  tiles: ElevationTile[];
};

/** Reads the data for computing parcels in a county. The connection must be in a snapshot. */
export async function readLand(db: Db, fips: number, rows: readonly MarkedRow[]): Promise<LandInput> {
  const layers = await db.run<Layer>('land/list_layers');
  const shaped = rows.filter(row => row.boundary !== null);
  const order = hilbertOrder(
    shaped.map(row => row.x),
    shaped.map(row => row.y),
  );
  const ordered = Array.from(order, i => shaped[i]!);
  const boxes = ordered.map(boxOfColumns);
  const subjects = ordered.map(row => markedParcelOf(row, fips, layers));
  const shapeless = rows.flatMap(({ boundary, property_id, mark }) =>
    boundary === null ? [{ property_id, mark }] : [],
  );

  const reaches = {
    roadsM: Math.max(0, ...layers.flatMap(({ reach_m }) => (reach_m ? frontageMarginM(reach_m) : []))),
    overlaysM: reachOfOverlays(layers),
  };
  /** Boxes, with a margin, around the parcels that layers of the kind cover. */
  const around = (kind: LayerKind): string[] =>
    placesOf(
      boxes
        .filter((_, i) => subjects[i]!.covering[kind].length > 0)
        .map(box => withMarginE7(box, marginM(kind, reaches))),
    ).map(boxSql);
  const layersOf = (kind: LayerKind) => layers.filter(layer => layer.kind === kind);
  const feeds = (kind: LayerKind) => layersOf(kind).map(layer => layer.feed_id);
  const places = Object.fromEntries(LAYER_KINDS.map(kind => [kind, around(kind)])) as Record<
    LayerKind,
    string[]
  >;
  for (const kind of LAYER_KINDS) await addSources(db, kind, layersOf(kind), subjects, boxes, places[kind]);

  return {
    subjects,
    shapeless,
    roads: await readRoads(db, feeds('roads'), places.roads),
    neighbors: await readNeighbors(db, subjects, places.roads),
    wetlands: await readPolygons(db, feeds('wetlands'), places.wetlands),
    flood: await readPolygons(db, feeds('flood'), places.flood),
    water: await readWater(db, feeds('water'), places.water),
    overlays: await readOverlays(db, layersOf('overlay'), subjects, boxes),
    tiles: await listElevation(db, places.elevation),
  };
}

async function readRoads(db: Db, feeds: number[], places: string[]): Promise<Road[]> {
  const rows = await readFeatures(db, feeds, places);
  return rows.flatMap(row =>
    decodeLines(row.geometry).map((line: Position[]) => ({ class: row.class as RoadClass, line })),
  );
}

async function readPolygons(db: Db, feeds: number[], places: string[]): Promise<MultiPolygon[]> {
  return (await readFeatures(db, feeds, places)).map(row => decodeBoundary(row.geometry));
}

async function readWater(db: Db, feeds: number[], places: string[]): Promise<Water[]> {
  const rows = await readFeatures(db, feeds, places);
  return rows.map(({ name, geometry }) => ({ name, shape: decodeBoundary(geometry) }));
}

async function readNeighbors(
  db: Db,
  subjects: readonly MarkedParcel[],
  places: string[],
): Promise<Neighbor[]> {
  if (places.length === 0) return [];
  const near = await db.run<{ fips: number }>('feeds/list_counties_meeting', { boxes: places });
  const rows = await db.run<{ property_id: number; boundary: Uint8Array }>('land/read_neighbours', {
    boxes: places,
    property_ids: subjects.map(({ id }) => id),
    counties: near.map(row => row.fips),
  });
  const others = rows.map(({ property_id: id, boundary }) => ({ id, shape: decodeBoundary(boundary) }));
  return [...subjects.map(({ id, shape }) => ({ id, shape })), ...others];
}

export async function listElevation(db: Db, boxes: readonly string[]): Promise<ElevationTile[]> {
  return boxes.length === 0 ? [] : db.run<ElevationTile>('land/list_elevation', { boxes });
}
