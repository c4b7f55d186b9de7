import { closeSync, openSync, writeSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

/** Small GeoTIFFs in every layout that elevation grids use, written from a function of column and row. */
export type TiffOptions = {
  width: number;
  height: number;
  /** Height of a cell in the file's own unit, or the value of a pixel's band. */
  at(column: number, row: number, band: number): number;
  sample?: Sample;
  /** Side of a square tile. Without it, the file has strips of `stripRows` rows. */
  tile?: number;
  stripRows?: number;
  deflate?: boolean;
  bigEndian?: boolean;
  /** Origin and step of the cells. The reader has to interpret PixelIsPoint. */
  grid?: { originX: number; originY: number; stepX: number; stepY: number };
  /** The ModelTransformation tag, written instead of scale and tie point. */
  matrix?: number[];
  /** GeoTIFF keys with a short value. */
  keys?: Record<number, number>;
  nodata?: string;
  gdalMetadata?: string;
  /** Omits a block, as sparse files do. */
  absent?(index: number): boolean;
  /** Adds a second image of half the size with meaningless heights. */
  overview?: boolean;
  compression?: number;
  bands?: number;
};

const SAMPLES = {
  float32: { bytes: 4, format: 3, put: (view, at, value, little) => view.setFloat32(at, value, little) },
  float64: { bytes: 8, format: 3, put: (view, at, value, little) => view.setFloat64(at, value, little) },
  int16: { bytes: 2, format: 2, put: (view, at, value, little) => view.setInt16(at, value, little) },
  int32: { bytes: 4, format: 2, put: (view, at, value, little) => view.setInt32(at, value, little) },
  uint8: { bytes: 1, format: 1, put: (view, at, value) => view.setUint8(at, value) },
  uint16: { bytes: 2, format: 1, put: (view, at, value, little) => view.setUint16(at, value, little) },
} satisfies Record<
  string,
  { bytes: number; format: number; put(view: DataView, at: number, value: number, little: boolean): void }
>;
export type Sample = keyof typeof SAMPLES;

/** TIFF 6.0 field types and their sizes. */
const TYPES = { ascii: [2, 1], short: [3, 2], long: [4, 4], double: [12, 8] } as const;
type Field = { tag: number; type: keyof typeof TYPES; values: readonly number[] };

type Level = { options: TiffOptions; blocks: Buffer[]; subfile: number };

/** Writes the directories first, then the blocks, as in a cloud-optimized file. */
export function writeTiff(path: string, options: TiffOptions): void {
  const levels = [levelOf(options, 0)];
  if (options.overview) {
    const [width, height] = [Math.ceil(options.width / 2), Math.ceil(options.height / 2)];
    levels.push(levelOf({ ...options, width, height, at: (x, y) => 9000 + 97 * x * y }, 1));
  }
  const little = !options.bigEndian;
  // Sizes don't depend on offsets, so a first pass without them shows where the blocks start.
  const size = levels.reduce((sum, level) => sum + directory(level, 0, [], false, little).length, 8);
  const parts: Buffer[] = [];
  let offset = size;
  let at = 8;
  for (const [i, level] of levels.entries()) {
    const offsets = level.blocks.map(block => {
      const start = block.length === 0 ? 0 : offset;
      offset += block.length;
      return start;
    });
    parts.push(directory(level, at, offsets, i < levels.length - 1, little));
    at += parts.at(-1)!.length;
  }
  const head = Buffer.alloc(8);
  head.write(little ? 'II' : 'MM', 'latin1');
  const view = new DataView(head.buffer, head.byteOffset);
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  const file = openSync(path, 'w');
  for (const bytes of [head, ...parts, ...levels.flatMap(level => level.blocks)]) writeSync(file, bytes);
  closeSync(file);
}

function levelOf(options: TiffOptions, subfile: number): Level {
  const { width, height, tile, stripRows = height } = options;
  const [blockWidth, blockHeight] = tile === undefined ? [width, stripRows] : [tile, tile];
  const { bytes, put } = SAMPLES[options.sample ?? 'float32'];
  const bands = options.bands ?? 1;
  const blocks: Buffer[] = [];
  for (let top = 0; top < height; top += blockHeight) {
    for (let left = 0; left < width; left += blockWidth) {
      // The last strip is short. Tiles at the edge are padded.
      const rows = tile === undefined ? Math.min(blockHeight, height - top) : blockHeight;
      const raw = Buffer.alloc(blockWidth * rows * bytes * bands);
      const view = new DataView(raw.buffer, raw.byteOffset);
      for (let y = 0; y < rows; y++) {
        for (let x = 0; x < blockWidth; x++) {
          const isInside = left + x < width && top + y < height;
          for (let band = 0; band < bands; band++) {
            const value = isInside ? options.at(left + x, top + y, band) : 0;
            put(view, ((y * blockWidth + x) * bands + band) * bytes, value, !options.bigEndian);
          }
        }
      }
      const absent = options.absent?.(blocks.length) ?? false;
      blocks.push(absent ? Buffer.alloc(0) : options.deflate ? deflateSync(raw) : raw);
    }
  }
  return { options, blocks, subfile };
}

function directory(
  level: Level,
  at: number,
  offsets: readonly number[],
  followed: boolean,
  little: boolean,
): Buffer {
  const fields = fieldsOf(level, offsets);
  const tableBytes = 2 + 12 * fields.length + 4;
  const size = tableBytes + fields.reduce((sum, field) => sum + outside(field), 0);
  const buffer = Buffer.alloc(size);
  const view = new DataView(buffer.buffer, buffer.byteOffset);
  view.setUint16(0, fields.length, little);
  let free = tableBytes;
  for (const [i, field] of fields.entries()) {
    const entry = 2 + 12 * i;
    const [code, bytes] = TYPES[field.type];
    view.setUint16(entry, field.tag, little);
    view.setUint16(entry + 2, code, little);
    view.setUint32(entry + 4, field.values.length, little);
    const start = outside(field) > 0 ? free : entry + 8;
    if (outside(field) > 0) view.setUint32(entry + 8, at + free, little);
    free += outside(field);
    field.values.forEach((value, k) => {
      const place = start + k * bytes;
      if (field.type === 'ascii') view.setUint8(place, value);
      else if (field.type === 'short') view.setUint16(place, value, little);
      else if (field.type === 'long') view.setUint32(place, value, little);
      else view.setFloat64(place, value, little);
    });
  }
  view.setUint32(tableBytes - 4, followed ? at + size : 0, little);
  return buffer;
}

/** Bytes that a field needs outside its entry. Up to four fit into the entry itself. */
function outside({ type, values }: Field): number {
  const bytes = TYPES[type][1] * values.length;
  return bytes <= 4 ? 0 : bytes + (bytes % 2);
}

function fieldsOf({ options, blocks, subfile }: Level, offsets: readonly number[]): Field[] {
  const { width, height, tile, stripRows = height, bands = 1, grid, matrix, keys } = options;
  const { bytes, format } = SAMPLES[options.sample ?? 'float32'];
  const each = Array.from({ length: bands });
  const starts = blocks.map((_, i) => offsets[i] ?? 0);
  const lengths = blocks.map(block => block.length);
  const fields: Field[] = [
    { tag: 254, type: 'long', values: [subfile] },
    { tag: 256, type: 'long', values: [width] },
    { tag: 257, type: 'long', values: [height] },
    { tag: 258, type: 'short', values: each.map(() => bytes * 8) },
    { tag: 259, type: 'short', values: [options.compression ?? (options.deflate ? 8 : 1)] },
    // Grayscale with 0 as black, or RGB. A fourth band has no declared meaning.
    { tag: 262, type: 'short', values: [bands < 3 ? 1 : 2] },
    { tag: 277, type: 'short', values: [bands] },
    { tag: 284, type: 'short', values: [1] },
    { tag: 339, type: 'short', values: each.map(() => format) },
    ...(bands > 3 ? [{ tag: 338, type: 'short' as const, values: [0] }] : []),
  ];
  if (tile === undefined) {
    fields.push(
      { tag: 273, type: 'long', values: starts },
      { tag: 278, type: 'long', values: [stripRows] },
      { tag: 279, type: 'long', values: lengths },
    );
  } else {
    fields.push(
      { tag: 322, type: 'long', values: [tile] },
      { tag: 323, type: 'long', values: [tile] },
      { tag: 324, type: 'long', values: starts },
      { tag: 325, type: 'long', values: lengths },
    );
  }
  if (matrix) fields.push({ tag: 34264, type: 'double', values: matrix });
  if (grid) {
    fields.push(
      { tag: 33550, type: 'double', values: [grid.stepX, -grid.stepY, 0] },
      { tag: 33922, type: 'double', values: [0, 0, 0, grid.originX, grid.originY, 0] },
    );
  }
  if (keys) {
    const entries = Object.entries(keys).flatMap(([key, value]) => [Number(key), 0, 1, value]);
    fields.push({ tag: 34735, type: 'short', values: [1, 1, 0, entries.length / 4, ...entries] });
  }
  if (options.gdalMetadata) fields.push({ tag: 42112, type: 'ascii', values: ascii(options.gdalMetadata) });
  if (options.nodata) fields.push({ tag: 42113, type: 'ascii', values: ascii(options.nodata) });
  return fields.sort((a, b) => a.tag - b.tag);
}

function ascii(text: string): number[] {
  return [...Buffer.from(`${text}\0`, 'latin1')];
}

/** GeoTIFF keys for a projected and a geographic CRS. */
export const projectedKeys = (epsg: number) => ({ 1024: 1, 1025: 1, 3072: epsg });
export const geographicKeys = (epsg: number) => ({ 1024: 2, 1025: 1, 2048: epsg });
