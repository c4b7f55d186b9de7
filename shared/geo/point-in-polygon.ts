import type { MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';
import { onLevelEdge, orientation } from './predicates.ts';

export type Side = 'inside' | 'boundary' | 'outside';

/**
 * Counts crossings of a ray to the east, using robust-predicates' exact tests. An edge includes its lower end
 * but not its upper one.
 */
export function pointInRing(point: Position, ring: Ring): Side {
  const [x, y] = point;
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = ring[i - 1]!;
    const [x2, y2] = ring[i]!;
    if (y1 > y !== y2 > y) {
      if (x1 < x && x2 < x) continue;
      if (x1 > x && x2 > x) {
        inside = !inside;
        continue;
      }
      const left = orientation(x1, y1, x2, y2, x, y);
      if (left === 0) return 'boundary';
      if (left > 0 === y2 > y1) inside = !inside;
    } else if (y1 === y || y2 === y) {
      if (onLevelEdge(x, y, x1, y1, x2, y2)) return 'boundary';
    }
  }
  return inside ? 'inside' : 'outside';
}

/**
 * Whether a point is inside, outside, or on the boundary of a polygon. The edges of holes are part of the
 * boundary.
 */
export function pointInPolygon(point: Position, polygon: Polygon): Side {
  const side = pointInRing(point, polygon[0]!);
  if (side !== 'inside') return side;
  for (let i = 1; i < polygon.length; i++) {
    const inHole = pointInRing(point, polygon[i]!);
    if (inHole === 'inside') return 'outside';
    if (inHole === 'boundary') return 'boundary';
  }
  return 'inside';
}

/** Like `pointInPolygon`, but for a boundary with non-overlapping parts. Exact. */
export function pointInMultiPolygon(point: Position, polygons: MultiPolygon): Side {
  for (const polygon of polygons) {
    const side = pointInPolygon(point, polygon);
    if (side !== 'outside') return side;
  }
  return 'outside';
}
