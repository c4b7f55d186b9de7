import { ReadableStream as NodeStream } from 'node:stream/web';
import type { ColumnMeta } from 'flatgeobuf/lib/mjs/column-meta.js';
import type { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { type IFeature, parseProperties } from 'flatgeobuf/lib/mjs/generic/feature.js';
import { ColumnType, deserialize } from 'flatgeobuf/lib/mjs/generic.js';
import { fromGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js';
import type { Geometry } from 'geojson';
import { formatError, limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { addRow, type FileRead, isFull, plainValue } from './row-batch.ts';
import type { OpenedSource } from './source.ts';
import { useCrs } from './use-crs.ts';

/** FlatGeobuf, streamed in file order. The spatial index is skipped. */
export async function* readFlatGeobuf({ source, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const metadata: { header: HeaderMeta | null } = { header: null };
  const headerMetaFn = (header: HeaderMeta) => {
    metadata.header = header;
    useCrs(output, crsOf(header), name);
  };
  const frames = wholeFrames(source, () => indexBytes(metadata.header, name), limitsOf(context).rowBytes);
  let features = 0;
  try {
    for await (const feature of deserialize(asStream(frames), { headerMetaFn, fromFeature: exactFeature })) {
      features++;
      const { properties, geometry } = feature as ReadFeature;
      addRow(output, properties, geometry);
      if (isFull(output)) yield;
    }
  } finally {
    await frames.return(undefined);
  }
  // A count of 0 means "unknown".
  const promised = metadata.header?.featuresCount ?? 0;
  if (promised > features) throw truncatedError(name, `it has ${features} of ${promised} features`);
}

type ReadFeature = IFeature & { properties: Record<string, unknown>; geometry: Geometry | null };

/** Reads a feature with all digits of its 64-bit integers. The library would round those beyond 2^53. */
function exactFeature(_id: number, feature: Feature, header: HeaderMeta): ReadFeature {
  const columns = header.columns ?? [];
  const properties: Record<string, unknown> = parseProperties(feature, columns);
  const isRounded = (value: unknown) =>
    typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (columns.some(({ name, type }) => isLong(type) && isRounded(properties[name])))
    Object.assign(properties, longValues(feature, columns));
  return { properties, geometry: geometryOf(feature, header) };
}

/** The library can't read a feature that has no geometry, or an empty one. */
function geometryOf(feature: Feature, header: HeaderMeta): Geometry | null {
  const geometry = feature.geometry();
  if (geometry === null || geometry.xyLength() + geometry.partsLength() === 0) return null;
  return fromGeometry(geometry, header.geometryType);
}

const isLong = (type: ColumnType): boolean => type === ColumnType.Long || type === ColumnType.ULong;

/** Number of bytes in a value, by type. Values of other types start with their length. */
const VALUE_BYTES = new Map<ColumnType, number>([
  [ColumnType.Byte, 1],
  [ColumnType.UByte, 1],
  [ColumnType.Bool, 1],
  [ColumnType.Short, 2],
  [ColumnType.UShort, 2],
  [ColumnType.Int, 4],
  [ColumnType.UInt, 4],
  [ColumnType.Long, 8],
  [ColumnType.ULong, 8],
  [ColumnType.Float, 4],
  [ColumnType.Double, 8],
]);

function longValues(feature: Feature, columns: readonly ColumnMeta[]): Record<string, unknown> {
  const bytes = feature.propertiesArray()!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values: Record<string, unknown> = {};
  for (let at = 0; at < bytes.length; ) {
    const { name, type } = columns[view.getUint16(at, true)]!;
    at += 2;
    if (type === ColumnType.Long) values[name] = plainValue(view.getBigInt64(at, true));
    if (type === ColumnType.ULong) values[name] = plainValue(view.getBigUint64(at, true));
    at += VALUE_BYTES.get(type) ?? 4 + view.getUint32(at, true);
  }
  return values;
}

/** The first bytes of every version 3 file. https://flatgeobuf.org */
const MAGIC = 'fgb\x03';

/**
 * Whole parts only: the library would read a truncated header or index forever, and would accept half a
 * feature.
 */
async function* wholeFrames(
  source: OpenedSource,
  indexSize: () => number,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const { name } = source;
  let pending: Buffer = Buffer.alloc(0);
  let indexLeft: number | null = null;
  for await (const chunk of source.bytes()) {
    let bytes: Buffer = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (indexLeft === null) {
      pending = bytes;
      if (bytes.toString('latin1', 0, 4) !== MAGIC.slice(0, bytes.length)) throw notFlatGeobuf(name);
      const size = bytes.length < 12 ? Number.POSITIVE_INFINITY : 12 + bytes.readUInt32LE(8);
      if (Number.isFinite(size) && size > maxBytes) throw notFlatGeobuf(name);
      if (bytes.length < size) continue;
      yield bytes.subarray(0, size);
      indexLeft = indexSize();
      bytes = bytes.subarray(size);
    }
    if (indexLeft > 0) {
      const part = bytes.subarray(0, indexLeft);
      indexLeft -= part.length;
      bytes = bytes.subarray(part.length);
      if (part.length > 0) yield part;
    }
    const end = wholeFeatures(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    pending = bytes.subarray(end);
    if (pending.length > maxBytes)
      throw formatError(`${name}: one feature is longer than ${maxBytes} bytes.`);
  }
  if (indexLeft === null) throw notFlatGeobuf(name);
  if (indexLeft > 0 || pending.length > 0)
    throw truncatedError(name, 'it ends inside a feature or its index');
}

/** Length of the complete features at the start of `bytes`. Each starts with its length. */
function wholeFeatures(bytes: Buffer): number {
  let end = 0;
  while (end + 4 <= bytes.length) {
    const next = end + 4 + bytes.readUInt32LE(end);
    if (next > bytes.length) break;
    end = next;
  }
  return end;
}

function indexBytes(header: HeaderMeta | null, name: string): number {
  if (header === null) throw notFlatGeobuf(name);
  if (header.indexNodeSize === 0) return 0;
  // The library would loop forever on an index without features.
  if (header.featuresCount === 0) throw formatError(`${name} says it has no features. Check the file.`);
  return calcTreeSize(header.featuresCount, header.indexNodeSize);
}

function crsOf(header: HeaderMeta): string | null {
  const { crs } = header;
  if (crs === null || (crs.code === 0 && !crs.wkt)) return null;
  return crs.wkt || `${crs.org ?? 'EPSG'}:${crs.code}`;
}

const notFlatGeobuf = (name: string): Error =>
  formatError(`${name} is not a FlatGeobuf file. Check the feed's format and the file.`);

/** The library's types accept only browser streams. */
const asStream = (frames: AsyncIterable<Uint8Array>): ReadableStream =>
  NodeStream.from(frames) as unknown as ReadableStream;
