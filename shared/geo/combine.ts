import { settle } from './overlay.ts';
import type { MultiPolygon } from './types.ts';

/**
 * One boundary of several prepared ones that belong to the same parcel: identical ones collapse, those that overlap or share an
 * edge are united, and those that lie apart are put side by side as they are (only groups whose extents meet are
 * looked into, and only those that overlap are clipped). Throws when a union cannot be resolved.
 */
export function combineParts(parts: MultiPolygon[]): MultiPolygon {
  const distinct = new Map<string, MultiPolygon[number]>();
  for (const polygons of parts) {
    for (const polygon of polygons) {
      const key = polygon.join(';');
      if (!distinct.has(key)) distinct.set(key, polygon);
    }
  }
  if (distinct.size < 2) return [...distinct.values()];
  const united = settle([...distinct.values()], new Set());
  if (united === null)
    throw new Error(`the union of ${distinct.size} parts of one parcel could not be resolved`);
  return united;
}
