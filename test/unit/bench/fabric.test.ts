import { describe, expect, test } from 'vitest';
import type { Box } from '../../../shared/geo/types.ts';
import { type FlatRing, fabric, type ParcelShape, type Section } from '../../bench/generate/fabric.ts';
import { countyRectangle } from '../../bench/generate/places.ts';
import { createRandom } from '../../bench/generate/random.ts';

const extent: Box = [-93.7, 41.6, -93.5, 41.7];
const sections = [...fabric({ count: 4_000, seed: 11, extent })];
const parcels = sections.flatMap(section => section.parcels);

type Edge = [ax: number, ay: number, bx: number, by: number];

function edges(ring: FlatRing): Edge[] {
  const list: Edge[] = [];
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length;
    list.push([ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!]);
  }
  return list;
}

/** Twice the signed area, exact: integers relative to the first vertex. */
function doubleArea(ring: FlatRing): number {
  const [x0, y0] = [ring[0]!, ring[1]!];
  return edges(ring).reduce(
    (sum, [ax, ay, bx, by]) => sum + (ax - x0) * (by - y0) - (bx - x0) * (ay - y0),
    0,
  );
}

const orient = ([ax, ay, bx, by]: Edge, x: number, y: number) =>
  Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));

function meet(a: Edge, b: Edge): boolean {
  const [b1, b2] = [orient(a, b[0], b[1]), orient(a, b[2], b[3])];
  const [a1, a2] = [orient(b, a[0], a[1]), orient(b, a[2], a[3])];
  if (b1 !== b2 && a1 !== a2 && b1 * b2 <= 0 && a1 * a2 <= 0) return true;
  if (b1 !== 0 || b2 !== 0) return false;
  const apart = (i: 0 | 1) =>
    Math.max(a[i], a[i + 2]!) < Math.min(b[i], b[i + 2]!) ||
    Math.max(b[i], b[i + 2]!) < Math.min(a[i], a[i + 2]!);
  return !apart(0) && !apart(1);
}

function isSimple(ring: FlatRing): boolean {
  const list = edges(ring);
  for (let i = 0; i < list.length; i++) {
    for (let j = i + 2; j < list.length; j++) {
      const areNeighbours = i === 0 && j === list.length - 1;
      if (!areNeighbours && meet(list[i]!, list[j]!)) return false;
    }
  }
  return true;
}

function holds(rings: FlatRing[], x: number, y: number): boolean {
  let inside = false;
  for (const [ax, ay, bx, by] of rings.flatMap(edges)) {
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}

const rings = (parcel: ParcelShape) => parcel.polygons.flat();
const positions = (parcel: ParcelShape) => rings(parcel).reduce((sum, ring) => sum + ring.length / 2 + 1, 0);

describe('the parcel fabric', () => {
  test('has exactly the parcels asked for, at any size', () => {
    expect(parcels).toHaveLength(4_000);
    for (const count of [1, 2, 19, 333]) {
      expect([...fabric({ count, seed: 3, extent })].flatMap(section => section.parcels)).toHaveLength(count);
    }
  });

  test('is the same for the same seed and another for another', () => {
    expect([...fabric({ count: 500, seed: 5, extent })]).toEqual([
      ...fabric({ count: 500, seed: 5, extent }),
    ]);
    expect([...fabric({ count: 500, seed: 5, extent })]).not.toEqual([
      ...fabric({ count: 500, seed: 6, extent }),
    ]);
  });

  test('numbers every parcel once', () => {
    expect(new Set(parcels.map(({ section, block, lot }) => `${section}/${block}/${lot}`)).size).toBe(4_000);
  });

  test('rings are simple, shells counter-clockwise, holes clockwise and inside', () => {
    for (const parcel of parcels) {
      for (const [shell, ...holes] of parcel.polygons) {
        expect(isSimple(shell!), JSON.stringify(parcel)).toBe(true);
        expect(doubleArea(shell!)).toBeGreaterThan(0);
        for (const hole of holes) {
          expect(isSimple(hole)).toBe(true);
          expect(doubleArea(hole)).toBeLessThan(0);
          for (let i = 0; i < hole.length; i += 2) expect(holds([shell!], hole[i]!, hole[i + 1]!)).toBe(true);
        }
      }
    }
  });

  test('parcels of a section fill its blocks to the last unit', () => {
    for (const { blocks, parcels: inSection } of sections) {
      const blockArea = blocks.reduce((sum, block) => sum + doubleArea(block), 0);
      const parcelArea = inSection.flatMap(rings).reduce((sum, ring) => sum + doubleArea(ring), 0);
      // A cut that meets a block's front is rounded to a unit, which moves the front by less than one.
      expect(Math.abs(parcelArea / blockArea - 1)).toBeLessThan(1e-5);
    }
  });

  test('neighbours share the vertices of their boundary', () => {
    for (const section of sections) {
      const directed = new Set<string>();
      let all = 0;
      for (const ring of section.parcels.flatMap(rings)) {
        for (const edge of edges(ring)) {
          directed.add(edge.join());
          all++;
        }
      }
      // No stretch of boundary has two parcels on the same side …
      expect(directed.size).toBe(all);
      // … and what has nobody on its other side is the front of a block, never a boundary seen twice and differently.
      const fronts = [...directed].map(key => key.split(',').map(Number) as Edge);
      const open = fronts.filter(([ax, ay, bx, by]) => !directed.has([bx, by, ax, ay].join()));
      const blockEdges = section.blocks.flatMap(edges);
      for (const edge of open) expect(blockEdges.some(front => liesOn(edge, front))).toBe(true);
    }
  });

  test('no point lies in two parcels', () => {
    const random = createRandom(1);
    for (const section of sections.slice(0, 8)) {
      const [west, south, east, north] = boxOf(section);
      for (let i = 0; i < 400; i++) {
        const x = west + random() * (east - west);
        const y = south + random() * (north - south);
        const owners = section.parcels.filter(parcel =>
          parcel.polygons.some(polygon => holds(polygon, x, y)),
        );
        expect(owners.length).toBeLessThanOrEqual(1);
        if (section.blocks.every(block => !holds([block], x, y))) expect(owners).toHaveLength(0);
      }
    }
  });

  test('has odd lots of each kind, and boundaries of 4 to 50 positions, about 11 on average', () => {
    const kinds = new Map<string, number>();
    for (const { kind } of parcels) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const kind of ['donut', 'island', 'multipart', 'flag', 'sliver', 'triangle']) {
      expect(kinds.get(kind), kind).toBeGreaterThan(10);
    }
    const counts = parcels.map(positions);
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
    expect(mean).toBeGreaterThan(9.5);
    expect(mean).toBeLessThan(12.5);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...counts)).toBeLessThanOrEqual(60);
    expect(counts.filter(n => n >= 20).length).toBeGreaterThan(40);
  });

  test('parts of a parcel touch nowhere', () => {
    for (const { polygons } of parcels.filter(parcel => parcel.kind === 'multipart')) {
      const vertices = polygons.map(polygon => new Set(polygon.flatMap(edges).map(([x, y]) => `${x},${y}`)));
      for (const vertex of vertices[0]!) expect(vertices[1]!.has(vertex)).toBe(false);
    }
  });

  test('stays within the extent, which can be a real county', () => {
    const county = countyRectangle(19153);
    expect(county[0]).toBeGreaterThan(-93.82);
    expect(county[2]).toBeLessThan(-93.32);
    for (const section of fabric({ count: 3_000, seed: 1, extent: county })) {
      const [west, south, east, north] = boxOf(section);
      expect(west / 1e7).toBeGreaterThanOrEqual(county[0]);
      expect(south / 1e7).toBeGreaterThanOrEqual(county[1]);
      expect(east / 1e7).toBeLessThanOrEqual(county[2]);
      expect(north / 1e7).toBeLessThanOrEqual(county[3]);
    }
  });

  test('says so when the parcels do not fit', () => {
    const tiny: Box = [-93.7, 41.6, -93.699, 41.601];
    expect(() => [...fabric({ count: 5_000, seed: 1, extent: tiny })]).toThrow(/of 5000 parcels fit/);
  });
});

/** Does an edge lie along a longer one, to a unit? */
function liesOn([ax, ay, bx, by]: Edge, front: Edge): boolean {
  return [
    [ax, ay],
    [bx, by],
  ].every(([x, y]) => distance(front, x!, y!) <= 1.5);
}

function distance([ax, ay, bx, by]: Edge, x: number, y: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const share = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(ax + share * dx - x, ay + share * dy - y);
}

function boxOf(section: Section): Box {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of section.parcels.flatMap(rings)) {
    for (const [x, y] of edges(ring)) {
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
  }
  return box;
}
