import { boxArea, boxAround } from '../geo/box.ts';
import type { Box } from '../geo/geometry-types.ts';
import type { Db } from '../platform/db.ts';

export type FeatureRow = {
  class: string;
  name: string | null;
  /** Only for overlays. */
  overlays: Record<string, string | number> | null;
  geometry: Uint8Array;
};

export async function readFeatures(
  db: Db,
  feeds: readonly number[],
  places: readonly string[],
): Promise<FeatureRow[]> {
  if (places.length === 0) return [];
  return db.run<FeatureRow>('land/read_features', { feed_ids: feeds, boxes: places });
}

/**
 * Maximum number of boxes to join into one. Parcels on a Hilbert curve fill half of the box around them.
 * Smaller boxes read fewer parcels that are out of reach.
 */
const MAX_BOXES = 128;

/**
 * The maximum ratio of a joined box's area to that of its parcels. In a city with streets, parcels fill half
 * of a box.
 */
const MAX_SLACK = 4;

/**
 * Joins boxes into fewer ones that contain them all. The input must be ordered so that neighbors are close.
 * The cost of reading from the joined boxes stays proportional to the number of parcels.
 */
export function placesOf(boxes: readonly Box[]): Box[] {
  const places: Box[] = [];
  let filled = 0;
  let count = 0;
  for (const box of boxes) {
    const last = places.at(-1);
    const joined = last && boxAround([last, box]);
    if (joined && count < MAX_BOXES && boxArea(joined) <= MAX_SLACK * (filled + boxArea(box))) {
      places[places.length - 1] = joined;
      filled += boxArea(box);
      count++;
    } else {
      places.push([...box]);
      filled = boxArea(box);
      count = 1;
    }
  }
  return places;
}
