import fc from 'fast-check';
import { streamSearch } from 'flatgeobuf/lib/mjs/packedrtree.js';
import sqlite from 'node-sqlite3-wasm';
import { beforeAll, expect, test, vi } from 'vitest';
import { boxesIntersect } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { packIndex } from '../../workers/exports/flatgeobuf-index.ts';
import { writeRtree } from '../../workers/exports/geopackage-index.ts';
import { runs } from '../support/runs.ts';

// The library logs its search.
beforeAll(() => void vi.spyOn(console, 'debug').mockImplementation(() => {}));

/** Coordinates have seven decimals. */
const degrees = (least: number, most: number) =>
  fc.integer({ min: least * 1e7, max: most * 1e7 }).map(units => units / 1e7);
const boxes = fc
  .tuple(degrees(-180, 180), degrees(-90, 90), degrees(0, 2), degrees(0, 2))
  .map(([x, y, width, height]): Box => [x, y, x + width, y + height]);
/** Enough for three levels of a FlatGeobuf, and for two of a GeoPackage. */
const layers = fc.array(boxes, { maxLength: 400, size: 'max' });

test('the index of a FlatGeobuf finds the features whose boxes meet the area', async () => {
  const filled = layers.filter(all => all.length > 0);
  await fc.assert(
    fc.asyncProperty(filled, boxes, async (all, area) => {
      const sizes = all.map((_, i) => 8 * (i + 1));
      const bytes = new Uint8Array(packIndex({ sizes, boxAt: at => all[at]! }));
      const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
      const [minX, minY, maxX, maxY] = area;
      const found: number[] = [];
      const readNode = async (from: number, size: number) => bytes.slice(from, from + size).buffer;
      for await (const [start, at] of streamSearch(all.length, 16, { minX, minY, maxX, maxY }, readNode)) {
        expect(start).toBe(starts[at]);
        found.push(at);
      }
      expect(found.toSorted((a, b) => a - b)).toEqual(
        all.flatMap((box, i) => (boxesIntersect(box, area) ? [i] : [])),
      );
    }),
    { numRuns: runs(60) },
  );
});

type Cell = { id: number; box: Box };

/** Reads a node of SQLite's R-tree: its depth, and the ids and boxes of its cells. */
function readNode(bytes: Uint8Array): { depth: number; cells: Cell[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cells = Array.from({ length: view.getUint16(2) }, (_, i): Cell => {
    const at = 4 + 24 * i;
    const [west, east, south, north] = [8, 12, 16, 20].map(from => view.getFloat32(at + from));
    return { id: Number(view.getBigInt64(at)), box: [west!, south!, east!, north!] };
  });
  return { depth: view.getUint16(0), cells };
}

const covers = (outer: Box, inner: Box): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];

/** Every leaf is found from the root, each node covers its cells, and the other tables lead back. */
function checkRtree(all: readonly Box[]): void {
  const db = new sqlite.Database();
  try {
    db.exec('create table parcels (fid integer primary key, geom)');
    const entries = all.map((box, i) => ({ id: 3 * i + 1, box }));
    writeRtree(db, 'parcels', entries);
    const table = (name: string, value: string) =>
      new Map(
        db
          .all(`select rowid as id, ${value} as value from rtree_parcels_geom_${name}`)
          .map(row => [Number(row!.id), row!.value] as const),
      );
    const [nodes, parents, rowids] = [
      table('node', 'data'),
      table('parent', 'parentnode'),
      table('rowid', 'nodeno'),
    ];
    const found = new Map<number, Box>();
    const visit = (number: number, depth: number, within: Box | null): void => {
      for (const { id, box } of readNode(nodes.get(number) as Uint8Array).cells) {
        if (within !== null) expect(covers(within, box)).toBe(true);
        expect((depth === 0 ? rowids : parents).get(id)).toBe(number);
        if (depth === 0) found.set(id, box);
        else visit(id, depth - 1, box);
      }
    };
    visit(1, readNode(nodes.get(1) as Uint8Array).depth, null);
    expect([found.size, rowids.size, parents.size]).toEqual([all.length, all.length, nodes.size - 1]);
    for (const { id, box } of entries) expect(covers(found.get(id)!, box)).toBe(true);
  } finally {
    db.close();
  }
}

test('the index of a GeoPackage has every shape once', () => {
  fc.assert(fc.property(layers, checkRtree), { numRuns: runs(30) });
  // A third level.
  checkRtree(Array.from({ length: 51 * 51 + 1 }, (_, i): Box => [i / 100, -i / 100, i / 100, 0]));
});
