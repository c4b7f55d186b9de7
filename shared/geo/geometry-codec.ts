import type { Box, MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';

/**
 * Converts degrees to integers of 1e-7 degrees. Rounding is off by up to 11 mm. +-180 degrees fit in a signed
 * 32-bit integer.
 */
export const toE7 = (deg: number): number => Math.round(deg * 1e7);

export const fromE7 = (e7: number): number => e7 / 1e7;

/** Steps per unit: a power of two, so that dividing by it is exact. */
const STEPS = 1024;

/**
 * Converts degrees to units of 1e-7 degrees, in steps of 1/1024. Numbers with up to 7 decimals are exact, so
 * points that are collinear in decimals stay collinear.
 */
export const toUnits = (deg: number): number => Math.round(deg * (1e7 * STEPS)) / STEPS;

/**
 * Positions are stored as differences in 1e-7 degrees, encoded as zigzag varints (Protocol Buffers). This
 * takes about 4 bytes per vertex.
 */
const BOUNDARY_VERSION = 1;
const LINES_VERSION = 101;

/** Whether bytes are the output of `encodeBoundary` rather than `encodeLines`. */
export const isBoundary = (bytes: Uint8Array): boolean => bytes[0] === BOUNDARY_VERSION;

/** A 32-bit varint takes up to 5 bytes. */
const MAX_VARINT = 5;

/**
 * Format: version, number of parts, number of rings per part, positions without the closing one. Positions
 * that rounding makes equal are dropped, unless fewer than three would be left.
 */
export function encodeBoundary(polygons: MultiPolygon): Uint8Array {
  const writer: Writer = { bytes: [BOUNDARY_VERSION], lon: 0, lat: 0 };
  putVarint(writer, polygons.length);
  for (const polygon of polygons) {
    putVarint(writer, polygon.length);
    for (const ring of polygon) putPositions(writer, ringOnGrid(ring));
  }
  return new Uint8Array(writer.bytes);
}

/**
 * Decodes the output of `encodeBoundary`. Throws if the data is truncated, is too long, or has another
 * version.
 */
export function decodeBoundary(bytes: Uint8Array): MultiPolygon {
  const reader = openReader(bytes, 'boundary', BOUNDARY_VERSION);
  const polygons: MultiPolygon = [];
  for (let parts = readCount(reader); parts > 0; parts--) {
    const polygon: Polygon = [];
    for (let rings = readCount(reader); rings > 0; rings--) {
      const ring: Ring = readPositions(reader);
      if (ring.length > 0) ring.push([...ring[0]!]);
      polygon.push(ring);
    }
    polygons.push(polygon);
  }
  endReader(reader);
  return polygons;
}

/** A boundary as Well-Known Binary (https://www.ogc.org/standard/sfa/, clause 8), and its box in degrees. */
export type BoundaryWkb = { wkb: Uint8Array; box: Box };

const [WKB_POLYGON, WKB_MULTIPOLYGON] = [3, 6];

/** A reused output buffer. Creating one for each of many small boundaries took ten times as long. */
let draft = new DataView(new ArrayBuffer(1 << 16));

/** Converts the output of `encodeBoundary` to Well-Known Binary in degrees. Throws like `decodeBoundary`. */
export function boundaryToWkb(bytes: Uint8Array): BoundaryWkb {
  const reader = openReader(bytes, 'boundary', BOUNDARY_VERSION);
  // A position takes at least 2 bytes and becomes 16. A ring's count takes at least 1 byte and becomes 20,
  // including the closing position. A part's count takes at least 1 byte and becomes 9.
  if (draft.byteLength < 29 * bytes.length) draft = new DataView(new ArrayBuffer(29 * bytes.length));
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  const parts = readCount(reader);
  let at = parts === 1 ? 0 : putHead(0, WKB_MULTIPOLYGON, parts);
  for (let part = 0; part < parts; part++) {
    const rings = readCount(reader);
    at = putHead(at, WKB_POLYGON, rings);
    for (let ring = 0; ring < rings; ring++) {
      const count = readCount(reader);
      draft.setUint32(at, count > 0 ? count + 1 : 0, true);
      at += 4;
      const first = at;
      for (let i = 0; i < count; i++) {
        readPosition(reader);
        const x = fromE7(reader.lon);
        const y = fromE7(reader.lat);
        at = putPosition(at, x, y);
        if (x < box[0]) box[0] = x;
        if (y < box[1]) box[1] = y;
        if (x > box[2]) box[2] = x;
        if (y > box[3]) box[3] = y;
      }
      if (count > 0) at = putPosition(at, draft.getFloat64(first, true), draft.getFloat64(first + 8, true));
    }
  }
  endReader(reader);
  return { wkb: Buffer.from(new Uint8Array(draft.buffer, 0, at)), box };
}

function putHead(at: number, type: number, count: number): number {
  draft.setUint8(at, 1);
  draft.setUint32(at + 1, type, true);
  draft.setUint32(at + 5, count, true);
  return at + 9;
}

function putPosition(at: number, x: number, y: number): number {
  draft.setFloat64(at, x, true);
  draft.setFloat64(at + 8, y, true);
  return at + 16;
}

/**
 * Format: version, number of lines, positions of each. Positions that rounding makes equal to the previous
 * one are dropped, except for a line's two ends.
 */
export function encodeLines(lines: readonly (readonly Position[])[]): Uint8Array {
  const writer: Writer = { bytes: [LINES_VERSION], lon: 0, lat: 0 };
  putVarint(writer, lines.length);
  for (const line of lines) putPositions(writer, lineOnGrid(line));
  return new Uint8Array(writer.bytes);
}

/**
 * Decodes the output of `encodeLines`. Throws if the data is truncated, is too long, or has another version.
 */
export function decodeLines(bytes: Uint8Array): Position[][] {
  const reader = openReader(bytes, 'line', LINES_VERSION);
  const lines: Position[][] = [];
  for (let count = readCount(reader); count > 0; count--) lines.push(readPositions(reader));
  endReader(reader);
  return lines;
}

/** Alternating rounded longitudes and latitudes, without repeated positions. */
function lineOnGrid(line: readonly Position[]): number[] {
  const grid: number[] = [];
  let lonBefore = Number.NaN;
  let latBefore = Number.NaN;
  for (const position of line) {
    const lon = toE7(position[0]);
    const lat = toE7(position[1]);
    if (lon !== lonBefore || lat !== latBefore) grid.push(lon, lat);
    lonBefore = lon;
    latBefore = lat;
  }
  if (grid.length === 2) grid.push(grid[0]!, grid[1]!);
  return grid;
}

function ringOnGrid(ring: Ring): number[] {
  const grid = lineOnGrid(ring);
  // Drop the closing position and the ones that became equal to it.
  while (grid.length > 2 && grid.at(-2) === grid[0] && grid.at(-1) === grid[1]) grid.length -= 2;
  if (hasThreePositions(grid)) return grid;
  return ring.slice(0, -1).flatMap(([lon, lat]) => [toE7(lon), toE7(lat)]);
}

/** Assumes that consecutive positions of `grid` differ. */
function hasThreePositions(grid: readonly number[]): boolean {
  for (let i = 4; i < grid.length; i += 2) {
    const isFirst = grid[i] === grid[0] && grid[i + 1] === grid[1];
    if (!isFirst && (grid[i] !== grid[2] || grid[i + 1] !== grid[3])) return true;
  }
  return false;
}

type Writer = { bytes: number[]; lon: number; lat: number };

function putVarint({ bytes }: Writer, value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
}

function putPositions(writer: Writer, grid: readonly number[]): void {
  putVarint(writer, grid.length / 2);
  for (let i = 0; i < grid.length; i += 2) {
    const lon = grid[i]!;
    const lat = grid[i + 1]!;
    // A difference of up to 360 degrees overflows 32 bits. The encoder and the decoder both wrap around.
    putVarint(writer, zigzag((lon - writer.lon) | 0));
    putVarint(writer, zigzag((lat - writer.lat) | 0));
    writer.lon = lon;
    writer.lat = lat;
  }
}

/** Maps signed to unsigned integers, so that small numbers of either sign take few bytes. */
const zigzag = (n: number): number => ((n << 1) ^ (n >> 31)) >>> 0;
const unzigzag = (n: number): number => (n >>> 1) ^ -(n & 1);

/** The bytes, the offset of the next byte, and what the bytes encode, for messages. */
type Reader = { bytes: Uint8Array; at: number; what: string; lon: number; lat: number };

function openReader(bytes: Uint8Array, what: string, version: number): Reader {
  if (bytes.length === 0) throw new Error(`${what} bytes are empty`);
  if (bytes[0] !== version)
    throw new Error(`${what} bytes have version ${bytes[0]}, but this program reads version ${version}`);
  return { bytes, at: 1, what, lon: 0, lat: 0 };
}

function endReader({ bytes, at, what }: Reader): void {
  const left = bytes.length - at;
  if (left > 0) throw new Error(`${what} bytes continue past their end: ${left} of ${bytes.length} remain`);
}

function readPositions(reader: Reader): Position[] {
  const positions: Position[] = [];
  for (let count = readCount(reader); count > 0; count--) {
    readPosition(reader);
    positions.push([fromE7(reader.lon), fromE7(reader.lat)]);
  }
  return positions;
}

function readPosition(reader: Reader): void {
  reader.lon = (reader.lon + unzigzag(readVarint(reader))) | 0;
  reader.lat = (reader.lat + unzigzag(readVarint(reader))) | 0;
}

/** Reads a count of items of at least one byte each, so that a damaged count can't allocate gigabytes. */
function readCount(reader: Reader): number {
  const count = readVarint(reader);
  const left = reader.bytes.length - reader.at;
  if (count > left)
    throw new Error(`${reader.what} bytes are cut short: ${count} items announced, ${left} bytes left`);
  return count;
}

function readVarint(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new Error(`${reader.what} bytes are cut short at ${reader.bytes.length}`);
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
  throw new Error(`${reader.what} bytes have a number of more than 32 bits before byte ${reader.at}`);
}
