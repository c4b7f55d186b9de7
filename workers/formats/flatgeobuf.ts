import { ReadableStream as NodeStream } from 'node:stream/web';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js';
import { formatError, limitsOf, truncatedError } from '../../shared/net/download-context.ts';
import { addRow, type FileRead, isFull } from './row-batch.ts';
import type { OpenedSource } from './source.ts';
import { useCrs } from './use-crs.ts';

/** FlatGeobuf, streamed in file order; its spatial index is passed over. */
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
    for await (const feature of deserialize(asStream(frames), { headerMetaFn })) {
      features++;
      const values = feature.properties ?? {};
      addRow(output, values, feature.geometry);
      if (isFull(output)) yield;
    }
  } finally {
    await frames.return(undefined);
  }
  // A count of 0 means "unknown".
  const promised = metadata.header?.featuresCount ?? 0;
  if (promised > features) throw truncatedError(name, `it holds ${features} of ${promised} features`);
}

/** The first bytes of every file of version 3. https://flatgeobuf.org */
const MAGIC = 'fgb\x03';

/**
 * Only whole parts: the library reads a truncated header or index forever, and takes a truncated feature for
 * a whole one.
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

/**
 * Length of the features at the start of `bytes` that are there to their last byte; each
 * begins with its length.
 */
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
  // With an index over nothing the library would compute its size in an endless loop.
  if (header.featuresCount === 0)
    throw formatError(`${name} says that it holds no features. Check the file.`);
  return calcTreeSize(header.featuresCount, header.indexNodeSize);
}

function crsOf(header: HeaderMeta): string | null {
  const { crs } = header;
  if (crs === null || (crs.code === 0 && !crs.wkt)) return null;
  return crs.wkt || `${crs.org ?? 'EPSG'}:${crs.code}`;
}

const notFlatGeobuf = (name: string): Error =>
  formatError(`${name} is not a FlatGeobuf file. Check the feed's format and the file.`);

/** As the library's types want it, which know the browser's stream only. */
const asStream = (frames: AsyncIterable<Uint8Array>): ReadableStream =>
  NodeStream.from(frames) as unknown as ReadableStream;
