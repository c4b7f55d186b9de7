import { copyFile, open, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { PlatError } from '../../shared/platform/errors.ts';
import {
  formatError,
  limitsOf,
  scratchFolder,
  truncatedError,
} from '../../shared/platform/http/download-context.ts';
import { checkColumns } from './column-names.ts';
import { chooseLayer, type FileRead, isFull, plainValue } from './row-batch.ts';
import type { LocalFile } from './source.ts';
import { useCrs } from './use-crs.ts';
import { addWkbRow } from './wkb.ts';

/** A table in a GeoPackage (https://www.geopackage.org/spec131/), read in place row by row. */
export async function* readGeoPackage({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const { rowBytes } = limitsOf(context);
  const file = await source.onDisk();
  const isWriteAhead = await checkFile(file, name);
  // Read the file from a scratch folder, because SQLite locks a file with a folder next to it. A killed
  // worker would leave the lock behind, and two workers couldn't read at the same time.
  const folder = await scratchFolder(context, 'geopackage-');
  const path = join(folder, 'file.gpkg');
  if (isWriteAhead) await withoutWriteAhead(file.path, path);
  else await symlink(file.path, path).catch(() => copyFile(file.path, path));
  const db = new sqlite.Database(path, { readOnly: true });
  let statement: ReturnType<typeof db.prepare> | null = null;
  try {
    const layer = chooseLayer(layersOf(db), spec.layer, name);
    const columns = columnsOf(db, layer.name);
    checkColumns(
      columns.map(column => column.name),
      name,
    );
    if (output.crs === undefined) requireOneCrs(db, layer, name);
    useCrs(output, crsOf(layer), name);
    const most = db.get(`select max(rowid) as most from ${quoted(layer.name)}`)?.most;
    statement = db.prepare(selectOf(layer, columns, rowBytes));
    for (const row of statement.iterate() as Iterable<Row>) {
      const values = valuesOf(row, columns, layer.geometry);
      const blob = layer.geometry === null ? null : row[layer.geometry];
      const wkb = blob instanceof Uint8Array ? (blob.length > rowBytes ? blob : wkbOf(blob)) : null;
      addWkbRow(output, values, wkb, rowBytes);
      if (!isFull(output)) continue;
      context.signal.throwIfAborted();
      file.advance(output.rowNo / Math.max(1, Number(most)));
      yield;
    }
    file.advance(1);
  } finally {
    statement?.finalize();
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

type Database = InstanceType<typeof sqlite.Database>;
type Row = Record<string, unknown>;
type Column = { name: string; type: string };
type Layer = {
  name: string;
  geometry: string | null;
  /** The geometry column's CRS. */
  stored: number | null;
  organization: string;
  code: number;
  wkt: string;
};

/** https://www.sqlite.org/fileformat2.html, section 1.3 @returns whether the file is in write-ahead mode */
async function checkFile({ path, bytes }: LocalFile, name: string): Promise<boolean> {
  const file = await open(path, 'r');
  const head = Buffer.alloc(100);
  try {
    await file.read(head, 0, 100, 0);
  } finally {
    await file.close();
  }
  if (!head.toString('latin1').startsWith('SQLite format 3\0'))
    throw formatError(`${name} is not a GeoPackage. Check the feed's format and the file.`);
  const pageBytes = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  const promised = pageBytes * head.readUInt32BE(28);
  if (bytes < promised) throw truncatedError(name, `it has ${bytes} of ${promised} bytes`);
  const ahead = await stat(`${path}-wal`).catch(() => null);
  if (head[18] === 2 && ahead !== null && ahead.size > 0)
    throw formatError(
      `${name} is open in another program: part of its data is in ${name}-wal. Close it in that program.`,
    );
  return head[18] === 2;
}

/** QGIS leaves files in write-ahead mode, which can't be opened here. Makes a copy in the normal mode. */
async function withoutWriteAhead(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  try {
    await file.write(Buffer.from([1, 1]), 0, 2, 18);
  } finally {
    await file.close();
  }
}

/** Views are skipped, because they would run queries that the file's author wrote. */
function layersOf(db: Database): Layer[] {
  return db.all(`
    select c.table_name as name, g.column_name as geometry, g.srs_id as stored, s.organization, s.organization_coordsys_id as code,
           s.definition as wkt
    from gpkg_contents c
    join sqlite_master m on m.type = 'table' and m.name = c.table_name collate nocase and m.sql not like 'create virtual%'
    left join gpkg_geometry_columns g on g.table_name = c.table_name collate nocase
    left join gpkg_spatial_ref_sys s on s.srs_id = g.srs_id
    where c.data_type in ('features', 'attributes', 'aspatial')
    order by c.table_name`) as unknown as Layer[];
}

const columnsOf = (db: Database, table: string): Column[] =>
  db.all(`select name, lower(type) as type from pragma_table_info(?)`, [table]) as unknown as Column[];

/**
 * Selects a layer's columns by name, except computed ones. Oversized values aren't read from the file. For an
 * oversized shape, it reads only enough to detect the size.
 */
function selectOf(layer: Layer, columns: readonly Column[], rowBytes: number): string {
  const expressions = columns.map(({ name }) => {
    const column = quoted(name);
    const instead = name === layer.geometry ? `zeroblob(${rowBytes + 1})` : 'null';
    return `iif(length(${column}) > ${rowBytes}, ${instead}, ${column}) as ${column}`;
  });
  return `select ${expressions.join(', ')} from ${quoted(layer.name)}`;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function valuesOf(row: Row, columns: readonly Column[], geometry: string | null): Row {
  const values: Row = {};
  for (const { name, type } of columns) {
    if (name === geometry) continue;
    const value = row[name];
    values[name] = type === 'boolean' && typeof value === 'number' ? value !== 0 : plainValue(value);
  }
  return values;
}

/** @throws PlatError `feed_crs` if the file names two reference systems for the layer */
function requireOneCrs(db: Database, { name: layer, stored }: Layer, name: string): void {
  // Some writers omit the `srs_id` column.
  const [column] = db.all("select 1 from pragma_table_info('gpkg_contents') where name = 'srs_id'");
  const row = column && db.get('select srs_id from gpkg_contents where table_name = ?', [layer]);
  const stated = row?.srs_id as number | null | undefined;
  if (stated == null || stored === null || stated <= 0 || stored <= 0 || stated === stored) return;
  throw new PlatError(
    'feed_crs',
    `${name}: layer ${layer} has the reference system ${stated} in gpkg_contents, but ${stored} in gpkg_geometry_columns. Set the right one as "crs" in the feed.`,
    { status: 422 },
  );
}

/** -1 and 0 mean "undefined". */
function crsOf({ organization, code, wkt }: Layer): string[] | null {
  if (!organization || code <= 0) return null;
  return [`${organization}:${code}`, wkt];
}

/** Size of the envelope in bytes, by the three-bit envelope type. */
const ENVELOPES = [0, 32, 48, 48, 64];

/**
 * The WKB in a geometry blob: null for an empty geometry, an empty array for invalid data.
 * https://www.geopackage.org/spec131/#gpb_format
 */
function wkbOf(blob: Uint8Array): Uint8Array | null {
  const flags = blob[3] ?? 0;
  const envelope = ENVELOPES[(flags >> 1) & 7];
  const isExtended = (flags & 0x20) !== 0;
  if (blob[0] !== 0x47 || blob[1] !== 0x50 || envelope === undefined || isExtended)
    return blob.subarray(0, 0);
  return (flags & 0x10) !== 0 ? null : blob.subarray(8 + envelope);
}
