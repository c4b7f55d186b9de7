import { open } from 'node:fs/promises';
import { formatError, type Limits, truncatedError } from '../../shared/platform/http/download-context.ts';
import { readShape, SHAPE_TYPES, type Shape } from './shp-shapes.ts';
import type { OpenedSource, SourceFile } from './source.ts';
import { CHUNK_BYTES } from './unpacked.ts';

/*
 * Locates the records of a shapefile (ESRI Shapefile Technical Description, July 1998). We don't use the
 * package `shapefile`, because its reader ignores the .shx file, which identifies each record.
 */

/** The first four bytes of a .shp and a .shx, big-endian. */
const CODE = 9994;
const HEADER_BYTES = 100;

/**
 * Reads bytes starting at an offset. Returns fewer at the end of the file. Most offsets are in ascending
 * order.
 */
type Bytes = { at(offset: number, length: number): Buffer | Promise<Buffer>; close(): Promise<unknown> };

export type Shapes = {
  /** Reads the next shapes. Returns fewer at the end. */
  take(count: number): Promise<Shape[]>;
  close(): Promise<unknown>;
};

/** Shapes in the order of the .shx, or of the file. @throws PlatError `feed_format`, `feed_source` */
export async function openShapes(source: OpenedSource, { rowBytes }: Limits): Promise<Shapes> {
  const { name } = source;
  const shx = await source.sibling('.shx');
  const index = shx === null ? null : await readIndex(shx);
  const bytes = index === null || isAscending(index) ? streamed(source) : await onDisk(source);
  try {
    const head = await bytes.at(0, HEADER_BYTES);
    if (head.length < HEADER_BYTES || head.readInt32BE(0) !== CODE)
      throw formatError(`${name} is not a shapefile. Check the feed's format and the file.`);
    const type = head.readInt32LE(32);
    if (type === MULTIPATCH)
      throw formatError(
        `${name} has multipatches (3D shapes), which Plat can't read. Convert them to polygons first (Multipatch Footprint in ArcGIS).`,
      );
    if (!SHAPE_TYPES.has(type)) throw formatError(`${name}: its shapes have the unknown type ${type}.`);
    const next =
      index === null ? inFileOrder(bytes, head.readInt32BE(24) * 2, name) : inIndexOrder(bytes, index, name);
    return { take: count => takeShapes(next, count, rowBytes), close: bytes.close };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

const MULTIPATCH = 31;

/** The content of the next record, or null at the end. */
type Next = () => Promise<Buffer | null>;

async function takeShapes(next: Next, count: number, maxBytes: number): Promise<Shape[]> {
  const shapes: Shape[] = [];
  while (shapes.length < count) {
    const content = await next();
    if (content === null) break;
    shapes.push(
      content.length > maxBytes
        ? { unreadable: `the shape is longer than ${maxBytes} bytes` }
        : readShape(content),
    );
  }
  return shapes;
}

/** Pairs of offset and length in 16-bit words, as in the .shx. */
type Index = { pairs: Buffer; count: number };

async function readIndex(shx: SourceFile): Promise<Index> {
  const chunks: Buffer[] = [];
  for await (const chunk of shx.bytes()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const remedy =
    'Download it again with the .shp, or remove it. Plat then reads the shapes in the order of the .shp.';
  if (bytes.length < HEADER_BYTES || bytes.readInt32BE(0) !== CODE)
    throw formatError(`${shx.name} is not the index of a shapefile. ${remedy}`);
  const declared = bytes.readInt32BE(24) * 2;
  if (declared > bytes.length)
    throw truncatedError(shx.name, `it has ${bytes.length} of ${declared} bytes. ${remedy}`);
  // Bytes after the declared end are ignored. Some programs never write the length.
  const end = declared > HEADER_BYTES || bytes.length < HEADER_BYTES + 8 ? declared : bytes.length;
  return { pairs: bytes.subarray(HEADER_BYTES), count: Math.max(0, Math.floor((end - HEADER_BYTES) / 8)) };
}

const offsetAt = ({ pairs }: Index, i: number): number => pairs.readUInt32BE(i * 8) * 2;
const lengthAt = ({ pairs }: Index, i: number): number => pairs.readUInt32BE(i * 8 + 4) * 2;

function isAscending(index: Index): boolean {
  for (let i = 1; i < index.count; i++) if (offsetAt(index, i) <= offsetAt(index, i - 1)) return false;
  return true;
}

function inIndexOrder(bytes: Bytes, index: Index, name: string): Next {
  let at = 0;
  return async () => {
    if (at === index.count) return null;
    const [offset, indexed] = [offsetAt(index, at), lengthAt(index, at)];
    at++;
    // A deleted record may stay in the index.
    if (offset === 0) return NO_SHAPE;
    const head = await bytes.at(offset, 8);
    // Some programs write one of the two lengths incorrectly. Extra bytes are ignored.
    const stated = head.length < 8 ? 0 : head.readUInt32BE(4) * 2;
    const length = Math.max(indexed, stated > MAX_RECORD_BYTES ? 0 : stated);
    const content = await bytes.at(offset + 8, Math.min(length, MAX_RECORD_BYTES));
    const least = Math.min(indexed, stated) || length;
    if (head.length < 8 || content.length < Math.min(least, MAX_RECORD_BYTES))
      throw truncatedError(
        name,
        `its shape ${at} of ${index.count} ends at byte ${offset + head.length + content.length}`,
      );
    return content;
  };
}

const NO_SHAPE = Buffer.alloc(4);

/** Longer than any real shape, so that a damaged length doesn't use up all memory. */
const MAX_RECORD_BYTES = 2 ** 28;

/**
 * Reads a file without a .shx. Skips leftover bytes between records, from programs that delete without
 * compacting.
 */
function inFileOrder(bytes: Bytes, declared: number, name: string): Next {
  let offset = HEADER_BYTES;
  let record = 0;
  // A record without content has no type.
  const isRecord = (head: Buffer): boolean =>
    head.length < 12 ||
    [0, 1].includes(head.readInt32BE(4)) ||
    (head.readInt32BE(4) > 1 && SHAPE_TYPES.has(head.readInt32LE(8)));
  const isNext = (head: Buffer): boolean => head.readInt32BE(0) === record + 1 && isRecord(head);
  return async () => {
    let head = await bytes.at(offset, 12);
    // Not all programs number their records, but a record after a gap must have the next number. Offsets are
    // even.
    const inGap = !isRecord(head);
    while (inGap && head.length === 12 && !isNext(head)) {
      offset += 2;
      head = await bytes.at(offset, 12);
    }
    if (head.length < 12) {
      const read = offset + head.length;
      if (read < declared) throw truncatedError(name, `it has ${read} of ${declared} bytes`);
      return null;
    }
    const length = head.readInt32BE(4) * 2;
    const content = await bytes.at(offset + 8, Math.min(length, MAX_RECORD_BYTES));
    if (content.length < Math.min(length, MAX_RECORD_BYTES))
      throw truncatedError(name, `it ends inside shape ${record + 1}`);
    offset += 8 + length;
    record++;
    return content;
  };
}

/** Reads the file in one pass, for ascending offsets. */
function streamed(source: SourceFile): Bytes {
  const chunks = source.bytes();
  let held: Buffer = Buffer.alloc(0);
  let start = 0;
  const fill = async (offset: number, length: number): Promise<Buffer> => {
    while (start + held.length < offset + length) {
      const { done, value } = await chunks.next();
      if (done) break;
      const kept = held.subarray(Math.max(0, offset - start));
      start += held.length - kept.length;
      held = kept.length === 0 ? value : Buffer.concat([kept, value]);
    }
    return held.subarray(Math.max(0, offset - start), Math.max(0, offset + length - start));
  };
  return {
    at: (offset, length) =>
      offset >= start && offset + length <= start + held.length
        ? held.subarray(offset - start, offset + length - start)
        : fill(offset, length),
    close: () => chunks.return(undefined),
  };
}

/** Reads the file with random access, for offsets in any order. */
async function onDisk(source: SourceFile): Promise<Bytes> {
  const { path } = await source.onDisk();
  const file = await open(path, 'r');
  let held: Buffer = Buffer.alloc(0);
  let start = 0;
  const load = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(Math.max(length, CHUNK_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    [held, start] = [bytes.subarray(0, bytesRead), offset];
    return held.subarray(0, length);
  };
  return {
    at: (offset, length) =>
      offset >= start && offset + length <= start + held.length
        ? held.subarray(offset - start, offset + length - start)
        : load(offset, length),
    close: () => file.close(),
  };
}
