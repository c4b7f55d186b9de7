import { boxesMeet, boxOf } from './box.ts';
import type { Repair } from './checks.ts';
import { findContacts } from './contacts.ts';
import { pointInPolygon, pointInRing } from './point-in-polygon.ts';
import type { MultiPolygon, Polygon, Ring } from './types.ts';

export type Flaws = {
  /** What is wrong, by the repair that it needs. */
  found: Set<Repair>;
  /** Different rings touch at points: valid when they do so once, not when they cut the interior apart. */
  ringsTouch: boolean;
};

/**
 * Looks for whatever keeps cleaned polygons from being valid in the OGC sense (Simple Features 1.2.1, 6.1.11 and 6.1.14):
 * rings that meet themselves, holes that are not within their shell or not apart from each other, parts that overlap.
 * Null when there is nothing to look into.
 */
export function findFlaws(polygons: MultiPolygon): Flaws | null {
  const rings = polygons.length === 1 ? polygons[0]! : polygons.flat();
  const contacts = findContacts(rings);
  if (contacts.length === 0 && rings.length === 1) return null;

  const found = new Set<Repair>();
  let ringsTouch = false;
  const partOf = polygons.flatMap((polygon, part) => polygon.map(() => part));
  for (const { a, b, crossing } of contacts) {
    if (a === b) found.add(crossing ? 'self_crossing_split' : 'self_touch_split');
    else if (!crossing) ringsTouch = true;
    else if (partOf[a] !== partOf[b]) found.add('parts_merged');
    else found.add(a === 0 || partOf[a - 1] !== partOf[a] ? 'hole_outside_shell' : 'holes_merged');
  }
  for (const polygon of polygons) checkHoles(polygon, found);
  checkParts(polygons, found);
  return found.size > 0 || ringsTouch ? { found, ringsTouch } : null;
}

function checkHoles(polygon: Polygon, found: Set<Repair>): void {
  for (let i = 1; i < polygon.length; i++) {
    if (sideOfRing(polygon[i]!, polygon[0]!) === 'outside') found.add('hole_outside_shell');
    for (let j = 1; j < polygon.length; j++) {
      if (i !== j && sideOfRing(polygon[i]!, polygon[j]!) === 'inside') found.add('holes_merged');
    }
  }
}

function checkParts(polygons: MultiPolygon, found: Set<Repair>): void {
  if (polygons.length < 2) return;
  const boxes = polygons.map(polygon => boxOf([polygon]));
  for (let i = 0; i < polygons.length; i++) {
    for (let j = 0; j < polygons.length; j++) {
      if (i === j || !boxesMeet(boxes[i]!, boxes[j]!)) continue;
      const inner = polygons[i]![0]!.find(position => pointInPolygon(position, polygons[j]!) !== 'boundary');
      if (inner !== undefined && pointInPolygon(inner, polygons[j]!) === 'inside') found.add('parts_merged');
    }
  }
}

/** Where a ring lies that does not cross another one: told by its first position off the other's boundary. */
function sideOfRing(ring: Ring, other: Ring): 'inside' | 'outside' | 'boundary' {
  for (const position of ring) {
    const side = pointInRing(position, other);
    if (side !== 'boundary') return side;
  }
  return 'boundary';
}
