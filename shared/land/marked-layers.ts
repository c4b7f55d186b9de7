import { type BoxColumns, boxContains, boxesIntersect, boxOfColumns, withMarginE7 } from '../geo/box.ts';
import { decodeBoundary } from '../geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../geo/geometry-types.ts';
import { frontageMarginM } from '../kernels/frontage/frontage.ts';
import { addToGroup } from '../kernels/groups.ts';
import { SHORE_M } from '../kernels/shore.ts';
import {
  ALL_LAYERS,
  LAYER_BITS,
  type LayerKind,
  ROAD_CLASSES,
  type RoadReach,
} from '../model/land-layers.ts';
import type { Db } from '../platform/db.ts';
import { TERRAIN_MARGIN_M } from '../raster/limits.ts';

/** A layer as last merged. */
export type Layer = BoxColumns & {
  feed_id: number;
  kind: LayerKind;
  run_id: number;
  /** The county that it also covers completely. */
  fips: number | null;
  /** For roads only. */
  reach_m: RoadReach | null;
};

export type MarkedParcel = {
  id: number;
  mark: number;
  layers: number;
  shapeHash: string;
  shape: MultiPolygon;
  /** By kind, the layers that cover it. None for a kind that isn't computed. */
  covering: Record<LayerKind, Layer[]>;
  /**
   * For the kinds with a result, the layers behind the figures: those that cover the parcel, and others with
   * something nearby.
   */
  sources: Record<LayerKind, Layer[]>;
};

/** A parcel to compute, with its extent and a point on it in 1e-7 degrees, or null without geometry. */
export type MarkedRow = BoxColumns & {
  property_id: number;
  layers: number;
  mark: number;
  boundary: Uint8Array | null;
  shape_hash: string | null;
  /** The shape that the stored attributes belong to, or null if all kinds have to be computed. */
  kept: string | null;
  x: number;
  y: number;
};

export function markedParcelOf(row: MarkedRow, fips: number, all: readonly Layer[]): MarkedParcel {
  // Figures that were measured on a previous boundary can't be reused.
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
    water: covering('water'),
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
  return layer.fips === fips || boxContains(boxOfColumns(layer), x, y);
}

/**
 * Feeds may have their own reaches. Of the feeds that cover a parcel, the largest reach counts, class by
 * class.
 */
export function maxReach(layers: readonly Layer[]): RoadReach {
  const largest = (name: keyof RoadReach) => Math.max(0, ...layers.map(layer => layer.reach_m?.[name] ?? 0));
  return Object.fromEntries(ROAD_CLASSES.map(name => [name, largest(name)])) as RoadReach;
}

/** How far from a parcel others of the kind can affect its figures, according to the layers that cover it. */
function marginM(kind: LayerKind, covering: readonly Layer[]): number {
  if (kind === 'elevation') return TERRAIN_MARGIN_M;
  if (kind === 'water') return SHORE_M;
  return kind === 'roads' ? frontageMarginM(maxReach(covering)) : 0;
}

/**
 * Adds layers that don't cover the parcels but have a feature or a file within the margin. At a county line,
 * a lot may face a road that only the next county's layer has.
 */
export async function addSources(
  db: Db,
  kind: LayerKind,
  layers: readonly Layer[],
  subjects: readonly MarkedParcel[],
  boxes: readonly Box[],
  places: readonly string[],
): Promise<void> {
  const isNearby = (layer: Layer, { covering }: MarkedParcel) =>
    covering[kind].length > 0 && !covering[kind].includes(layer);
  const nearbyLayers = layers.filter(layer => subjects.some(subject => isNearby(layer, subject)));
  if (nearbyLayers.length === 0) return;
  const rows = await db.run<BoxColumns & { feed_id: number }>('land/read_extents', {
    feed_ids: nearbyLayers.map(layer => layer.feed_id),
    boxes: places,
  });
  const shown = new Map<number, Box[]>();
  for (const row of rows) addToGroup(shown, row.feed_id, boxOfColumns(row));
  const showing = nearbyLayers.filter(layer => shown.has(layer.feed_id));
  if (showing.length === 0) return;
  for (const [i, subject] of subjects.entries()) {
    const around = withMarginE7(boxes[i]!, marginM(kind, subject.covering[kind]));
    const near = showing.filter(
      layer => isNearby(layer, subject) && shown.get(layer.feed_id)!.some(box => boxesIntersect(box, around)),
    );
    if (near.length === 0) continue;
    const all = [...subject.covering[kind], ...near].sort((a, b) => a.run_id - b.run_id);
    subject.sources = { ...subject.sources, [kind]: all };
  }
}
