import { open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { projjsonNames } from '../../shared/geo/projection.ts';
import { formatError, limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { checkColumns } from './column-names.ts';
import { type FileRead, isFull, plainValue } from './row-batch.ts';
import type { LocalFile } from './source.ts';
import { useCrs } from './use-crs.ts';
import { addWkbRow } from './wkb.ts';

/**
 * Number of bytes decoded at a time. Larger row groups are read in parts, and for each part, the columns are
 * decoded again.
 */
const PART_BYTES = 16 * 2 ** 20;

/**
 * Maximum compressed size of a column in a row group, because the whole column is in memory. Most programs
 * write groups a tenth of this size.
 */
const MAX_CHUNK_BYTES = 2 ** 30;

/** Geometry is decoded row by row, because a decoded row group takes five times as much memory. */
const parsers = { geometryFromBytes: asBytes, geographyFromBytes: asBytes };

function asBytes(bytes: Uint8Array): Uint8Array {
  return bytes;
}

/** Reads Parquet, and GeoParquet (https://geoparquet.org/releases/v1.1.0/) with WKB, by row group. */
export async function* readParquet({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const local = await source.onDisk();
  const handle = await open(local.path, 'r');
  const slice = async (start: number, end = local.bytes): Promise<ArrayBuffer> => {
    context.signal.throwIfAborted();
    const bytes = new Uint8Array(end - start);
    await handle.read(bytes, 0, bytes.length, start);
    return bytes.buffer;
  };
  try {
    const file: AsyncBuffer = { byteLength: local.bytes, slice };
    await checkEnds(slice, local, name);
    const metadata = await parquetMetadataAsync(file);
    checkColumns(columnNames(metadata), name);
    const geometry = geometryOf(metadata, name) ?? wkbOf(metadata, spec.layer);
    if (geometry !== null) useCrs(output, geometry.crs, name);
    const decimals = takeDecimals(metadata);
    for (const part of partsOf(metadata, name)) {
      const options = { file, metadata, compressors, parsers, useOffsetIndex: true, ...part };
      for (const row of await parquetReadObjects(options)) {
        const wkb = geometry === null ? null : row[geometry.column];
        const values: Record<string, unknown> = {};
        for (const column in row) {
          if (column === geometry?.column) continue;
          const scale = decimals.get(column);
          values[column] = scale === undefined ? plainValue(row[column]) : decimal(row[column], scale);
        }
        addWkbRow(output, values, wkb instanceof Uint8Array ? wkb : null, limitsOf(context).rowBytes);
        if (isFull(output)) yield;
      }
      local.advance(part.rowEnd / Number(metadata.num_rows));
    }
    local.advance(1);
  } finally {
    await handle.close();
  }
}

/** A file starts and ends with these bytes. The footer at the end locates everything. */
const MAGIC = 'PAR1';

async function checkEnds(
  slice: (start: number, end: number) => Promise<ArrayBuffer>,
  { bytes }: LocalFile,
  name: string,
) {
  const at = async (start: number) =>
    Buffer.from(await slice(Math.max(0, start), start + 4)).toString('latin1');
  if ((await at(0)) !== MAGIC)
    throw formatError(`${name} is not a Parquet file. Check the feed's format and the file.`);
  if (bytes < 12 || (await at(bytes - 4)) !== MAGIC) throw truncatedError(name, 'its footer is missing');
}

function columnNames({ schema }: FileMetaData): string[] {
  const names: string[] = [];
  const skip = (at: number): number => {
    let next = at + 1;
    for (let child = 0; child < (schema[at]!.num_children ?? 0); child++) next = skip(next);
    return next;
  };
  for (let at = 1; at < schema.length; at = skip(at)) names.push(schema[at]!.name);
  return names;
}

type Geometry = { column: string; crs: string[] | null };
/** The standard stores the crs as PROJJSON. Some writers use only a code. */
type GeoColumn = { encoding?: string; crs?: Parameters<typeof projjsonNames>[0] | string | null };

/** @throws PlatError `feed_format` for a geometry that is not stored as WKB */
function geometryOf({ schema, key_value_metadata: pairs }: FileMetaData, name: string): Geometry | null {
  const text = (key: string) => pairs?.find(pair => pair.key === key)?.value;
  const geo = JSON.parse(text('geo') ?? '{}') as {
    primary_column?: string;
    columns?: Record<string, GeoColumn>;
  };
  const column = geo.primary_column ?? Object.keys(geo.columns ?? {})[0];
  if (column !== undefined) {
    const { encoding, crs } = geo.columns?.[column] ?? {};
    if (encoding !== 'WKB')
      throw formatError(
        `${name}: its geometry is stored as "${encoding}", but Plat reads only WKB. Write it as WKB, for example with ogr2ogr.`,
      );
    if (typeof crs === 'string') return { column, crs: [crs] };
    return { column, crs: crs ? projjsonNames(crs) : null };
  }
  const native = schema.find(
    ({ logical_type: type }) => type?.type === 'GEOMETRY' || type?.type === 'GEOGRAPHY',
  );
  if (native === undefined) return null;
  const { crs } = native.logical_type as { crs?: string };
  if (crs === undefined) return { column: native.name, crs: null };
  const key = /^projjson:(.*)$/.exec(crs)?.[1];
  return {
    column: native.name,
    crs: key === undefined ? [crs.replace(/^srid:/, 'EPSG:')] : projjsonNames(JSON.parse(text(key) ?? '{}')),
  };
}

/** Names of geometry columns in PostGIS, DuckDB, QGIS, and GeoPandas. */
const SHAPES = ['geometry', 'geom', 'the_geom', 'wkb', 'wkb_geometry', 'geometry_wkb', 'geom_wkb', 'shape'];

/** Plain Parquet doesn't flag geometry, so a bytes column with one of these names is read as WKB. */
function wkbOf({ schema }: FileMetaData, named: string | undefined): Geometry | null {
  const wanted = named === undefined ? SHAPES : [named.toLowerCase()];
  const geometryColumn = schema.find(
    ({ name, type, converted_type, logical_type }) =>
      type === 'BYTE_ARRAY' && !converted_type && !logical_type && wanted.includes(name.toLowerCase()),
  );
  if (geometryColumn === undefined) return null;
  geometryColumn.logical_type = { type: 'GEOMETRY' };
  return { column: geometryColumn.name, crs: null };
}

/** Removes the DECIMAL type from columns, so that the library returns digits instead of inexact floats. */
function takeDecimals({ schema }: FileMetaData): Map<string, number> {
  const scales = new Map<string, number>();
  for (const element of schema) {
    if (element.converted_type !== 'DECIMAL' || element.type === 'BYTE_ARRAY') continue;
    scales.set(element.name, element.scale ?? 0);
    delete element.converted_type;
  }
  return scales;
}

/** Converts a decimal's digits, which are an integer or big-endian bytes in two's complement. */
function decimal(digits: unknown, scale: number): unknown {
  if (digits === null || digits === undefined) return null;
  const whole =
    digits instanceof Uint8Array
      ? BigInt.asIntN(8 * digits.length, BigInt(`0x${Buffer.from(digits).toString('hex') || '0'}`))
      : BigInt(digits as number | bigint);
  if (scale <= 0) return plainValue(whole * 10n ** BigInt(-scale));
  const text = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0');
  const written = `${whole < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return text.length > 15 ? written : Number(written);
}

type Part = { rowStart: number; rowEnd: number };

/** @throws PlatError `feed_format` for row groups that are too large to be read in parts */
function partsOf({ row_groups: groups }: FileMetaData, name: string): Part[] {
  let at = 0;
  return groups.flatMap(group => {
    const packed = group.columns.map(column => Number(column.meta_data?.total_compressed_size ?? 0));
    if (Math.max(...packed) > MAX_CHUNK_BYTES)
      throw formatError(
        `${name}: a column of one row group is larger than ${MAX_CHUNK_BYTES} bytes. Write it with row groups of 100,000 rows.`,
      );
    const rows = Number(group.num_rows);
    const count = Math.max(1, Math.ceil(Number(group.total_byte_size) / PART_BYTES));
    const size = Math.ceil(rows / count);
    const parts: Part[] = [];
    for (let start = 0; start < rows; start += size)
      parts.push({ rowStart: at + start, rowEnd: at + Math.min(rows, start + size) });
    at += rows;
    return parts;
  });
}
