import type { MultiPolygon, Polygon, Ring } from './types.ts';
import { type Cursor, MAX_VARINT, putVarint, readCount, readVarint, unzigzag, zigzag } from './varint.ts';

/**
 * A boundary as bytes, about 4 bytes a vertex:
 * version (one byte, 1) | parts | for each part: rings | for each ring: positions without the closing one,
 * then each position as two zigzag varints, the difference in 1e-7 degrees from the position before it
 * (from 0,0 at the start; the difference runs on across rings and parts). Counts are plain varints.
 * Zigzag and varint are those of Protocol Buffers. 1e-7 degrees is 11 mm or less on the ground.
 */
const VERSION = 1;

/** Degrees to integer 1e-7 degrees, to the nearest. +-180 degrees fit in a signed 32-bit integer. */
export function toE7(deg: number): number {
  return Math.round(deg * 1e7);
}

/** Integer 1e-7 degrees to degrees. */
export function fromE7(e7: number): number {
  return e7 / 1e7;
}

// Reused between calls, and grown when needed: allocating the upper bound for each parcel costs more than encoding it.
let scratch = new Uint8Array(1 << 16);

/**
 * Encodes prepared polygons (closed rings) to bytes; `decodeBoundary` gives them back to half of 1e-7 degrees.
 * Positions that become equal to the one before them on the 1e-7 grid are dropped, unless that would leave
 * a ring with fewer than three distinct positions: such a ring is kept position by position.
 */
export function encodeBoundary(polygons: MultiPolygon): Uint8Array {
  reserve(polygons);
  const bytes = scratch;
  bytes[0] = VERSION;
  let at = putVarint(bytes, 1, polygons.length);
  let lonBefore = 0;
  let latBefore = 0;
  for (const polygon of polygons) {
    at = putVarint(bytes, at, polygon.length);
    for (const ring of polygon) {
      const grid = toGrid(ring);
      at = putVarint(bytes, at, grid.length / 2);
      for (let i = 0; i < grid.length; i += 2) {
        const lon = grid[i]!;
        const lat = grid[i + 1]!;
        // A difference of up to 360 degrees passes 32 bits; both sides wrap around, so nothing is lost.
        at = putVarint(bytes, at, zigzag((lon - lonBefore) | 0));
        at = putVarint(bytes, at, zigzag((lat - latBefore) | 0));
        lonBefore = lon;
        latBefore = lat;
      }
    }
  }
  return bytes.slice(0, at);
}

/** Decodes what `encodeBoundary` wrote. Throws when the bytes are cut short, too long or of another version. */
export function decodeBoundary(bytes: Uint8Array): MultiPolygon {
  if (bytes.length === 0) throw new Error('boundary bytes are empty');
  if (bytes[0] !== VERSION) {
    throw new Error(`boundary bytes are of version ${bytes[0]}; this program reads version ${VERSION}`);
  }
  const cursor: Cursor = { bytes, at: 1, what: 'boundary' };
  let lon = 0;
  let lat = 0;
  const polygons: MultiPolygon = [];
  for (let parts = readCount(cursor); parts > 0; parts--) {
    const polygon: Polygon = [];
    for (let rings = readCount(cursor); rings > 0; rings--) {
      const ring: Ring = [];
      for (let positions = readCount(cursor); positions > 0; positions--) {
        lon = (lon + unzigzag(readVarint(cursor))) | 0;
        lat = (lat + unzigzag(readVarint(cursor))) | 0;
        ring.push([fromE7(lon), fromE7(lat)]);
      }
      if (ring.length > 0) ring.push([...ring[0]!]);
      polygon.push(ring);
    }
    polygons.push(polygon);
  }
  if (cursor.at !== bytes.length) {
    throw new Error(
      `boundary bytes go on after their end: ${bytes.length - cursor.at} of ${bytes.length} are left over`,
    );
  }
  return polygons;
}

/** A ring without its closing position on the 1e-7 grid, lon and lat in turn. */
function toGrid(ring: Ring): number[] {
  const all: number[] = [];
  for (let i = 0; i < ring.length - 1; i++) all.push(toE7(ring[i]![0]), toE7(ring[i]![1]));
  let repeats = false;
  for (let i = 0, j = all.length - 2; i < all.length; j = i, i += 2) {
    if (all[i] === all[j] && all[i + 1] === all[j + 1]) {
      repeats = true;
      break;
    }
  }
  if (!repeats) return all;
  const kept: number[] = [];
  for (let i = 0; i < all.length; i += 2) {
    const n = kept.length;
    if (n > 0 && kept[n - 2] === all[i] && kept[n - 1] === all[i + 1]) continue;
    kept.push(all[i]!, all[i + 1]!);
  }
  while (kept.length > 2 && kept.at(-2) === kept[0] && kept.at(-1) === kept[1]) kept.length -= 2;
  return distinctPositions(kept) < 3 ? all : kept;
}

function distinctPositions(grid: number[]): number {
  const seen = new Set<string>();
  for (let i = 0; i < grid.length; i += 2) seen.add(`${grid[i]} ${grid[i + 1]}`);
  return seen.size;
}

function reserve(polygons: MultiPolygon): void {
  let varints = 1;
  for (const polygon of polygons) {
    varints++;
    for (const ring of polygon) varints += 1 + 2 * ring.length;
  }
  const need = 1 + MAX_VARINT * varints;
  if (need > scratch.length) scratch = new Uint8Array(2 * need);
}
