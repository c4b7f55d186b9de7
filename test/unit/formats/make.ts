import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { FILE_FORMATS, type FileFormat, fileFormat } from '../../../workers/formats/file-formats.ts';
import type { InputSpec } from '../../../workers/formats/format-input.ts';
import { partsOf } from '../../../workers/formats/parts.ts';
import { readFile } from '../../../workers/formats/read-file.ts';
import { kindOf, readInput } from '../../../workers/formats/read-format.ts';
import {
  type BadRow,
  type FileReader,
  newOutput,
  type ReadContext,
  type RowBatch,
  type SourceRow,
  takeBatch,
} from '../../../workers/formats/row-batch.ts';
import { trackProgress } from '../../../workers/formats/source.ts';
import { testFolder } from '../../support/folder.ts';

export const fixtures = new URL('../../fixtures/feeds/formats/', import.meta.url).pathname;

/** A folder of the test file's own, removed at its end. */
export function temporaryFolder(): { path: string; put(name: string, content: string | Buffer): string } {
  const path = testFolder();
  return {
    path,
    put: (name, content) => {
      const file = join(path, name);
      writeFileSync(file, content);
      return file;
    },
  };
}

export type ReadAll = { rows: SourceRow[]; bad: BadRow[] };

export function contextFor(folder: string, over: Partial<ReadContext> = {}): ReadContext {
  return {
    baseDir: folder,
    tmpDir: join(folder, 'tmp'),
    signal: new AbortController().signal,
    env: {},
    ...over,
  };
}

/** Formats whose readers run in a process of their own. */
export const LIBRARY_FORMATS = (Object.keys(FILE_FORMATS) as FileFormat[]).filter(
  name => fileFormat(name).maxMb !== undefined,
);

/**
 * All rows of a source, with a library's reader in this process: one of its own takes half a second to start.
 */
export function readAll(spec: InputSpec, context: ReadContext): Promise<ReadAll> {
  const isLibrary = LIBRARY_FORMATS.some(name => name === spec.format);
  return collect(isLibrary ? readHere(spec, context) : readInput(spec, context));
}

async function* readHere(spec: InputSpec, context: ReadContext): AsyncGenerator<RowBatch> {
  const format = spec.format as FileFormat;
  const output = newOutput(spec.crs);
  const progress = trackProgress(context, true);
  const kind = kindOf(format);
  for (const source of [spec.source].flat())
    for (const part of await partsOf({ ...spec, source }, kind, context))
      yield* readFile(await fileFormat(format).load(), kind, part, output, context, progress);
}

export async function collect(batches: AsyncIterable<RowBatch>): Promise<ReadAll> {
  const all: ReadAll = { rows: [], bad: [] };
  for await (const batch of batches) {
    all.rows.push(...batch.rows);
    all.bad.push(...batch.bad);
  }
  return all;
}

/** Reads the contents of one file of a format, written into a folder of the test file's own. */
export function readerOf(format: InputSpec['format'], name: string) {
  const folder = temporaryFolder();
  return Object.assign(
    (content: string | Buffer, spec: Partial<InputSpec> = {}, over: Partial<ReadContext> = {}) => {
      folder.put(name, content);
      return readAll({ source: name, format, ...spec }, contextFor(folder.path, over));
    },
    { folder },
  );
}

export const values = (read: ReadAll) => read.rows.map(row => row.values);

/** What a reader makes of bytes that arrive in chunks of `size`. */
export function readInChunks(
  reader: FileReader,
  bytes: Buffer,
  size: number,
  spec: Omit<InputSpec, 'source'>,
): Promise<ReadAll> {
  return readChunks(
    reader,
    async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
    spec,
  );
}

export async function readChunks(
  reader: FileReader,
  chunks: () => AsyncGenerator<Buffer>,
  spec: Omit<InputSpec, 'source'>,
): Promise<ReadAll> {
  const output = newOutput(spec.crs);
  const onDisk = () => Promise.reject(new Error('there are only chunks'));
  const source = { name: 'chunks', bytes: chunks, onDisk, sibling: async () => null, close: async () => {} };
  const reading = { source, spec: { ...spec, source: 'chunks' }, output, context: contextFor('/') };
  const all: ReadAll = { rows: [], bad: [] };
  const add = ({ rows, bad }: RowBatch) => {
    all.rows.push(...rows);
    all.bad.push(...bad);
  };
  for await (const _ of reader(reading)) add(takeBatch(output));
  add(takeBatch(output));
  return all;
}

/** A zip of deflated members. APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
export function makeZip(members: Record<string, string | Buffer>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const fileName = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, fileName, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, fileName]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

export type DbfColumn = { name: string; type: string; length: number; decimals?: number };

/** A dBASE III table; the cells are written as they are, so that tests control every byte. */
export function makeDbf(
  columns: DbfColumn[],
  records: { deleted?: boolean; cells: (string | Buffer)[] }[],
  language = 0,
): Buffer {
  const recordBytes = 1 + columns.reduce((sum, column) => sum + column.length, 0);
  const head = Buffer.alloc(32);
  head[0] = 3;
  head.writeUInt32LE(records.length, 4);
  head.writeUInt16LE(32 + columns.length * 32 + 1, 8);
  head.writeUInt16LE(recordBytes, 10);
  head[29] = language;
  const descriptors = columns.map(column => {
    const descriptor = Buffer.alloc(32);
    descriptor.write(column.name, 0, 11, 'latin1');
    descriptor.write(column.type, 11, 'latin1');
    descriptor[16] = column.length & 255;
    descriptor[17] = column.decimals ?? column.length >> 8;
    return descriptor;
  });
  const body = records.map(record => {
    const bytes = Buffer.alloc(recordBytes, 0x20);
    if (record.deleted) bytes[0] = 0x2a;
    let at = 1;
    columns.forEach((column, index) => {
      Buffer.from(record.cells[index]!).copy(bytes, at, 0, column.length);
      at += column.length;
    });
    return bytes;
  });
  return Buffer.concat([head, ...descriptors, Buffer.from([0x0d]), ...body, Buffer.from([0x1a])]);
}

export type Rings = readonly (readonly [number, number])[][];

/** A record of a shapefile: null without a shape. */
export function shpRecord(rings: Rings | null, type = 5): Buffer {
  if (rings === null) return Buffer.alloc(4);
  const points = rings.flat();
  const content = Buffer.alloc(44 + 4 * rings.length + 16 * points.length);
  content.writeInt32LE(type, 0);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  for (const [i, value] of box.entries()) content.writeDoubleLE(value, 4 + i * 8);
  content.writeInt32LE(rings.length, 36);
  content.writeInt32LE(points.length, 40);
  let first = 0;
  for (const [i, ring] of rings.entries()) {
    content.writeInt32LE(first, 44 + 4 * i);
    first += ring.length;
  }
  for (const [i, [x, y]] of points.entries()) {
    content.writeDoubleLE(x, 44 + 4 * rings.length + 16 * i);
    content.writeDoubleLE(y, 52 + 4 * rings.length + 16 * i);
  }
  return content;
}

/** Clockwise, as the format wants its shells. */
export const squareRing = (x: number, y: number, size = 0.001): [number, number][] => [
  [x, y],
  [x, y + size],
  [x + size, y + size],
  [x + size, y],
  [x, y],
];

/** A shapefile of squares, null shapes for null. */
export const makeShp = (corners: ([number, number] | null)[], size = 0.001): Buffer =>
  shpOf(
    5,
    corners.map(corner => shpRecord(corner && [squareRing(...corner, size)])),
  );

/** The contents of records as a shapefile of this type. ESRI Shapefile Technical Description, July 1998. */
export function shpOf(type: number, contents: Buffer[]): Buffer {
  const records = contents.map((content, index) => {
    const head = Buffer.alloc(8);
    head.writeInt32BE(index + 1, 0);
    head.writeInt32BE(content.length / 2, 4);
    return Buffer.concat([head, content]);
  });
  const body = Buffer.concat(records);
  return Buffer.concat([shpHead(type, body.length), body]);
}

/** The offsets and lengths of records, in bytes, as a .shx. */
export function shxOf(records: readonly (readonly [offset: number, length: number])[]): Buffer {
  const body = Buffer.alloc(8 * records.length);
  for (const [i, [offset, length]] of records.entries()) {
    body.writeInt32BE(offset / 2, 8 * i);
    body.writeInt32BE(length / 2, 8 * i + 4);
  }
  return Buffer.concat([shpHead(5, body.length), body]);
}

function shpHead(type: number, bytes: number): Buffer {
  const head = Buffer.alloc(100);
  head.writeInt32BE(9994, 0);
  head.writeInt32BE((100 + bytes) / 2, 24);
  head.writeInt32LE(1000, 28);
  head.writeInt32LE(type, 32);
  return head;
}

export const collectionOf = (features: readonly string[]): string =>
  `{"type":"FeatureCollection","features":[${features.join(',')}]}`;

export function feature(
  id: number | string,
  properties: Record<string, unknown>,
  x = -72.1,
  y = 43.1,
): object {
  const ring = [
    [x, y],
    [x + 0.001, y],
    [x + 0.001, y + 0.001],
    [x, y + 0.001],
    [x, y],
  ];
  return { type: 'Feature', id, properties, geometry: { type: 'Polygon', coordinates: [ring] } };
}
