import { boxSql, withMarginE7 } from '../geo/box.ts';
import { decodeBoundary, decodeLines, isBoundary } from '../geo/geometry-codec.ts';
import type { Box, MultiPolygon, Position } from '../geo/geometry-types.ts';
import { joinOverlays, type Overlay } from '../model/overlays.ts';
import type { Db } from '../platform/db.ts';
import { type Layer, type MarkedParcel, measureTogether, reachOfOverlays } from './marked-layers.ts';
import { type FeatureRow, placesOf, readFeatures } from './read-features.ts';

export type OverlayFeature = {
  /** Its class in each overlay, and its numbers. */
  values: Record<string, string | number>;
  name: string | null;
  /** Its area. Empty for lines and points. */
  shape: MultiPolygon;
  /** Its rings or lines. A point is a line of one position. */
  lines: Position[][];
};

/** Overlays with the same features. */
export type OverlayLayer = { overlays: Overlay[]; features: OverlayFeature[] };

/** Reads the overlays that cover parcels, with the features within reach of these parcels. */
export async function readOverlays(
  db: Db,
  layers: readonly Layer[],
  subjects: readonly MarkedParcel[],
  boxes: readonly Box[],
): Promise<OverlayLayer[]> {
  const read: OverlayLayer[] = [];
  for (const group of groupLayers(layers)) {
    const covered = boxes.filter((_, i) =>
      subjects[i]!.covering.overlay.some(layer => group.includes(layer)),
    );
    const marginM = reachOfOverlays(group);
    const places = placesOf(covered.map(box => withMarginE7(box, marginM))).map(boxSql);
    if (places.length === 0) continue;
    const rows = await readFeatures(
      db,
      group.map(layer => layer.feed_id),
      places,
    );
    read.push({
      overlays: joinOverlays(group.flatMap(layer => layer.overlays!)),
      features: rows.map(toFeature),
    });
  }
  return read;
}

/** Groups the layers whose overlays have to be measured together, because several feeds fill them. */
function groupLayers(layers: readonly Layer[]): Layer[][] {
  let groups: Layer[][] = [];
  for (const layer of layers) {
    const [joined, others] = [[layer], [] as Layer[][]];
    for (const group of groups) {
      if (group.some(other => measureTogether(layer, other))) joined.unshift(...group);
      else others.push(group);
    }
    groups = [...others, joined];
  }
  return groups;
}

function toFeature({ overlays, name, geometry }: FeatureRow): OverlayFeature {
  const shape = isBoundary(geometry) ? decodeBoundary(geometry) : [];
  const lines = isBoundary(geometry) ? shape.flat() : decodeLines(geometry);
  return { values: overlays!, name, shape, lines };
}
