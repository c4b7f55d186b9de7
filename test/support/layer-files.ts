import { writeFile } from 'node:fs/promises';
import { ByteBuffer } from 'flatbuffers';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import { ColumnType, GeometryType } from 'flatgeobuf/lib/mjs/generic.js';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import type { Geometry } from 'geojson';
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import sqlite from 'node-sqlite3-wasm';

export type LayerRow = { properties: Record<string, unknown>; geometry: Geometry | null };

/** A file with one layer, as another program reads it. */
export type LayerFile = {
  layer: string;
  /** Column names with their types. */
  types: Record<string, string>;
  geometryType: string;
  rows: LayerRow[];
};

/** @param path where to save the file, because SQLite reads it from disk */
export async function readGeoPackageFile(bytes: Uint8Array, path: string) {
  await writeFile(path, bytes);
  const db = new sqlite.Database(path, { readOnly: true });
  try {
    const [pragma, contents, shapes] = [
      (name: string) => Object.values(db.get(`pragma ${name}`) ?? { none: 0 })[0],
      db.all('select * from gpkg_contents') as Record<string, unknown>[],
      db.all('select * from gpkg_geometry_columns') as Record<string, unknown>[],
    ];
    const layer = String(contents[0]!.table_name);
    const columns = db.all('select name, type from pragma_table_info(?)', [layer]) as {
      name: string;
      type: string;
    }[];
    const rows = (db.all(`select * from ${layer} order by fid`) as Record<string, unknown>[]).map(
      ({ fid: _fid, geom, ...values }): LayerRow => {
        for (const { name, type } of columns)
          if (type === 'BOOLEAN' && typeof values[name] === 'number') values[name] = values[name] !== 0;
        return { properties: values, geometry: geom === null ? null : geometryOf(geom as Uint8Array) };
      },
    );
    const own = columns.filter(({ name }) => name !== 'fid' && name !== 'geom');
    const file: LayerFile = {
      layer,
      types: Object.fromEntries(own.map(({ name, type }) => [name, type])),
      geometryType: String(shapes[0]!.geometry_type_name),
      rows,
    };
    const problems = [db.all('pragma integrity_check'), db.all('pragma foreign_key_check')];
    const extensions = db.all('select * from gpkg_extensions');
    const indexed = db.get(`select count(*) as shapes from rtree_${layer}_geom_rowid`)!.shapes;
    return {
      ...file,
      contents,
      extensions,
      indexed,
      shapes,
      problems: problems.flat().filter(row => Object.values(row!)[0] !== 'ok'),
      applicationId: pragma('application_id'),
      version: pragma('user_version'),
    };
  } finally {
    db.close();
  }
}

/** https://www.geopackage.org/spec130/#gpb_format */
function geometryOf(blob: Uint8Array): Geometry {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const flags = view.getUint8(3);
  const srs = view.getInt32(4, true);
  if (srs !== 4326) throw new Error(`The shape has the reference system ${srs}.`);
  const offset = (flags >> 1) & 7 ? 40 : 8;
  const geometry = wkbToGeojson({ view, offset }) as Geometry;
  if (offset === 8) return geometry;
  const xs = coordinatesOf(geometry).map(([x]) => x!);
  const ys = coordinatesOf(geometry).map(([, y]) => y!);
  const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const stated = [8, 16, 24, 32].map(at => view.getFloat64(at, true));
  if (String(box) !== String(stated)) throw new Error(`The shape's box is ${stated}, not ${box}.`);
  return geometry;
}

export function coordinatesOf(geometry: Geometry): number[][] {
  if (geometry.type === 'Point') return [geometry.coordinates];
  if (geometry.type === 'MultiPolygon') return geometry.coordinates.flat(2);
  throw new Error(`The shape is a ${geometry.type}.`);
}

const shapeOrNull = (geometry: Geometry): Geometry | null =>
  coordinatesOf(geometry).length === 0 ? null : geometry;

type Rect = { minX: number; minY: number; maxX: number; maxY: number };

/** @param rect to read only the shapes that the index finds */
export async function readFlatGeobufFile(file: Buffer, rect?: Rect) {
  // The library slices the bytes, and a slice of a Buffer isn't a copy.
  const bytes = new Uint8Array(file);
  const found: { header: HeaderMeta | null } = { header: null };
  const rows: LayerRow[] = [];
  const headerMetaFn = (header: HeaderMeta) => {
    found.header = header;
  };
  for await (const { properties, geometry } of deserialize(bytes, { headerMetaFn, ...(rect && { rect }) }))
    rows.push({ properties: properties ?? {}, geometry: shapeOrNull(geometry as Geometry) });
  const { header } = found;
  const columns = header?.columns ?? [];
  for (const { properties } of rows) for (const { name } of columns) properties[name] ??= null;
  const read: LayerFile = {
    layer: Header.getSizePrefixedRootAsHeader(new ByteBuffer(bytes.subarray(8))).name()!,
    types: Object.fromEntries(columns.map(({ name, type }) => [name, ColumnType[type]])),
    geometryType: GeometryType[header?.geometryType ?? 0]!,
    rows,
  };
  return { ...read, header };
}
