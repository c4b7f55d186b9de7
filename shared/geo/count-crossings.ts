import type { Position } from './geometry-types.ts';

/**
 * The maximum number of edges that any line of latitude or longitude crosses. Testing a point takes up to
 * this many steps, and so does each step of the check for crossing rings. This number times the number of
 * edges is an upper bound for the total work.
 */
export function countCrossings(paths: readonly (readonly Position[])[]): number {
  return Math.max(deepest(paths, 0), deepest(paths, 1));
}

/**
 * The maximum number of edges that span one coordinate of an axis. Edges parallel to the other axis have no
 * length on this one and are skipped.
 */
function deepest(paths: readonly (readonly Position[])[], axis: 0 | 1): number {
  const edges = paths.reduce((sum, path) => sum + path.length - 1, 0);
  const starts = new Float64Array(edges);
  const ends = new Float64Array(edges);
  let count = 0;
  for (const path of paths) {
    for (let i = 1; i < path.length; i++) {
      const a = path[i - 1]![axis];
      const b = path[i]![axis];
      if (a === b) continue;
      starts[count] = a < b ? a : b;
      ends[count++] = a < b ? b : a;
    }
  }
  const [from, to] = [starts.subarray(0, count).sort(), ends.subarray(0, count).sort()];
  let most = 0;
  for (let opened = 0, closed = 0; opened < count; opened++) {
    while (to[closed]! <= from[opened]!) closed++;
    most = Math.max(most, opened + 1 - closed);
  }
  return most;
}
