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
export function segmentsOf(ends: readonly number[]): Segments {
  const count = ends.length / 4;
  const [x1, y1, x2, y2] = Array.from({ length: 4 }, (_, k) =>
    Float64Array.from({ length: count }, (_, i) => ends[4 * i + k]!),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const index = count === 0 ? null : new Flatbush(count);
  for (let i = 0; i < count; i++) {
    index?.add(
      Math.min(x1[i]!, x2[i]!),
      Math.min(y1[i]!, y2[i]!),
      Math.max(x1[i]!, x2[i]!),
      Math.max(y1[i]!, y2[i]!),
    );
  }
  index?.finish();
  return { x1, y1, x2, y2, index };
}
