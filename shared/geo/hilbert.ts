import Flatbush from 'flatbush';

/** Indices in the order of the leaves of a packed Hilbert R-tree. Points with NaN coordinates come last. */
export function hilbertOrder(xs: ArrayLike<number>, ys: ArrayLike<number>): Uint32Array {
  const all = Array.from(xs, (_, i) => i);
  const hasPlace = (i: number) => !Number.isNaN(xs[i]! + ys[i]!);
  const placed = all.filter(hasPlace);
  if (placed.length === 0) return Uint32Array.from(all);
  const index = new Flatbush(placed.length);
  for (const i of placed) index.add(xs[i]!, ys[i]!, xs[i]!, ys[i]!);
  index.finish();
  const order = index.search(-Infinity, -Infinity, Infinity, Infinity).map(leaf => placed[leaf]!);
  return Uint32Array.from([...order, ...all.filter(i => !hasPlace(i))]);
}
