import { boxArea, boxOfLine } from './box.ts';
import type { Box, MultiPolygon, Polygon, Ring } from './geometry-types.ts';
import { pointInRing } from './point-in-polygon.ts';
import { pointOnSurface } from './point-on-surface.ts';
import { doubleSignedArea } from './ring.ts';

/** `rings` holds the shell and its holes, or null for a hole. */
type Node = { ring: Ring; box: Box; boxArea: number; area: number; depth: number; rings: Polygon | null };

/**
 * Groups the rings of a shape into polygons by containment: a ring inside no other is a shell, a ring inside
 * a shell is its hole, and a ring inside a hole is a shell again. Formats that encode this in the ring
 * direction are often written incorrectly. Shells and their holes stay in their original order.
 */
export function nestRings(rings: readonly Ring[]): MultiPolygon {
  if (rings.length < 2) return rings.map(ring => [ring]);
  const nodes = rings.map(nodeOf);
  // The containing ring has a larger box, or the same box and a larger area.
  const bySize = [...nodes].sort((a, b) => b.boxArea - a.boxArea || b.area - a.area);
  const holes = new Map<Node, Node>();
  for (const [i, node] of bySize.entries()) {
    const around = smallestAround(node, bySize, i);
    if (around === null) continue;
    node.depth = around.depth + 1;
    if (node.depth % 2 === 0) continue;
    node.rings = null;
    holes.set(node, around);
  }
  for (const node of nodes) holes.get(node)?.rings?.push(node.ring);
  return nodes.flatMap(node => (node.rings === null ? [] : [node.rings]));
}

function nodeOf(ring: Ring): Node {
  const box = boxOfLine(ring);
  return {
    ring,
    box,
    boxArea: boxArea(box),
    area: Math.abs(doubleSignedArea(ring)),
    depth: 0,
    rings: [ring],
  };
}

function smallestAround(node: Node, bySize: readonly Node[], at: number): Node | null {
  for (let i = at - 1; i >= 0; i--) {
    const other = bySize[i]!;
    if (other.boxArea === node.boxArea && other.area === node.area) continue;
    if (holdsBox(other.box, node.box) && isWithin(node.ring, other.ring)) return other;
  }
  return null;
}

const holdsBox = (outer: Box, inner: Box): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];

/**
 * Tests the ring's first position that isn't on the other ring's edge. If all are, tests a position inside
 * the ring.
 */
function isWithin(ring: Ring, other: Ring): boolean {
  const closed = closedRing(other);
  for (const position of ring) {
    const side = pointInRing(position, closed);
    if (side !== 'boundary') return side === 'inside';
  }
  return pointInRing(pointOnSurface([[closedRing(ring)]]), closed) === 'inside';
}

function closedRing(ring: Ring): Ring {
  const [first, last] = [ring[0]!, ring.at(-1)!];
  return first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first];
}
