import { type Client, type Pool, sql } from '../../shared/db.ts';
import {
  ALL_LAYERS,
  LAYER_BITS,
  LAYER_KINDS,
  type LayerKind,
  type RoadClass,
  type RoadReach,
} from '../../shared/domain/land.ts';
import { decodeBoundary } from '../../shared/geo/codec.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { decodeLines } from '../../shared/geo/line-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/types.ts';
import { frontageMarginM, type Neighbour, type Road } from '../../shared/kernels/frontage/frontage.ts';
import type { ElevationTile } from '../../shared/raster/elevation.ts';
import { TERRAIN_MARGIN_M } from '../../shared/raster/limits.ts';
import type { ChunkPayload } from './jobs.ts';
import { type Box, boxText, grow, placesOf } from './places.ts';
import { inSnapshot } from './snapshot.ts';
import { addSources } from './sources.ts';

/** A layer as it was merged last. */
export type Layer = Box & {
  feed_id: number;
  kind: LayerKind;
  run_id: number;
  /** The county that it covers as a whole besides. */
  fips: number | null;
  /** Roads only. */
  reach_m: RoadReach | null;
};

/** A parcel of the chunk. */
export type Subject = {
  id: number;
  mark: number;
  /** The kinds to compute, as bits. */
  layers: number;
  shapeHash: string;
  shape: MultiPolygon;
  /** By kind, the layers that cover it; none for a kind that is not to be computed. */
  covering: Record<LayerKind, Layer[]>;
  /** Of the kinds that can be told, the layers that the figures come from: those, and others that show something near. */
  sources: Record<LayerKind, Layer[]>;
};

/** What has to be known to compute a chunk, all as of one moment. */
export type ChunkInput = {
  /** In the order of a Hilbert curve. */
  subjects: Subject[];
  /** Parcels of the chunk without geometry: nothing can be told of them. */
  shapeless: { property_id: number; mark: number }[];
  roads: Road[];
  /** Every parcel near the subjects of which frontage is wanted, these included. */
  neighbours: Neighbour[];
  wetlands: MultiPolygon[];
  flood: MultiPolygon[];
  tiles: ElevationTile[];
};

/** A parcel to compute, with its extent and a point on it in 1e-7 degrees; null without geometry. */
export type MarkedRow = Box & {
  property_id: number;
  layers: number;
  mark: number;
  boundary: Uint8Array | null;
  shape_hash: string | null;
  /** The shape that the stored attributes are of; null where all kinds are to be computed. */
  kept: string | null;
  x: number;
  y: number;
};

/** Reads a chunk in one snapshot: a mark that is read stands for parcels, layers and features that are read too. */
export function readChunk(pool: Pool, { fips, chunk }: ChunkPayload): Promise<ChunkInput> {
  return inSnapshot(pool, async client => {
    const { rows } = await client.query<MarkedRow>(sql('attributes/read_marked_parcels'), [fips, chunk]);
    return readInput(client, fips, rows);
  });
}

/** Reads what has to be known to compute parcels of a county. The connection must be in a snapshot. */
export async function readInput(
  client: Client,
  fips: number,
  rows: readonly MarkedRow[],
): Promise<ChunkInput> {
  const { rows: layers } = await client.query<Layer>(sql('attributes/list_layers'));
  const shaped = rows.filter(row => row.boundary !== null);
  const order = hilbertOrder(
    shaped.map(row => row.x),
    shaped.map(row => row.y),
  );
  const ordered = Array.from(order, i => shaped[i]!);
  const subjects = ordered.map(row => subjectOf(row, fips, layers));
  const shapeless = rows.flatMap(({ boundary, property_id, mark }) =>
    boundary === null ? [{ property_id, mark }] : [],
  );

  /** Where the parcels lie of which a kind can be told, with a margin. */
  const around = (kind: LayerKind, metres: number): string[] =>
    placesOf(
      ordered.filter((_row, i) => subjects[i]!.covering[kind].length > 0).map(row => grow(row, metres)),
    ).map(boxText);
  const layersOf = (kind: LayerKind) => layers.filter(layer => layer.kind === kind);
  const feeds = (kind: LayerKind) => layersOf(kind).map(layer => layer.feed_id);
  const reach = Math.max(0, ...layers.flatMap(({ reach_m }) => (reach_m ? frontageMarginM(reach_m) : [])));
  const places = {
    elevation: around('elevation', TERRAIN_MARGIN_M),
    roads: around('roads', reach),
    wetlands: around('wetlands', 0),
    flood: around('flood', 0),
  };
  for (const kind of LAYER_KINDS)
    await addSources(client, kind, layersOf(kind), subjects, ordered, places[kind]);

  return {
    subjects,
    shapeless,
    roads: await readRoads(client, feeds('roads'), places.roads),
    neighbours: await readNeighbours(client, subjects, places.roads),
    wetlands: await readPolygons(client, feeds('wetlands'), places.wetlands),
    flood: await readPolygons(client, feeds('flood'), places.flood),
    tiles: await readTiles(client, feeds('elevation'), places.elevation),
  };
}

function subjectOf(row: MarkedRow, fips: number, all: readonly Layer[]): Subject {
  // What is stored of another shape is worth nothing.
  const layers = row.kept === row.shape_hash ? row.layers : ALL_LAYERS;
  const covering = (kind: LayerKind) =>
    (layers & LAYER_BITS[kind]) === 0
      ? []
      : all.filter(layer => layer.kind === kind && covers(layer, row, fips));
  const byKind = {
    elevation: covering('elevation'),
    roads: covering('roads'),
    wetlands: covering('wetlands'),
    flood: covering('flood'),
  };
  return {
    id: row.property_id,
    mark: row.mark,
    layers,
    shapeHash: row.shape_hash!,
    shape: decodeBoundary(row.boundary!),
    covering: byKind,
    sources: byKind,
  };
}

function covers(layer: Layer, { x, y }: { x: number; y: number }, fips: number): boolean {
  if (layer.fips === fips) return true;
  return layer.west <= x && x <= layer.east && layer.south <= y && y <= layer.north;
}

type FeatureRow = { class: string; geometry: Uint8Array };

async function readFeatures(client: Client, feeds: number[], places: string[]): Promise<FeatureRow[]> {
  if (places.length === 0) return [];
  return (await client.query<FeatureRow>(sql('attributes/read_features'), [feeds, places])).rows;
}

async function readRoads(client: Client, feeds: number[], places: string[]): Promise<Road[]> {
  const rows = await readFeatures(client, feeds, places);
  return rows.flatMap(row =>
    decodeLines(row.geometry).map((line: Position[]) => ({ class: row.class as RoadClass, line })),
  );
}

async function readPolygons(client: Client, feeds: number[], places: string[]): Promise<MultiPolygon[]> {
  return (await readFeatures(client, feeds, places)).map(row => decodeBoundary(row.geometry));
}

async function readNeighbours(
  client: Client,
  subjects: readonly Subject[],
  places: string[],
): Promise<Neighbour[]> {
  if (places.length === 0) return [];
  const { rows } = await client.query<{ property_id: number; boundary: Uint8Array }>(
    sql('attributes/read_neighbours'),
    [places, subjects.map(({ id }) => id)],
  );
  const others = rows.map(({ property_id: id, boundary }) => ({ id, shape: decodeBoundary(boundary) }));
  return [...subjects.map(({ id, shape }) => ({ id, shape })), ...others];
}

async function readTiles(client: Client, feeds: number[], places: string[]): Promise<ElevationTile[]> {
  if (places.length === 0) return [];
  return (await client.query<ElevationTile>(sql('attributes/read_tiles'), [feeds, places])).rows;
}
