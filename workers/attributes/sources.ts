import { type Client, sql } from '../../shared/db.ts';
import { type LayerKind, ROAD_CLASSES, type RoadReach } from '../../shared/domain/land.ts';
import { frontageMarginM } from '../../shared/kernels/frontage/frontage.ts';
import { addTo } from '../../shared/kernels/groups.ts';
import { TERRAIN_MARGIN_M } from '../../shared/raster/limits.ts';
import { type Box, grow, overlap } from './places.ts';
import type { Layer, Subject } from './read-chunk.ts';

/** Feeds may have reaches of their own: of those that cover a parcel the largest counts, class by class. */
export function largestReach(layers: readonly Layer[]): RoadReach {
  const largest = (name: keyof RoadReach) => Math.max(0, ...layers.map(layer => layer.reach_m?.[name] ?? 0));
  const [highway, normal, local] = ROAD_CLASSES.map(largest) as [number, number, number];
  return { highway, normal, local };
}

/** How far from a parcel others of the kind can change its figures, by the layers that cover it. */
function marginM(kind: LayerKind, covering: readonly Layer[]): number {
  if (kind === 'elevation') return TERRAIN_MARGIN_M;
  return kind === 'roads' ? frontageMarginM(largestReach(covering)) : 0;
}

/**
 * Adds to the sources of parcels the layers that do not cover them but have a feature or a file within the margin: at a county
 * line a lot may face a road that only the next county's layer shows. Nothing is asked where every layer of the kind covers
 * every parcel.
 * @param layers of the kind
 * @param boxes around the subjects, in their order
 * @param places what holds the boxes and their margins
 */
export async function addSources(
  client: Client,
  kind: LayerKind,
  layers: readonly Layer[],
  subjects: readonly Subject[],
  boxes: readonly Box[],
  places: readonly string[],
): Promise<void> {
  const isBeside = (layer: Layer, { covering }: Subject) =>
    covering[kind].length > 0 && !covering[kind].includes(layer);
  const beside = layers.filter(layer => subjects.some(subject => isBeside(layer, subject)));
  if (beside.length === 0) return;
  const { rows } = await client.query<Box & { feed_id: number }>(sql('attributes/read_extents'), [
    beside.map(layer => layer.feed_id),
    places,
  ]);
  const shown = new Map<number, Box[]>();
  for (const row of rows) addTo(shown, row.feed_id, row);
  const showing = beside.filter(layer => shown.has(layer.feed_id));
  if (showing.length === 0) return;
  for (const [i, subject] of subjects.entries()) {
    const around = grow(boxes[i]!, marginM(kind, subject.covering[kind]));
    const near = showing.filter(
      layer => isBeside(layer, subject) && shown.get(layer.feed_id)!.some(box => overlap(box, around)),
    );
    if (near.length === 0) continue;
    const all = [...subject.covering[kind], ...near].sort((a, b) => a.run_id - b.run_id);
    subject.sources = { ...subject.sources, [kind]: all };
  }
}
