import type sqlite from 'node-sqlite3-wasm';
import { boxAround } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';

type Database = InstanceType<typeof sqlite.Database>;
type Entry = { id: number; box: Readonly<Box> };

/** Sizes that SQLite uses with pages of 4,096 bytes: an entry has an id and four 32-bit numbers. */
const ENTRY_BYTES = 24;
const NODE_ENTRIES = 51;
const NODE_BYTES = 4 + ENTRY_BYTES * NODE_ENTRIES;

const ROOT = 1;

/** https://www.geopackage.org/spec130/#extension_rtree */
const tablesOf = (layer: string): string => `
  create table rtree_${layer}_geom_rowid (rowid integer primary key, nodeno);
  create table rtree_${layer}_geom_node (nodeno integer primary key, data);
  create table rtree_${layer}_geom_parent (nodeno integer primary key, parentnode);
  create table gpkg_extensions (
    table_name text, column_name text, extension_name text not null, definition text not null, scope text not null,
    constraint ge_tce unique (table_name, column_name, extension_name)
  );
  insert into gpkg_extensions values
    ('${layer}', 'geom', 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');`;

/** Keep the index current in programs that change the layer. They have the functions that these name. */
function triggersOf(layer: string): string {
  const index = `rtree_${layer}_geom`;
  const put = `insert or replace into ${index} values
    (new.fid, ST_MinX(new.geom), ST_MaxX(new.geom), ST_MinY(new.geom), ST_MaxY(new.geom));`;
  const drop = `delete from ${index} where id = old.fid;`;
  const hasShape = '(new.geom notnull and not ST_IsEmpty(new.geom))';
  return `
  create trigger ${index}_insert after insert on ${layer} when ${hasShape} begin ${put} end;
  create trigger ${index}_update1 after update of geom on ${layer} when old.fid = new.fid and ${hasShape}
    begin ${put} end;
  create trigger ${index}_update2 after update of geom on ${layer} when old.fid = new.fid and not ${hasShape}
    begin ${drop} end;
  create trigger ${index}_update3 after update on ${layer} when old.fid != new.fid and ${hasShape}
    begin ${drop} ${put} end;
  create trigger ${index}_update4 after update on ${layer} when old.fid != new.fid and not ${hasShape}
    begin delete from ${index} where id in (old.fid, new.fid); end;
  create trigger ${index}_delete after delete on ${layer} when old.geom notnull begin ${drop} end;`;
}

/**
 * Writes the tables of SQLite's R-tree (https://www.sqlite.org/rtree.html), because this build of SQLite
 * doesn't have it, and declares it for programs that do.
 */
export function writeRtree(db: Database, layer: string, entries: readonly Entry[]): void {
  db.exec(tablesOf(layer));
  const insert = (table: string) => db.prepare(`insert into rtree_${layer}_geom_${table} values (?, ?)`);
  const [rowid, node, parent] = [insert('rowid'), insert('node'), insert('parent')];
  let next = ROOT + 1;
  let level = inHilbertOrder(entries);
  for (let depth = 0; ; depth++) {
    const isRoot = level.length <= NODE_ENTRIES;
    const above: Entry[] = [];
    for (let from = 0; from === 0 || from < level.length; from += NODE_ENTRIES) {
      const members = level.slice(from, from + NODE_ENTRIES);
      const number = isRoot ? ROOT : next++;
      for (const { id } of members) (depth === 0 ? rowid : parent).run([id, number]);
      node.run([number, nodeOf(members, isRoot ? depth : 0)]);
      above.push({ id: number, box: boxAround(members.map(({ box }) => box)) });
    }
    level = above;
    if (isRoot) break;
  }
  for (const statement of [rowid, node, parent]) statement.finalize();
  db.exec(triggersOf(layer));
  db.exec(`pragma writable_schema = on;
    insert into sqlite_master values ('table', 'rtree_${layer}_geom', 'rtree_${layer}_geom', 0,
      'CREATE VIRTUAL TABLE "rtree_${layer}_geom" USING rtree(id, minx, maxx, miny, maxy)');
    pragma writable_schema = off;`);
}

function inHilbertOrder(entries: readonly Entry[]): Entry[] {
  const order = hilbertOrder(
    entries.map(({ box: [west, , east] }) => (west + east) / 2),
    entries.map(({ box: [, south, , north] }) => (south + north) / 2),
  );
  return Array.from(order, i => entries[i]!);
}

function nodeOf(members: readonly Entry[], depth: number): Uint8Array {
  const bytes = Buffer.alloc(NODE_BYTES);
  bytes.writeUInt16BE(depth, 0);
  bytes.writeUInt16BE(members.length, 2);
  for (const [i, { id, box }] of members.entries()) {
    const [west, south, east, north] = box;
    let at = bytes.writeBigInt64BE(BigInt(id), 4 + ENTRY_BYTES * i);
    for (const side of [floatBelow(west), floatAbove(east), floatBelow(south), floatAbove(north)])
      at = bytes.writeFloatBE(side, at);
  }
  return bytes;
}

/** A step that is at least as large as the distance between two 32-bit numbers. */
const STEP = 2 ** -23;

function floatBelow(value: number): number {
  const rounded = Math.fround(value);
  return rounded <= value ? rounded : Math.fround(value - STEP * Math.abs(value));
}

const floatAbove = (value: number): number => -floatBelow(-value);
