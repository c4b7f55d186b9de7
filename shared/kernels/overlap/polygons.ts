import Flatbush from 'flatbush';
import { boxOfLine } from '../../geo/box.ts';
import type { Polygon, Ring } from '../../geo/types.ts';
import type { Window } from './clip.ts';
import { indexRing, type RingRuns } from './runs.ts';

export type IndexedPolygon = { shell: RingRuns; holes: ByPlace<RingRuns> };

/** Things to be found by the boxes of their outlines. */
export type ByPlace<T> = { things: T[]; index: Flatbush | null };

/** So few, as nearly every parcel has parts, are looked at one by one. */
const FEW = 8;

export function indexPolygons(all: readonly Polygon[]): ByPlace<IndexedPolygon> {
  const polygons = all.filter(polygon => polygon.length > 0);
  const indexed = polygons.map(([shell, ...holes]) => ({
    shell: indexRing(shell!),
    holes: byPlace(holes.map(indexRing), holes),
  }));
  return byPlace(
    indexed,
    polygons.map(([shell]) => shell!),
  );
}

function byPlace<T>(things: T[], outlines: readonly Ring[]): ByPlace<T> {
  if (things.length <= FEW) return { things, index: null };
  const index = new Flatbush(things.length);
  for (const outline of outlines) index.add(...boxOfLine(outline));
  index.finish();
  return { things, index };
}

/** Those whose boxes meet a window, or a few others besides. */
export function near<T>({ things, index }: ByPlace<T>, window: Window): T[] {
  if (index === null) return things;
  return index.search(window.west, window.south, window.east, window.north).map(i => things[i]!);
}
