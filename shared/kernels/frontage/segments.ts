import Flatbush from 'flatbush';

/** Line segments in the plane. `index` finds them by their boxes; null when there are none. */
export type Segments = {
  x1: Float64Array;
  y1: Float64Array;
  x2: Float64Array;
  y2: Float64Array;
  index: Flatbush | null;
};

/** @param ends x1, y1, x2, y2 of each segment, one after the other */
export function segmentsOf(ends: Float64Array): Segments {
  const count = ends.length / 4;
  const x1 = new Float64Array(count);
  const y1 = new Float64Array(count);
  const x2 = new Float64Array(count);
  const y2 = new Float64Array(count);
  const index = count === 0 ? null : new Flatbush(count);
  for (let i = 0, at = 0; i < count; i++) {
    const ax = ends[at++]!;
    const ay = ends[at++]!;
    const bx = ends[at++]!;
    const by = ends[at++]!;
    x1[i] = ax;
    y1[i] = ay;
    x2[i] = bx;
    y2[i] = by;
    index?.add(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
  }
  index?.finish();
  return { x1, y1, x2, y2, index };
}
