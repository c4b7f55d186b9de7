import { type BoxColumns, boxContains, boxesIntersect, boxOfColumns, withMarginE7 } from '../geo/box.ts';
import { decodeBoundary } from '../geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../geo/geometry-types.ts';
import { M_PER_FT } from '../geo/units.ts';
import { frontageMarginM } from '../kernels/frontage/frontage.ts';
import { addToGroup } from '../kernels/groups.ts';
import { SHORE_M } from '../kernels/shore.ts';
import {
  ALL_LAYERS,
  BUILDABLE_LAYERS,
  LAYER_BITS,
  type LayerKind,
  ROAD_CLASSES,
  type RoadReach,
} from '../model/land-layers.ts';
import type { Overlay } from '../model/overlays.ts';
import type { Db } from '../platform/db.ts';
import { TERRAIN_MARGIN_M } from '../raster/limits.ts';

/** The most recently merged version of a layer. */
export type Layer = BoxColumns & {
  feed_id: number;
  kind: LayerKind;
  run_id: number;
  /** A county that the layer covers completely, in addition to its box. */
  fips: number | null;
  /** Only for roads. */
  reach_m: RoadReach | null;
  /** Only for overlays. */
  overlays: Overlay[] | null;
};

export type MarkedParcel = {
  id: number;
  mark: number;
  layers: number;
  shapeHash: string;
  shape: MultiPolygon;
  /** The layers that cover the parcel, by kind. Empty for a kind that isn't computed. */
  covering: Record<LayerKind, Layer[]>;
  /**
   * The layers behind the figures, for each kind with a result: layers that cover the parcel, and other
   * layers with something nearby.
   */
  sources: Record<LayerKind, Layer[]>;
};

/**
 * A parcel to compute, with its extent and a point on it in 1e-7 degrees. The boundary is null if the parcel
 * has no geometry.
 */
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
  // Figures measured on a previous boundary can't be reused.
  const layers = row.kept === row.shape_hash ? withBuildable(row.layers) : ALL_LAYERS;
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
    overlay: covering('overlay'),
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

const withBuildable = (layers: number): number =>
  (layers & BUILDABLE_LAYERS) === 0 ? layers : layers | BUILDABLE_LAYERS;

function covers(layer: Layer, { x, y }: { x: number; y: number }, fips: number): boolean {
  return layer.fips === fips || boxContains(boxOfColumns(layer), x, y);
}

/**
 * The largest reach among the feeds that cover a parcel, separately for each class. Each feed may have its
 * own reaches.
 */
export function maxReach(layers: readonly Layer[]): RoadReach {
  const largest = (name: keyof RoadReach) => Math.max(0, ...layers.map(layer => layer.reach_m?.[name] ?? 0));
  return Object.fromEntries(ROAD_CLASSES.map(name => [name, largest(name)])) as RoadReach;
}

/** How far from a parcel roads and overlays can affect its figures, in meters. */
export type Reaches = { roadsM: number; overlaysM: number };

/** How far from a parcel a layer of the kind can affect its figures, in meters. */
export function marginM(kind: LayerKind, { roadsM, overlaysM }: Reaches): number {
  if (kind === 'elevation') return TERRAIN_MARGIN_M;
  if (kind === 'water') return SHORE_M;
  if (kind === 'overlay') return overlaysM;
  return kind === 'roads' ? roadsM : 0;
}

/** The distance up to which overlays are measured, in meters. */
export const reachOfOverlays = (layers: readonly Pick<Layer, 'overlays'>[]): number =>
  M_PER_FT *
  Math.max(0, ...layers.flatMap(({ overlays }) => overlays ?? []).map(item => item.distance_ft ?? 0));

/** Whether the features of two layers of a kind count in the same figures. Overlays differ in theirs. */
export function measureTogether({ overlays: some }: Layer, { overlays: others }: Layer): boolean {
  if (some === null || others === null) return true;
  return some.some(({ name }) => others.some(other => other.name === name));
}

/**
 * Adds layers that don't cover the parcels but have a feature or file within the margin. At a county line, a
 * lot may face a road that only the next county's layer has.
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
    !covering[kind].includes(layer) && covering[kind].some(other => measureTogether(layer, other));
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
    const reaches = {
      roadsM: frontageMarginM(maxReach(subject.covering.roads)),
      overlaysM: reachOfOverlays(layers),
    };
    const around = withMarginE7(boxes[i]!, marginM(kind, reaches));
    const near = showing.filter(
      layer => isNearby(layer, subject) && shown.get(layer.feed_id)!.some(box => boxesIntersect(box, around)),
    );
    if (near.length === 0) continue;
    const all = [...subject.covering[kind], ...near].sort((a, b) => a.run_id - b.run_id);
    subject.sources = { ...subject.sources, [kind]: all };
  }
}
