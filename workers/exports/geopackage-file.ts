import { closeSync, openSync, readSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { boxAround } from '../../shared/geo/box.ts';
import { boundaryToWkb } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { makeRunFolder } from '../ingest/engine/run-folder.ts';
import { type FileWriter, isNumber, type OpenOptions, type Place } from './file-writer.ts';
import { writeRtree } from './geopackage-index.ts';

const COLUMN_TYPES: Record<ExportColumn['type'], string> = {
  text: 'TEXT',
  state: 'TEXT',
  zip: 'TEXT',
  integer: 'INTEGER',
  money: 'INTEGER',
  year: 'MEDIUMINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
};

const WGS84 = 4326;
const WGS84_WKT =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]';

/** The tables and header numbers of GeoPackage 1.3. https://www.geopackage.org/spec130/ annex C */
const FRAME = `
  pragma application_id = ${0x47504b47};
  pragma user_version = 10300;
  create table gpkg_spatial_ref_sys (
    srs_name text not null, srs_id integer not null primary key, organization text not null,
    organization_coordsys_id integer not null, definition text not null, description text
  );
  insert into gpkg_spatial_ref_sys values
    ('Undefined Cartesian', -1, 'NONE', -1, 'undefined', null),
    ('Undefined geographic', 0, 'NONE', 0, 'undefined', null),
    ('WGS 84', ${WGS84}, 'EPSG', ${WGS84}, '${WGS84_WKT}', 'longitude, latitude');
  create table gpkg_contents (
    table_name text not null primary key, data_type text not null, identifier text unique, description text default '',
    last_change datetime not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    min_x double, min_y double, max_x double, max_y double, srs_id integer references gpkg_spatial_ref_sys
  );
  create table gpkg_geometry_columns (
    table_name text not null unique references gpkg_contents, column_name text not null, geometry_type_name text not null,
    srs_id integer not null references gpkg_spatial_ref_sys, z tinyint not null, m tinyint not null,
    primary key (table_name, column_name)
  );`;

/** What the layer's description needs to know about its rows. */
type Seen = { shapes: { id: number; box: Box }[]; types: Set<string>; credits: Set<string> };

/** A GeoPackage with one layer. SQLite writes it to disk, because its first page names the others. */
export async function openGeoPackage(
  columns: readonly ExportColumn[],
  { layer, asOf }: OpenOptions,
): Promise<FileWriter> {
  const folder = await makeRunFolder();
  const path = join(folder, 'file.gpkg');
  const db = new sqlite.Database(path);
  // An export that is killed starts over, so the unfinished file needs no journal and no sync.
  db.exec(
    `pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; begin; ${FRAME}`,
  );
  const definitions = columns.map(({ name, type }) => `${quoted(name)} ${COLUMN_TYPES[type]}`);
  db.exec(
    `create table ${layer} (fid integer primary key autoincrement not null, geom geometry, ${definitions.join(', ')})`,
  );
  const insert = db.prepare(`insert into ${layer} values (?, ?${', ?'.repeat(columns.length)})`);
  const toValue = columns.map(valueReader);
  let fid = 0;
  const seen: Seen = { shapes: [], types: new Set(), credits: new Set() };
  return {
    write(rows) {
      for (const { cells, place } of rows) {
        fid++;
        const shape = place === null ? null : shapeOf(place);
        if (shape !== null) {
          seen.shapes.push({ id: fid, box: shape.box });
          seen.types.add(shape.type);
        }
        // The last column is `sources`.
        seen.credits.add(cells.at(-1)!);
        insert.run([
          fid,
          shape?.blob ?? null,
          ...cells.map((cell, i) => (cell === '' ? null : toValue[i]!(cell))),
        ]);
      }
      return new Uint8Array();
    },
    *end() {
      insert.finalize();
      describeLayer(db, layer, seen, asOf);
      writeRtree(db, layer, seen.shapes);
      db.exec('commit');
      db.close();
      yield* chunksOf(path);
    },
    async close() {
      if (db.isOpen) db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function valueReader(column: ExportColumn): (cell: string) => string | number {
  if (isNumber(column)) return Number;
  return column.type === 'boolean' ? cell => (cell === 't' ? 1 : 0) : cell => cell;
}

function describeLayer(
  db: InstanceType<typeof sqlite.Database>,
  layer: string,
  { shapes, types, credits }: Seen,
  asOf: Date,
): void {
  const description = [...credits].filter(credit => credit !== '').join('; ');
  const sides = shapes.length === 0 ? [null, null, null, null] : boxAround(shapes.map(({ box }) => box));
  const about = [layer, layer, description, asOf.toISOString()];
  db.run("insert into gpkg_contents values (?, 'features', ?, ?, ?, ?, ?, ?, ?, ?)", [
    ...about,
    ...sides,
    WGS84,
  ]);
  // Parcels without a boundary have a point, so a layer can have both.
  const type = types.size === 1 ? [...types][0]! : 'GEOMETRY';
  db.run("insert into gpkg_geometry_columns values (?, 'geom', ?, ?, 0, 0)", [layer, type, WGS84]);
}

type Shape = { type: 'POINT' | 'MULTIPOLYGON'; blob: Uint8Array; box: Box };

/** Flags of a shape: little-endian, without or with a box. https://www.geopackage.org/spec130/#gpb_format */
const [LITTLE_ENDIAN, WITH_BOX] = [0b1, 0b11];
const MULTI_OF_ONE = Buffer.from('01' + '06000000' + '01000000', 'hex');

function shapeOf(place: NonNullable<Place>): Shape {
  if ('point' in place) {
    const [x, y] = place.point;
    const blob = Buffer.alloc(29);
    putHead(blob, LITTLE_ENDIAN);
    blob.writeUInt8(1, 8);
    blob.writeUInt32LE(1, 9);
    blob.writeDoubleLE(x, 13);
    blob.writeDoubleLE(y, 21);
    return { type: 'POINT', blob, box: [x, y, x, y] };
  }
  const { wkb, box } = boundaryToWkb(place.encoded);
  const head = Buffer.alloc(40);
  putHead(head, WITH_BOX);
  const [west, south, east, north] = box;
  for (const [i, side] of [west, east, south, north].entries()) head.writeDoubleLE(side, 8 + 8 * i);
  // A layer has one type, so a polygon becomes a MultiPolygon of one part.
  const isMulti = wkb[1] === 6;
  return { type: 'MULTIPOLYGON', blob: Buffer.concat([head, ...(isMulti ? [] : [MULTI_OF_ONE]), wkb]), box };
}

function putHead(bytes: Buffer, flags: number): void {
  bytes.write('GP\0', 'latin1');
  bytes.writeUInt8(flags, 3);
  bytes.writeInt32LE(WGS84, 4);
}

const CHUNK = 1 << 20;

function* chunksOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK);
      const size = readSync(file, chunk, 0, CHUNK, null);
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}
